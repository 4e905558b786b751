#include "operators/state/rows_by_time.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kSchema({{"i", Type::int64}, {"s", Type::string}}, true);

// Adds rows with these times; row i has the tag i and its number in column 0.
void add(RowsByTime& waiting, const std::vector<std::int64_t>& times, std::uint32_t first) {
  BatchStaging staging(kSchema);
  std::vector<std::uint32_t> rows, tags;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto number = first + static_cast<std::uint32_t>(i);
    append_row(staging,
               {std::int64_t{number}, number % 3 == 0 ? Value(kNull) : Value(fmt::format("row {}", number)),
                times[i], kWatermarkNone});
    rows.push_back(static_cast<std::uint32_t>(i));
    tags.push_back(number);
  }
  REQUIRE(waiting.add(staging.view(), rows, tags));
}

std::vector<Row> take(RowsByTime& waiting, std::size_t count) {
  std::vector<RowNumber> numbers;
  BatchStaging out(kSchema);
  while (numbers.size() < count && !waiting.empty()) {
    out.column(2).append_int64(waiting.earliest());
    out.column(3).append_int64(kWatermarkNone);
    numbers.push_back(waiting.pop());
  }
  for (std::size_t c = 0; c < 2; ++c) waiting.store().append_column(c, numbers, out.column(c));
  std::vector<Row> rows;
  bool tags_fit = true;
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    rows.push_back(read_row(out.view(), r));
    tags_fit = tags_fit && rows.back()[0] == Value(std::int64_t{waiting.tag(numbers[r])});
    waiting.release(numbers[r]);
  }
  CHECK(tags_fit);
  REQUIRE(waiting.tidy());
  return rows;
}

TEST_CASE("Rows leave in the order of time, then of arrival, with all their values") {
  CHECK(rc::check("waiting rows against sorting", [] {
    RowsByTime waiting(kSchema);
    std::vector<std::pair<std::int64_t, std::uint32_t>> model;  // time, number
    std::uint32_t number = 0;
    const int rounds = *rc::gen::inRange(1, 12);
    for (int round = 0; round < rounds; ++round) {
      const auto times =
          *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-20, 20));
      if (!times.empty()) add(waiting, times, number);
      for (const std::int64_t t : times) model.emplace_back(t, number++);
      std::sort(model.begin(), model.end());
      const auto count = static_cast<std::size_t>(*rc::gen::inRange(0, 60));
      const auto rows = take(waiting, count);
      RC_ASSERT(rows.size() == std::min(count, model.size()));
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto [t, n] = model[r];
        RC_ASSERT(row_text(rows[r]) ==
                  row_text({std::int64_t{n}, n % 3 == 0 ? Value(kNull) : Value(fmt::format("row {}", n)), t,
                            kWatermarkNone}));
      }
      model.erase(model.begin(), model.begin() + static_cast<long>(rows.size()));
      RC_ASSERT(waiting.size() == model.size());
    }
  }));
}

TEST_CASE("Rows that wait far longer than the others do not keep the others' memory") {
  RowsByTime waiting(kSchema);
  std::uint32_t number = 0;
  std::uint64_t most = 0;
  for (int batch = 0; batch < 400; ++batch) {
    std::vector<std::int64_t> times(1'000, batch);
    times[500] = 1'000'000 + batch;  // one of a thousand is far ahead
    add(waiting, times, number);
    number += 1'000;
    take(waiting, 999);
    most = std::max(most, waiting.bytes());
  }
  CHECK(waiting.size() == 400);
  CHECK(most < 3'000'000);  // 400,000 rows came, of about 40 bytes each
  const auto rest = take(waiting, 1'000);
  REQUIRE(rest.size() == 400);
  CHECK(rest[399][0] == Value(std::int64_t{399'500}));
}

TEST_CASE("When all have left, nothing is held") {
  RowsByTime waiting(kSchema);
  add(waiting, std::vector<std::int64_t>(50'000, 7), 0);
  CHECK(waiting.bytes() > 50'000 * 40);
  while (!waiting.empty()) take(waiting, 1'024);
  CHECK(waiting.bytes() < 400'000);  // a spare chunk
}

}  // namespace
}  // namespace sluice::test
