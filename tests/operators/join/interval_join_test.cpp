#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "operators/join/join.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kSide({{"k", Type::string}, {"v", Type::int64}}, true);
const Json kOnKey = Json::array({Json::array({"k", "k"})});
constexpr EventTimeUs kNone = kWatermarkNone;

// A row of either side; on time unless a watermark is given.
Row at(std::int64_t t, Value k, std::int64_t v, EventTimeUs watermark = kNone) {
  return {std::move(k), v, t, watermark};
}

std::unique_ptr<BoundOperator> bind_interval(const std::string& lowest, const std::string& highest,
                                             const std::string& kind = "inner", const Schema& side = kSide) {
  return bind_config(join_type(),
                     {{"type", "interval"}, {"on", kOnKey}, {"within", {lowest, highest}}, {"kind", kind}},
                     {side, side});
}

// All of left, then all of right.
RunOutcome join(const BoundOperator& bound, const std::vector<Row>& left, const std::vector<Row>& right,
                RunOptions options = {}) {
  Driver driver(bound, options);
  driver.rows(kSide, left, 0);
  driver.rows(kSide, right, 1);
  if (!driver.failed()) driver.finish();
  return driver.outcome();
}

Row pair(const Row& l, const Row& r, std::int64_t t, EventTimeUs watermark) {
  return {l[0], l[1], r[0], r[1], t, watermark};
}
Row alone(const Row& l) { return {l[0], l[1], kNull, kNull, l[2], l[3]}; }

TEST_CASE("A right row is joined if its time is in the interval after the left one's, both ends included") {
  const auto bound = bind_interval("-3us", "5us");
  const Row left = at(100, "a", 1, 40);
  const std::vector<Row> right = {at(96, "a", 1, 30), at(97, "a", 2, 30), at(105, "a", 3, 50),
                                  at(106, "a", 4, 50), at(100, "b", 5)};
  const auto outcome = join(*bound, {left}, right);
  CHECK(row_texts(outcome.rows()) ==
        row_texts({pair(left, right[1], 100, 30), pair(left, right[2], 105, 40)}));
}

TEST_CASE("An interval may lie wholly after or before the left row, or be a point") {
  const Row left = at(100, "a", 1);
  const std::vector<Row> right = {at(90, "a", 1), at(95, "a", 2), at(100, "a", 3), at(105, "a", 4),
                                  at(110, "a", 5)};
  CHECK(row_texts(join(*bind_interval("5us", "7us"), {left}, right).rows()) ==
        row_texts({pair(left, right[3], 105, kNone)}));
  CHECK(row_texts(join(*bind_interval("-7us", "-5us"), {left}, right).rows()) ==
        row_texts({pair(left, right[1], 100, kNone)}));
  CHECK(row_texts(join(*bind_interval("0us", "0us"), {left}, right).rows()) ==
        row_texts({pair(left, right[2], 100, kNone)}));
}

TEST_CASE("Nulls match nothing, and of kind left come out without a match") {
  const std::vector<Row> left = {at(1, kNull, 1), at(1, "a", 2)};
  const std::vector<Row> right = {at(1, kNull, 3), at(1, "a", 4)};
  CHECK(row_texts(join(*bind_interval("0s", "0s"), left, right).rows()) ==
        row_texts({pair(left[1], right[1], 1, kNone)}));
  CHECK(row_multiset(join(*bind_interval("0s", "0s", "left"), left, right).rows()) ==
        row_multiset({pair(left[1], right[1], 1, kNone), alone(left[0])}));
}

TEST_CASE("A left row without a match is given once the watermark has passed all that could match it") {
  const auto bound = bind_interval("-2us", "10us", "left");
  Driver driver(*bound);
  const Row left = at(100, "a", 1), matched = at(101, "b", 2);
  driver.rows(kSide, {left, matched}, 0);
  driver.rows(kSide, {at(99, "b", 3)}, 1);
  driver.take();
  driver.watermark(110);
  CHECK(rows_of(driver.take()).empty());
  driver.watermark(111);
  const Stream out = driver.take();
  REQUIRE(out.size() == 2);
  CHECK(row_texts(out[0].rows) == row_texts({alone(left)}));
  CHECK(out[1].watermark == 101);  // rows from 101 on may still come without a match
}

TEST_CASE("The watermark passes an inner join as it is") {
  const auto bound = bind_interval("-2us", "10us");
  Driver driver(*bound);
  driver.watermark(50);
  CHECK(driver.out().back().watermark == 50);
}

TEST_CASE("A row before its own watermark is late, goes to its side's port as it came, and matches nothing") {
  const auto bound = bind_interval("-10us", "10us", "left");
  const std::vector<Row> left = {at(9, "a", 1, 10), at(10, "a", 2, 10)};
  const std::vector<Row> right = {at(9, "a", 3, 10), at(10, "a", 4, 10)};
  const auto outcome = join(*bound, left, right);
  CHECK(row_texts(outcome.rows(0)) == row_texts({pair(left[1], right[1], 10, 10)}));
  CHECK(row_texts(outcome.rows(1)) == row_texts({left[0]}));
  CHECK(row_texts(outcome.rows(2)) == row_texts({right[0]}));
  CHECK(outcome.late == 2);
}

TEST_CASE("Times and bounds at the ends of 64 bits neither wrap nor match what they should not") {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min(),
                         kMax = std::numeric_limits<std::int64_t>::max();
  const std::vector<Row> left = {at(kMin, "a", 1), at(kMax, "a", 2), at(0, "a", 3)};
  const std::vector<Row> right = {at(kMin, "a", 4), at(kMax, "a", 5), at(kMax - 5, "a", 6)};
  CHECK(row_multiset(join(*bind_interval("1us", "9000000000000000000us"), left, right).rows()) ==
        row_multiset({}));
  CHECK(row_multiset(join(*bind_interval("-5us", "5us"), left, right).rows()) ==
        row_multiset({pair(left[0], right[0], kMin, kNone), pair(left[1], right[1], kMax, kNone),
                      pair(left[1], right[2], kMax, kNone)}));
}

TEST_CASE("One record that matches a hundred thousand gives them in bounded batches") {
  const auto bound = bind_interval("-1s", "1s");
  constexpr std::size_t kRows = 100'000;
  std::vector<Row> left;
  for (std::size_t i = 0; i < kRows; ++i)
    left.push_back(at(static_cast<std::int64_t>(i % 7), "hot", static_cast<std::int64_t>(i)));
  for (const std::uint32_t side : {0u, 1u}) {
    CAPTURE(side);
    Driver driver(*bound);
    driver.rows(kSide, left, side);
    std::size_t rows = 0, calls = 1;
    Step step = driver.process_once(kSide, {at(3, "hot", 0)}, 1 - side);
    for (;; ++calls) {
      const auto out = rows_of(driver.take());
      REQUIRE(out.size() <= kTargetBatchRows);
      rows += out.size();
      if (step.next != Step::Next::kHasMore) break;
      step = driver.resume_once();
    }
    CHECK(rows == kRows);
    CHECK(calls >= kRows / kTargetBatchRows);
  }
}

TEST_CASE("A call that looks at many rows of a key in vain ends in between") {
  const auto bound = bind_interval("0us", "10us");
  std::vector<Row> left(200'000, at(0, "hot", 1));
  Driver driver(*bound);
  driver.rows(kSide, left, 0);
  // In the stretch of time of those rows, and too far after them.
  Step step = driver.process_once(kSide, {at(11, "hot", 0)}, 1);
  int calls = 1;
  for (; step.next == Step::Next::kHasMore; ++calls) step = driver.resume_once();
  CHECK(calls > 2);
  CHECK(rows_of(driver.take()).empty());
}

TEST_CASE("Wide rows leave in batches of bounded size, and a joined row above the limit is a bad record") {
  const Schema side({{"k", Type::string}, {"v", Type::int64}, {"text", Type::string}}, true);
  const auto bound = bind_interval("0s", "0s", "left", side);
  const auto wide = [](const char* k, std::size_t bytes) {
    return Row{k, 1, std::string(bytes, 'x'), 1, kNone};
  };
  RunOptions options;
  options.record_limit_bytes = 100'000;
  Driver driver(*bound, options);
  driver.rows(side, {wide("a", 60'000), wide("b", 60'000), wide("b", 1000)}, 0);
  driver.take();
  driver.rows(side, {wide("a", 60'000), wide("b", 10'000)}, 1);
  CHECK(rows_of(driver.take()).size() == 2);
  CHECK(driver.outcome().bad == std::map<std::string, std::uint64_t>{{"record_too_large", 1}});
  // It has been matched: it does not come out as a row without a match.
  driver.finish();
  CHECK(driver.outcome().rows().empty());
  CHECK(driver.outcome().rows(3).empty());

  Driver many(*bound, options);
  many.rows(side, std::vector<Row>(100, wide("a", 30'000)), 0);
  Step step = many.process_once(side, {wide("a", 30'000)}, 1);
  std::size_t rows = 0;
  for (bool more = true; more;) {
    const auto out = rows_of(many.take());
    REQUIRE(out.size() <= kTargetBatchBytes / 60'000 + 1);
    rows += out.size();
    more = step.next == Step::Next::kHasMore;
    if (more) step = many.resume_once();
  }
  CHECK(rows == 100);
}

TEST_CASE("Too large a joined row is a dead letter with its columns, or ends the job, as on_error says") {
  const Row left = at(1, std::string(80, 'a'), 1), right = at(1, std::string(80, 'a'), 2);
  RunOptions options;
  options.record_limit_bytes = 150;
  const auto letters = join(*bind_interval("0s", "0s"), {left}, {right}, options).rows(3);
  REQUIRE(letters.size() == 1);
  CHECK(row_text(letters[0]).find(R"("right_v":2)") != std::string::npos);
  CHECK(std::get<std::string>(letters[0][2]) == "record_too_large");
  const auto failing = bind_config(
      join_type(), {{"type", "interval"}, {"on", kOnKey}, {"within", {"0s", "0s"}}, {"on_error", "fail"}},
      {kSide, kSide});
  const auto failed = join(*failing, {left}, {right}, options);
  REQUIRE(failed.error.has_value());
  CHECK(failed.error->code() == ErrorCode::bad_record_failed);
}

TEST_CASE("While the inputs are idle no left row waits, and what was given out is given out once") {
  const auto bound = bind_interval("-100us", "100us", "left");
  Driver driver(*bound);
  const Row early = at(10, "a", 1), late = at(20, "b", 2), matched = at(15, "c", 3);
  driver.rows(kSide, {early, late, matched}, 0);
  driver.rows(kSide, {at(15, "c", 4)}, 1);
  driver.take();
  driver.idle();
  const Stream out = driver.take();
  CHECK(row_texts(rows_of(out)) == row_texts({alone(early), alone(late)}));
  CHECK(out.back().idle);
  // After the latest that was given out: on time, and yet no match for it. The matched row goes on matching.
  const Row for_given = at(21, "b", 5), for_matched = at(21, "c", 6), too_late = at(20, "c", 7);
  driver.rows(kSide, {for_given, for_matched, too_late}, 1);
  CHECK(row_texts(rows_of(driver.take(), 0)) == row_texts({pair(matched, for_matched, 21, kNone)}));
  driver.finish();
  CHECK(driver.outcome().rows().empty());
  CHECK(driver.outcome().late == 1);
}

TEST_CASE("State is given back when the other input has ended, or event time has passed") {
  const auto bound = bind_interval("-5us", "5us");
  std::vector<Row> rows;
  for (int i = 0; i < 20'000; ++i) rows.push_back(at(i, "k" + std::to_string(i), i));
  for (const bool ended : {false, true}) {
    CAPTURE(ended);
    Driver driver(*bound);
    driver.rows(kSide, rows, 0);
    CHECK(driver.outcome().state_bytes > 1'000'000);
    CHECK(driver.outcome().state_keys == 20'000);
    ended ? driver.input_ended(1) : driver.watermark(30'000);
    CHECK(driver.outcome().state_bytes < 200'000);
    CHECK(driver.outcome().state_keys == 0);
    driver.rows(kSide, {at(40'000, "k", 0)}, 0);
    CHECK(driver.outcome().state_keys == (ended ? 0 : 1));
  }
}

TEST_CASE("More state than allowed ends the job with the operator and what it holds") {
  const auto bound = bind_interval("-5us", "5us");
  RunOptions options;
  options.state_limit_bytes = 100'000;
  std::vector<Row> rows;
  for (int i = 0; i < 5000; ++i) rows.push_back(at(i, "k" + std::to_string(i), i));
  const auto outcome = join(*bound, rows, {}, options);
  REQUIRE(outcome.error.has_value());
  CHECK(outcome.error->code() == ErrorCode::state_limit);
  CHECK(outcome.error->message().find("op") != std::string::npos);
}

}  // namespace
}  // namespace sluice::test
