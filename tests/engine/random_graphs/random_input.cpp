#include "tests/engine/random_graphs/random_input.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace sluice::reference {
namespace {

Cell some(std::int64_t null_in, Cell value, Random& random) {
  return random.one_in(null_in) ? Cell{} : std::move(value);
}

Cell random_number(bool wild, Random& random) {
  const auto number = static_cast<double>(random.between(-4000, 4000)) / 4;
  return wild ? std::ldexp(number / 3, static_cast<int>(random.between(-1000, 1000))) : number;
}

}  // namespace

Table random_table(bool large, bool wild, Random& random) {
  Table table{{{"t", Kind::time},
               {"k", Kind::text},
               {"g", Kind::integer},
               {"v", Kind::integer},
               {"x", Kind::number},
               {"j", Kind::json}},
              {}};
  // Now, the epoch, year 1, year 9999.
  std::int64_t now = random.element<std::int64_t>(
      {1'431'857'100 * kSecond, 0, -62'135'590'000 * kSecond, 253'402'150'000 * kSecond});
  const std::int64_t count = large               ? random.between(3000, 8000)
                             : random.one_in(10) ? random.between(0, 2)
                                                 : random.between(20, 300);
  const std::int64_t jitter = random.one_in(3) ? 0 : random.between(0, 20);
  const std::int64_t keys = random.one_in(4) ? 40 : 4;
  for (std::int64_t i = 0; i < count; ++i) {
    now += random.between(0, 3) * kSecond / 2;
    if (random.one_in(60)) now += random.between(1, 5'000) * kSecond;
    std::int64_t t = now + random.between(-jitter, jitter) * kSecond;
    if (random.one_in(25)) t -= random.between(0, 300) * kSecond;
    std::string array;
    for (std::int64_t n = random.between(0, 3); n > 0; --n) array += fmt::format("{}{}", n, n > 1 ? "," : "");
    table.records.push_back(
        {{some(100, t, random), some(12, fmt::format("k{}", random.between(1, keys)), random),
          some(15, random.between(0, 3), random), some(10, random.between(-20, 20), random),
          some(10, random_number(wild, random), random), some(5, "[" + array + "]", random)}});
  }
  return table;
}

std::string as_csv(const Table& table, Random& random) {
  std::string text = "t,k,g,v,x,j\n";
  for (const Record& record : table.records) {
    for (std::size_t c = 0; c < record.cells.size(); ++c) {
      const Kind kind = table.columns[c].kind == Kind::time ? Kind::integer : table.columns[c].kind;
      const auto* number = std::get_if<double>(&record.cells[c]);
      text += number != nullptr ? fmt::format("{}", *number) : csv_cell(record.cells[c], kind);
      text += c + 1 < record.cells.size() ? "," : "\n";
    }
    if (random.one_in(40)) text += "when?,k1\n";
  }
  return text;
}

std::string as_jsonl(const Table& table, Random& random) {
  std::string text;
  for (const Record& record : table.records) {
    text += '{';
    for (std::size_t c = 0; c < record.cells.size(); ++c) {
      const Cell& cell = record.cells[c];
      std::string value = "null";
      if (const auto* integer = std::get_if<std::int64_t>(&cell)) value = std::to_string(*integer);
      if (const auto* number = std::get_if<double>(&cell)) value = fmt::format("{}", *number);
      if (const auto* string = std::get_if<std::string>(&cell))
        value = table.columns[c].kind == Kind::json ? *string : nlohmann::json(*string).dump();
      text += fmt::format("{}\"{}\":{}", c > 0 ? "," : "", table.columns[c].name, value);
    }
    text += "}\n";
    if (random.one_in(40)) text += "{\"t\": \n";
  }
  return text;
}

}  // namespace sluice::reference
