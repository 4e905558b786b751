#include "tests/engine/random_graphs/random_expressions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::reference {
namespace {

Truth negated(Truth t) { return t == Truth::yes ? Truth::no : t == Truth::no ? Truth::yes : t; }

template <typename Holds>
Condition on_column(const Table& table, std::size_t c, const char* text, Holds holds) {
  return {fmt::format(fmt::runtime(text), quoted(table.columns[c].name)), [c, holds](const Record& r) {
            if (r.cells[c].index() == 0) return Truth::unknown;
            return holds(r.cells[c]) ? Truth::yes : Truth::no;
          }};
}

Condition simple_condition(const Table& table, Random& random) {
  const auto usable = columns_of(table, {Kind::integer, Kind::text, Kind::number, Kind::time});
  const std::size_t c = random.element(usable);
  if (table.columns[c].kind == Kind::time || random.one_in(6)) {
    return {quoted(table.columns[c].name) + " is not null",
            [c](const Record& r) { return r.cells[c].index() == 0 ? Truth::no : Truth::yes; }};
  }
  if (table.columns[c].kind == Kind::text) {
    if (random.one_in(2))
      return on_column(table, c, "{} <> 'k1'", [](const Cell& v) { return v != Cell("k1"); });
    return on_column(table, c, "{} in ('k1', 'k2', 'k7')",
                     [](const Cell& v) { return v == Cell("k1") || v == Cell("k2") || v == Cell("k7"); });
  }
  if (table.columns[c].kind == Kind::number)
    return on_column(table, c, "{} < 100.5", [](const Cell& v) { return std::get<double>(v) < 100.5; });
  if (random.one_in(2))
    return on_column(table, c, "{} > -3", [](const Cell& v) { return std::get<std::int64_t>(v) > -3; });
  return on_column(table, c, "{} % 3 = 1", [](const Cell& v) { return std::get<std::int64_t>(v) % 3 == 1; });
}

}  // namespace

std::string quoted(const std::string& column) { return '"' + column + '"'; }

std::vector<std::size_t> columns_of(const Table& table, const std::vector<Kind>& kinds) {
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (std::find(kinds.begin(), kinds.end(), table.columns[c].kind) != kinds.end()) found.push_back(c);
  }
  return found;
}

Condition random_condition(const Table& table, Random& random) {
  Condition a = simple_condition(table, random);
  switch (random.between(0, 3)) {
    case 0:
      return {"not (" + a.text + ")", [a](const Record& r) { return negated(a.holds(r)); }};
    case 1: {
      const Condition b = simple_condition(table, random);
      return {"(" + a.text + ") or (" + b.text + ")", [a, b](const Record& r) {
                const Truth x = a.holds(r), y = b.holds(r);
                if (x == Truth::yes || y == Truth::yes) return Truth::yes;
                return x == Truth::unknown ? x : y;
              }};
    }
    default:
      return a;
  }
}

Condition risky_condition(const Table& table, Random& random) {
  const auto integers = columns_of(table, {Kind::integer});
  if (integers.empty() || !random.one_in(3)) return random_condition(table, random);
  const std::size_t c = random.element(integers);
  return {fmt::format("100 % {} >= 0", quoted(table.columns[c].name)), [c](const Record& r) {
            const auto* divisor = std::get_if<std::int64_t>(&r.cells[c]);
            if (divisor == nullptr) return Truth::unknown;
            return *divisor == 0 ? Truth::failed : Truth::yes;
          }};
}

Computed random_computed(const Table& table, const std::string& name, Random& random) {
  const auto usable = columns_of(table, {Kind::integer, Kind::text});
  if (usable.empty()) return {{name, Kind::integer}, "7", [](const Record&) { return std::int64_t{7}; }};
  const std::size_t c = random.element(usable);
  const std::string column = quoted(table.columns[c].name);
  if (table.columns[c].kind == Kind::text) {
    return {{name, Kind::text}, column + " || '!,'", [c](const Record& r) {
              const auto* text = std::get_if<std::string>(&r.cells[c]);
              return text != nullptr ? Cell(*text + "!,") : Cell{};
            }};
  }
  if (random.one_in(2)) {
    return {{name, Kind::integer}, "coalesce(" + column + ", -1)", [c](const Record& r) {
              return r.cells[c].index() == 0 ? Cell(std::int64_t{-1}) : r.cells[c];
            }};
  }
  const Condition when = random_condition(table, random);
  return {{name, Kind::integer},
          fmt::format("case when {} then {} % 5 else 9 end", when.text, column),
          [c, when](const Record& r) {
            if (when.holds(r) != Truth::yes) return Cell(std::int64_t{9});
            const auto* value = std::get_if<std::int64_t>(&r.cells[c]);
            return value != nullptr ? Cell(*value % 5) : Cell{};
          }};
}

}  // namespace sluice::reference
