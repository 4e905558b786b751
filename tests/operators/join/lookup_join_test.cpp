#include <doctest/doctest.h>

#include "operators/join/join.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kStream({{"k", Type::string}, {"v", Type::int64}}, true);
const Schema kTable({{"k", Type::string}, {"name", Type::string}});
const Json kOnKey = Json::array({Json::array({"k", "k"})});
constexpr EventTimeUs kNone = kWatermarkNone;

std::unique_ptr<BoundOperator> bind_lookup(const std::string& kind = "inner",
                                           const std::string& matches = "first", const Schema& left = kStream,
                                           const Schema& right = kTable) {
  return bind_config(join_type(), {{"type", "lookup"}, {"on", kOnKey}, {"kind", kind}, {"matches", matches}},
                     {left, right});
}

RunOutcome join(const BoundOperator& bound, const std::vector<Row>& left, const std::vector<Row>& right) {
  Driver driver(bound);
  driver.rows(kTable, right, 1);
  driver.input_ended(1);
  driver.rows(kStream, left, 0);
  driver.input_ended(0);
  driver.finish();
  return driver.outcome();
}

const std::vector<Row> kNames = {{"a", "first"}, {kNull, "null"}, {"b", "other"}, {"a", "second"}};

TEST_CASE("The first row of a key wins, or all of them come in their order") {
  const Row a = {"a", 1, 5, 3};
  CHECK(row_texts(join(*bind_lookup(), {a}, kNames).rows()) == row_texts({{"a", 1, "a", "first", 5, 3}}));
  CHECK(row_texts(join(*bind_lookup("inner", "all"), {a}, kNames).rows()) ==
        row_texts({{"a", 1, "a", "first", 5, 3}, {"a", 1, "a", "second", 5, 3}}));
}

TEST_CASE(
    "Left rows keep their order; without a match they are left out, or of kind left filled with nulls") {
  const std::vector<Row> left = {{"x", 1, 5, 3}, {"b", 2, 6, 3}, {kNull, 3, 7, 3}, {"a", 4, 8, 3}};
  CHECK(row_texts(join(*bind_lookup(), left, kNames).rows()) ==
        row_texts({{"b", 2, "b", "other", 6, 3}, {"a", 4, "a", "first", 8, 3}}));
  CHECK(row_texts(join(*bind_lookup("left"), left, kNames).rows()) ==
        row_texts({{"x", 1, kNull, kNull, 5, 3},
                   {"b", 2, "b", "other", 6, 3},
                   {kNull, 3, kNull, kNull, 7, 3},
                   {"a", 4, "a", "first", 8, 3}}));
}

TEST_CASE("No left row is taken before the table has ended") {
  const auto bound = bind_lookup();
  Driver driver(*bound);
  CHECK_FALSE(driver.op().takes(0));
  CHECK(driver.op().takes(1));
  driver.rows(kTable, kNames, 1);
  CHECK_FALSE(driver.op().takes(0));
  driver.input_ended(1);
  CHECK(driver.op().takes(0));
}

TEST_CASE("Late left rows pass and stay as late as they were") {
  const auto outcome = join(*bind_lookup(), {{"a", 1, 5, 100}}, kNames);
  CHECK(row_texts(outcome.rows()) == row_texts({{"a", 1, "a", "first", 5, 100}}));
  CHECK(outcome.late == 0);
}

TEST_CASE("Without event time on the left the table's counts, but for kind left, where a row may have none") {
  const Schema plain({{"k", Type::string}, {"v", Type::int64}});
  const Schema timed({{"k", Type::string}, {"name", Type::string}}, true);
  const auto inner = bind_lookup("inner", "first", plain, timed);
  Driver driver(*inner);
  driver.rows(timed, {{"a", "x", 7, 2}}, 1);
  driver.input_ended(1);
  driver.rows(plain, {{"a", 1}}, 0);
  CHECK(row_texts(rows_of(driver.take())) == row_texts({{"a", 1, "a", "x", 7, 2}}));
  CHECK_FALSE(bind_lookup("left", "first", plain, timed)->output_schemas()[0].has_event_time());
  CHECK_FALSE(bind_lookup("left", "first", plain, kTable)->output_schemas()[0].has_event_time());
}

TEST_CASE("Of both event times a joined row has the later, and the left row's watermark") {
  const Schema timed({{"k", Type::string}, {"name", Type::string}}, true);
  const auto bound = bind_lookup("left", "first", kStream, timed);
  Driver driver(*bound);
  driver.rows(timed, {{"a", "x", 70, kNone}}, 1);
  driver.input_ended(1);
  driver.rows(kStream, {{"a", 1, 60, 50}, {"b", 2, 61, 50}}, 0);
  CHECK(row_texts(rows_of(driver.take())) ==
        row_texts({{"a", 1, "a", "x", 70, 50}, {"b", 2, kNull, kNull, 61, 50}}));
}

TEST_CASE("A record that all rows of a large table match gives them in bounded batches") {
  const auto bound = bind_lookup("inner", "all");
  constexpr std::size_t kRows = 100'000;
  Driver driver(*bound);
  driver.rows(kTable, std::vector<Row>(kRows, Row{"hot", "x"}), 1);
  driver.input_ended(1);
  std::size_t rows = 0;
  Step step = driver.process_once(kStream, {{"hot", 1, 5, 3}, {"hot", 2, 5, 3}}, 0);
  for (;;) {
    const auto out = rows_of(driver.take());
    REQUIRE(out.size() <= kTargetBatchRows);
    rows += out.size();
    if (step.next != Step::Next::kHasMore) break;
    step = driver.resume_once();
  }
  CHECK(rows == 2 * kRows);
}

TEST_CASE("Of a table whose keys repeat one row a key is held, and the table counts as state") {
  std::vector<Row> table;
  for (int i = 0; i < 50'000; ++i) table.push_back({"k" + std::to_string(i % 10), std::string(100, 'x')});
  const auto first = join(*bind_lookup(), {}, table), all = join(*bind_lookup("inner", "all"), {}, table);
  CHECK(first.state_keys == 10);
  CHECK(first.state_bytes < 200'000);
  CHECK(all.state_keys == 10);
  CHECK(all.state_bytes > 50'000 * 110);
}

}  // namespace
}  // namespace sluice::test
