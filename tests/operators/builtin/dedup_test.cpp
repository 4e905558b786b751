#include "operators/builtin/dedup.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "operators/builtin/event_time.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kRaw({{"t", Type::timestamp}, {"k", Type::string}, {"i", Type::int64}});
const Schema kTimed({{"t", Type::timestamp}, {"k", Type::string}, {"i", Type::int64}}, true);
constexpr std::uint32_t kLate = 1;

std::unique_ptr<BoundOperator> bind_within(std::int64_t within_us) {
  return bind_config(dedup_type(), {{"keys", {"k"}}, {"within", fmt::format("{}us", within_us)}}, {kTimed});
}

// A record with its own watermark.
Row row(std::int64_t t, std::string k, std::int64_t watermark = kWatermarkNone) {
  return {t, std::move(k), std::int64_t{0}, t, watermark};
}

std::vector<std::int64_t> times(const std::vector<Row>& rows) {
  std::vector<std::int64_t> list;
  for (const Row& r : rows) list.push_back(std::get<std::int64_t>(r[0]));
  return list;
}
using Times = std::vector<std::int64_t>;

TEST_CASE("A record is dropped if one that passed lies nearer than within, earlier or later") {
  const auto outcome = run(*bind_within(10),
                           stream_of({row(100, "a"), row(109, "a"), row(110, "a"), row(91, "a"), row(90, "a"),
                                      row(105, "b"), row(105, "b")}),
                           kTimed);
  CHECK(times(outcome.rows()) == Times{100, 110, 90, 105});
  CHECK(outcome.late == 0);
}

TEST_CASE("A dropped record is in nobody's way: a chain of close records lets one pass every within") {
  std::vector<Row> rows;
  for (std::int64_t t = 0; t < 100; t += 4) rows.push_back(row(t, "a"));
  CHECK(times(run(*bind_within(10), stream_of(rows), kTimed).rows()) ==
        Times{0, 12, 24, 36, 48, 60, 72, 84, 96});
}

TEST_CASE("A record that its own watermark has passed by within is late, one microsecond less is not") {
  const auto outcome =
      run(*bind_within(10), stream_of({row(100, "a", 50), row(80, "b", 90), row(81, "b", 90)}), kTimed);
  CHECK(times(outcome.rows()) == Times{100, 81});
  CHECK(times(outcome.rows(kLate)) == Times{80});
  CHECK(outcome.late == 1);
}

TEST_CASE(
    "The operator's own event-time watermark makes a record late even if the record carries an earlier one") {
  const auto bound = bind_within(10);
  Driver driver(*bound);
  driver.rows(kTimed, {row(100, "a", 0)});
  driver.watermark(100);
  driver.rows(kTimed, {row(90, "a", 0), row(91, "a", 0)});
  driver.finish();
  CHECK(times(driver.outcome().rows()) == Times{100});  // 91 lies too near to 100
  CHECK(times(driver.outcome().rows(kLate)) == Times{90});
}

TEST_CASE("Slices before 1970, at the ends of int64 and far apart") {
  const auto pass = [](std::int64_t within, const Times& input) {
    std::vector<Row> rows;
    for (const std::int64_t t : input) rows.push_back(row(t, "a"));
    return times(run(*bind_within(within), stream_of(rows), kTimed).rows());
  };
  CHECK(pass(10, {-1, 0, 8, 9, -11, -10}) == Times{-1, 9, -11});
  CHECK(pass(60'000'000, {-1, -60'000'000, -60'000'001, 59'999'998, 59'999'999}) ==
        Times{-1, -60'000'001, 59'999'999});
  CHECK(pass(1, {INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1}) ==
        Times{INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1});
  CHECK(pass(1'000, {INT64_MAX, INT64_MIN, INT64_MAX - 999, INT64_MIN + 1'000}) ==
        Times{INT64_MAX, INT64_MIN, INT64_MIN + 1'000});
}

TEST_CASE("Null is a key, and so are several columns together") {
  const auto bound = bind_config(dedup_type(), {{"keys", {"k", "i"}}, {"within", "10us"}}, {kTimed});
  const auto make = [](Value k, Value i, std::int64_t t) { return Row{t, k, i, t, kWatermarkNone}; };
  const std::string a = "a";
  const auto outcome =
      run(*bound,
          stream_of({make(kNull, kNull, 1), make(kNull, kNull, 2), make(kNull, std::int64_t{0}, 3),
                     make(a, std::int64_t{0}, 4), make(a, std::int64_t{1}, 5), make(a, std::int64_t{1}, 6)}),
          kTimed);
  CHECK(times(outcome.rows()) == Times{1, 3, 4, 5});
  CHECK(bound->traits().keys == std::vector<std::string>{"k", "i"});
  CHECK(bound->traits().order_sensitive);
}

TEST_CASE("Random streams pass what a model lets pass that never forgets, in any batches") {
  CHECK(rc::check("dedup against the model", [] {
    const std::int64_t within = *rc::gen::inRange(1, 30);
    const std::int64_t bound_us = *rc::gen::inRange(0, 60);
    const auto seeds = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(-70, 70), rc::gen::inRange(0, 3)));
    std::vector<Row> rows, passed, late;
    std::int64_t watermark = kWatermarkNone;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const std::int64_t t = static_cast<std::int64_t>(i) * 3 - 100 + seeds[i].first;
      const Value key = seeds[i].second == 0 ? Value(kNull) : Value("k" + std::to_string(seeds[i].second));
      rows.push_back({t, key, static_cast<std::int64_t>(i)});
      const Row timed = {t, key, static_cast<std::int64_t>(i), t, watermark};
      const auto in_the_way = [&](const Row& p) {
        return p[1] == key && std::abs(std::get<std::int64_t>(p[0]) - t) < within;
      };
      if (watermark != kWatermarkNone && t + within <= watermark) {
        late.push_back(timed);
      } else if (std::none_of(passed.begin(), passed.end(), in_the_way)) {
        passed.push_back(timed);
      }
      watermark = std::max(watermark, t - bound_us);
    }
    const auto time =
        bind_config(event_time_type(),
                    {{"column", "t"}, {"max_out_of_orderness", fmt::format("{}us", bound_us)}}, {kRaw});
    const auto batch = static_cast<std::size_t>(*rc::gen::element(1, 2, 7, 1000));
    const auto outcome = run(*bind_within(within), run(*time, stream_of(rows, batch), kRaw).out, kTimed);
    RC_ASSERT(row_texts(outcome.rows()) == row_texts(passed));
    RC_ASSERT(row_texts(outcome.rows(kLate)) == row_texts(late));
    RC_ASSERT(outcome.late == late.size());
  }));
}

TEST_CASE("What the event-time watermark has passed by twice within is forgotten: state stays bounded") {
  const std::int64_t minute = 60'000'000;
  const auto bound = bind_within(minute);
  Driver driver(*bound);
  std::uint64_t most_keys = 0, most_bytes = 0;
  for (std::int64_t i = 0; i < 300; ++i) {
    std::vector<Row> rows;
    for (std::int64_t k = 0; k < 100; ++k)
      rows.push_back(row(i * minute / 10 + k, fmt::format("a key longer than most {} {}", i, k)));
    driver.rows(kTimed, rows);
    driver.watermark(i * minute / 10);
    most_keys = std::max(most_keys, driver.outcome().state_keys);
    most_bytes = std::max(most_bytes, driver.outcome().state_bytes);
    driver.take();
  }
  CHECK(most_keys >= 20 * 100);
  CHECK(most_keys <= 32 * 100);
  CHECK(most_bytes >= most_keys * 40);
  CHECK(most_bytes <= most_keys * 400);
  driver.watermark(1'000 * minute);
  CHECK(driver.outcome().state_keys == 0);
  CHECK(driver.outcome().state_bytes == 0);
}

TEST_CASE("Reaching the state limit fails the job with the operator and the number of keys") {
  RunOptions options;
  options.state_limit_bytes = 1 << 20;
  const auto bound = bind_within(1'000'000);
  Driver driver(*bound, options);
  for (int i = 0; i < 1'000 && !driver.failed(); ++i) {
    std::vector<Row> rows;
    for (int k = 0; k < 100; ++k) rows.push_back(row(k, fmt::format("{} {}", i, k)));
    driver.rows(kTimed, rows);
  }
  REQUIRE(driver.failed());
  CHECK(driver.outcome().error->code() == ErrorCode::state_limit);
}

TEST_CASE("dedup without event time, without keys or within 0s is refused") {
  const auto problems = [](const Json& config, const Schema& input) {
    return problems_of(dedup_type(), config, {input});
  };
  CHECK(
      problems({{"keys", {"k"}}, {"within", "1m"}}, kRaw).at(0).starts_with("/within [event_time_missing]"));
  CHECK(problems({{"keys", {"k"}}, {"within", "0s"}}, kTimed).at(0).starts_with("/within [out_of_range]"));
  CHECK(problems({{"keys", {"x"}}, {"within", "1s"}}, kTimed).at(0).starts_with("/keys/0 [unknown_column]"));
  CHECK(problems({{"keys", Json::array()}, {"within", "1s"}}, kTimed)
            .at(0)
            .starts_with("/keys [out_of_range]"));
  CHECK(problems({{"within", "1s"}}, kTimed).at(0).find("missing_field") != std::string::npos);
}

}  // namespace
}  // namespace sluice::test
