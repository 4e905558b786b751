#include "operators/window/over.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>
#include <set>

#include "operators/builtin/event_time.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kRaw({{"t", Type::timestamp}, {"k", Type::string}, {"v", Type::int64}});
const Schema kTimed({{"t", Type::timestamp}, {"k", Type::string}, {"v", Type::int64}}, true);
constexpr std::uint32_t kLate = 1, kErrors = 2;

std::unique_ptr<BoundOperator> bind_over(std::int64_t range_us, const std::string& aggregates,
                                         const std::vector<std::string>& keys = {"k"}) {
  return bind_config(
      over_type(),
      {{"keys", keys}, {"range", fmt::format("{}us", range_us)}, {"aggregates", Json::parse(aggregates)}},
      {kTimed});
}

constexpr const char* kSum = R"([{"name": "s", "fn": "sum", "expr": "v"}])";
constexpr const char* kAll = R"([{"name": "n", "fn": "count"}, {"name": "c", "fn": "count", "expr": "v"},
  {"name": "s", "fn": "sum", "expr": "v"}, {"name": "lo", "fn": "min", "expr": "v"}, {"name": "hi", "fn": "max", "expr": "v"},
  {"name": "a", "fn": "avg", "expr": "v"}, {"name": "f", "fn": "first", "expr": "v"}, {"name": "l", "fn": "last", "expr": "v"},
  {"name": "big", "fn": "count", "where": "v > 5"}])";

Row row(std::int64_t t, std::string k, Value v, std::int64_t watermark = kWatermarkNone) {
  return {t, std::move(k), std::move(v), t, watermark};
}
Row out(std::int64_t t, std::string k, Value v, Value s) { return {t, std::move(k), v, s, t, t}; }

std::vector<Row> over(const std::vector<Row>& rows, std::int64_t range_us = 10) {
  return run(*bind_over(range_us, kSum), stream_of(rows), kTimed).rows();
}

std::int64_t operator""_i(unsigned long long v) { return static_cast<std::int64_t>(v); }

TEST_CASE("Each record has the aggregates of its key after its time less the range, up to its own time") {
  CHECK(row_texts(over({row(0, "a", 1_i), row(5, "a", 2_i), row(5, "b", 50_i), row(10, "a", 4_i),
                        row(14, "a", 8_i), row(15, "a", 16_i), row(100, "a", 32_i)})) ==
        row_texts({out(0, "a", 1_i, 1_i), out(5, "a", 2_i, 3_i), out(5, "b", 50_i, 50_i),
                   out(10, "a", 4_i, 6_i), out(14, "a", 8_i, 14_i), out(15, "a", 16_i, 28_i),
                   out(100, "a", 32_i, 32_i)}));
}

TEST_CASE("Large values leave no trace in the sums, neither cancelled nor out of range") {
  const auto bound = bind_over(10, R"([{"name": "s", "fn": "sum", "expr":
      "case when v > 100 then 1e300 when v > 10 then 1e150 when v < -100 then -1e300 when v < -10 then -1e150 else cast(v as float64) end"}])");
  std::vector<Row> rows = {row(0, "a", 3_i),   row(1, "a", 1000_i), row(2, "a", 50_i), row(3, "a", -1000_i),
                           row(4, "a", -50_i), row(5, "a", 4_i),    row(12, "a", 1_i), row(14, "a", 2_i)};
  const std::vector<Row> expected = {out(0, "a", 3_i, 3.0),     out(1, "a", 1000_i, 1e300),
                                     out(2, "a", 50_i, 1e300),  out(3, "a", -1000_i, 1e150),
                                     out(4, "a", -50_i, 3.0),   out(5, "a", 4_i, 7.0),
                                     out(12, "a", 1_i, -1e300), out(14, "a", 2_i, 7.0)};
  CHECK(row_texts(run(*bound, stream_of(rows), kTimed).rows()) == row_texts(expected));
  std::reverse(rows.begin(), rows.end());
  CHECK(row_texts(run(*bound, stream_of(rows), kTimed).rows()) == row_texts(expected));
}

TEST_CASE("Records of one time are peers: each has the aggregates of all of them, in the order of arrival") {
  CHECK(row_texts(over({row(3, "a", 1_i), row(3, "a", 2_i), row(1, "a", 4_i), row(3, "a", 8_i)})) ==
        row_texts(
            {out(1, "a", 4_i, 4_i), out(3, "a", 1_i, 15_i), out(3, "a", 2_i, 15_i), out(3, "a", 8_i, 15_i)}));
}

TEST_CASE("first and last go by arrival, not by time") {
  const auto bound = bind_over(
      10, R"([{"name": "f", "fn": "first", "expr": "v"}, {"name": "l", "fn": "last", "expr": "v"}])");
  CHECK(bound->traits().order_sensitive);
  CHECK_FALSE(bind_over(10, kSum)->traits().order_sensitive);
  const auto rows =
      run(*bound, stream_of({row(5, "a", 1_i), row(3, "a", 2_i), row(4, "a", 3_i)}), kTimed).rows();
  CHECK(row_texts(rows) == std::vector<std::string>{"3 'a' 2 2 2 3 3", "4 'a' 3 2 3 4 4", "5 'a' 1 1 3 5 5"});
}

TEST_CASE("A record waits until the event-time watermark is above its time, and not longer") {
  const auto bound = bind_over(10, kSum);
  Driver driver(*bound);
  driver.rows(kTimed, {row(5, "a", 1_i), row(6, "a", 2_i)});
  driver.watermark(5);
  CHECK(rows_of(driver.take()).empty());
  driver.rows(kTimed, {row(5, "a", 4_i, 5)});  // at the watermark: not late
  driver.watermark(6);
  CHECK(row_texts(rows_of(driver.take())) == row_texts({out(5, "a", 1_i, 5_i), out(5, "a", 4_i, 5_i)}));
  driver.watermark(7);
  CHECK(row_texts(rows_of(driver.take())) == row_texts({out(6, "a", 2_i, 7_i)}));
  CHECK(driver.op().passed_on(7) == 7);
}

TEST_CASE(
    "A record below the watermark that it carries, or below the operator's own, is late and counts for "
    "none") {
  const auto bound = bind_over(10, kSum);
  Driver driver(*bound);
  driver.rows(kTimed, {row(9, "a", 1_i, 5), row(4, "a", 2_i, 5), row(5, "a", 4_i, 5)});
  driver.watermark(7);
  driver.rows(kTimed, {row(6, "a", 8_i, 5), row(7, "a", 16_i, 5)});
  driver.finish();
  const auto outcome = driver.outcome();
  CHECK(row_texts(outcome.rows()) ==
        row_texts({out(5, "a", 4_i, 4_i), out(7, "a", 16_i, 20_i), out(9, "a", 1_i, 21_i)}));
  CHECK(row_texts(outcome.rows(kLate)) == row_texts({row(4, "a", 2_i, 5), row(6, "a", 8_i, 5)}));
  CHECK(outcome.late == 2);
}

TEST_CASE("When its inputs are idle all that waits is given, and what then comes for those times is late") {
  const auto bound = bind_over(10, kSum);
  Driver driver(*bound);
  driver.rows(kTimed, {row(5, "a", 1_i), row(8, "a", 2_i)});
  driver.idle();
  CHECK(row_texts(rows_of(driver.take())) == row_texts({out(5, "a", 1_i, 1_i), out(8, "a", 2_i, 3_i)}));
  driver.rows(kTimed, {row(8, "a", 4_i), row(9, "a", 8_i)});
  driver.idle();
  CHECK(row_texts(rows_of(driver.take())) == row_texts({out(9, "a", 8_i, 11_i)}));
  driver.finish();
  CHECK(driver.outcome().late == 1);
}

// ---- against a model ----

struct Expected {
  std::vector<Row> out, late;
};

Row model_result(const Row& record, const std::vector<Row>& counted) {
  std::int64_t values = 0, sum = 0, big = 0;
  Value lo, hi, first, last;
  for (const Row& r : counted) {
    const auto* v = std::get_if<std::int64_t>(&r[2]);
    if (v == nullptr) continue;
    ++values, sum += *v, big += *v > 5;
    if (first == Value(kNull)) first = *v;
    last = *v;
    if (lo == Value(kNull) || *v < std::get<std::int64_t>(lo)) lo = *v;
    if (hi == Value(kNull) || *v > std::get<std::int64_t>(hi)) hi = *v;
  }
  const Value t = record[0];
  return {t,
          record[1],
          record[2],
          static_cast<std::int64_t>(counted.size()),
          values,
          values > 0 ? Value(sum) : kNull,
          lo,
          hi,
          values > 0 ? Value(static_cast<double>(sum) / static_cast<double>(values)) : kNull,
          first,
          last,
          big,
          t,
          t};
}

// One record at a time, each against all others; in the order of time, then of arrival.
Expected model(const std::vector<Row>& rows, std::int64_t range, std::int64_t bound) {
  Expected expected;
  std::vector<Row> kept;  // in the order of arrival
  std::int64_t watermark = kWatermarkNone;
  for (const Row& r : rows) {
    const std::int64_t t = std::get<std::int64_t>(r[0]);
    if (t < watermark) {
      expected.late.push_back({r[0], r[1], r[2], t, watermark});
    } else {
      kept.push_back(r);
    }
    watermark = std::max(watermark, t - bound);
  }
  for (const Row& r : kept) {
    const std::int64_t t = std::get<std::int64_t>(r[0]);
    std::vector<Row> counted;
    for (const Row& other : kept) {
      const std::int64_t u = std::get<std::int64_t>(other[0]);
      if (other[1] == r[1] && u <= t && u > t - range) counted.push_back(other);
    }
    expected.out.push_back(model_result(r, counted));
  }
  std::stable_sort(expected.out.begin(), expected.out.end(), [](const Row& a, const Row& b) {
    return std::get<std::int64_t>(a[0]) < std::get<std::int64_t>(b[0]);
  });
  return expected;
}

void check_against_model(const std::vector<Row>& rows, std::int64_t range, std::int64_t bound,
                         std::size_t batch_rows) {
  const auto time = bind_config(
      event_time_type(), {{"column", "t"}, {"max_out_of_orderness", fmt::format("{}us", bound)}}, {kRaw});
  const auto outcome =
      run(*bind_over(range, kAll), run(*time, stream_of(rows, batch_rows), kRaw).out, kTimed);
  const Expected expected = model(rows, range, bound);
  RC_ASSERT(row_texts(outcome.rows()) == row_texts(expected.out));
  RC_ASSERT(row_texts(outcome.rows(kLate)) == row_texts(expected.late));
  RC_ASSERT(outcome.late == expected.late.size());
  RC_ASSERT(outcome.bad.empty());
}

TEST_CASE("Random streams give what the model gives, whatever the times, keys, nulls and batches") {
  CHECK(rc::check("over against the model", [] {
    const std::int64_t range = *rc::gen::inRange(1, 60);
    const std::int64_t bound = *rc::gen::inRange(0, 60);
    const auto seeds = *rc::gen::container<std::vector<std::tuple<int, int, int>>>(
        rc::gen::tuple(rc::gen::inRange(-60, 60), rc::gen::inRange(0, 4), rc::gen::inRange(-9, 11)));
    std::vector<Row> rows;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const auto [jitter, k, v] = seeds[i];
      rows.push_back({static_cast<std::int64_t>(i) * 2 - 100 + jitter,
                      k == 0 ? Value(kNull) : Value(fmt::format("k{}", k)),
                      v == 10 ? Value(kNull) : Value(std::int64_t{v})});
    }
    check_against_model(rows, range, bound, static_cast<std::size_t>(*rc::gen::element(1, 2, 3, 7, 1000)));
  }));
}

TEST_CASE("Long ranges of one key, with gaps that empty them, give what the model gives") {
  CHECK(rc::check("long ranges", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::vector<Row> rows;
    std::int64_t t = -1'000;
    for (int i = 0; i < 600; ++i) {
      t += random() % 200 == 0 ? 700 : static_cast<std::int64_t>(random() % 4);
      rows.push_back({t - static_cast<std::int64_t>(random() % 20), Value("k"),
                      static_cast<std::int64_t>(random() % 12)});
    }
    check_against_model(rows, *rc::gen::element(50, 300, 600), *rc::gen::element(0, 10, 40), 50);
  }));
}

// ---- bounds ----

TEST_CASE("What is complete goes out in batches of bounded size") {
  std::vector<Row> rows;
  for (int i = 0; i < 5'000; ++i) rows.push_back(row(7, "k", 1_i));
  const auto outcome = run(*bind_over(10, kSum), stream_of(rows, 700), kTimed);
  REQUIRE(outcome.rows().size() == 5'000);
  CHECK(outcome.rows()[4'999][3] == Value(5'000_i));
  for (const Event& event : outcome.out) CHECK(event.rows.size() <= kTargetBatchRows);
}

TEST_CASE("State is what lies within the range and what waits, and all of it is given back") {
  const auto bound = bind_over(1'000, kAll);
  Driver driver(*bound);
  std::uint64_t most_bytes = 0, most_keys = 0;
  for (std::int64_t i = 0; i < 400; ++i) {
    std::vector<Row> rows;
    for (std::int64_t k = 0; k < 200; ++k) rows.push_back(row(i * 50, fmt::format("key {} of {}", k, i), k));
    driver.rows(kTimed, rows);
    driver.watermark(i * 50 - 100);
    driver.take();
    most_bytes = std::max(most_bytes, driver.outcome().state_bytes);
    most_keys = std::max(most_keys, driver.outcome().state_keys);
  }
  CHECK(most_keys >= 20 * 200);
  CHECK(most_keys <= 25 * 200);
  CHECK(most_bytes < most_keys * 1'500);
  driver.watermark(1'000'000);
  CHECK(driver.outcome().state_keys == 0);
  CHECK(driver.outcome().state_bytes < most_bytes / 2);
}

TEST_CASE("Reaching the state limit fails the job") {
  RunOptions options;
  options.state_limit_bytes = 1 << 20;
  const auto bound = bind_over(1'000'000, kSum);
  Driver driver(*bound, options);
  for (int i = 0; i < 1'000 && !driver.failed(); ++i) {
    std::vector<Row> rows;
    for (int k = 0; k < 100; ++k) rows.push_back(row(i * 100 + k, "k", 1_i));
    driver.rows(kTimed, rows);
    driver.watermark(i * 100);
    driver.take();
  }
  REQUIRE(driver.failed());
  CHECK(driver.outcome().error->code() == ErrorCode::state_limit);
}

TEST_CASE("Times far apart, before 1970 and at the ends of int64") {
  CHECK(row_texts(over({row(INT64_MIN, "a", 1_i), row(-1, "a", 2_i), row(0, "a", 4_i),
                        row(1'700'000'000'000'000, "a", 8_i), row(INT64_MAX - 1, "a", 16_i),
                        row(INT64_MAX, "a", 32_i)})) ==
        row_texts({out(INT64_MIN, "a", 1_i, 1_i), out(-1, "a", 2_i, 2_i), out(0, "a", 4_i, 6_i),
                   out(1'700'000'000'000'000, "a", 8_i, 8_i), out(INT64_MAX - 1, "a", 16_i, 16_i),
                   out(INT64_MAX, "a", 32_i, 48_i)}));
  CHECK(row_texts(
            over({row(INT64_MIN, "a", 1_i), row(INT64_MIN + 9, "a", 2_i), row(INT64_MIN + 10, "a", 4_i)})) ==
        row_texts({out(INT64_MIN, "a", 1_i, 1_i), out(INT64_MIN + 9, "a", 2_i, 3_i),
                   out(INT64_MIN + 10, "a", 4_i, 6_i)}));
}

// ---- faults ----

TEST_CASE("A sum that does not fit is null and a bad record, with its time; the row comes all the same") {
  const auto outcome =
      run(*bind_over(10, kSum),
          stream_of({row(1, "a", std::int64_t{INT64_MAX}), row(2, "a", 1_i), row(20, "a", 3_i)}), kTimed);
  CHECK(row_texts(outcome.rows()) == row_texts({out(1, "a", std::int64_t{INT64_MAX}, std::int64_t{INT64_MAX}),
                                                out(2, "a", 1_i, kNull), out(20, "a", 3_i, 3_i)}));
  CHECK(outcome.bad == std::map<std::string, std::uint64_t>{{"integer_overflow", 1}});
  CHECK(outcome.rows(kErrors).size() == 1);
}

TEST_CASE("A record whose expression fails is bad and counts for none; a late one is late alone") {
  const auto bound = bind_over(10, R"([{"name": "s", "fn": "sum", "expr": "10 / v"}])");
  const auto outcome =
      run(*bound, stream_of({row(5, "a", 0_i), row(6, "a", 5_i), row(1, "a", 0_i, 4)}), kTimed);
  CHECK(row_texts(outcome.rows()) == row_texts({out(6, "a", 5_i, 2_i)}));
  CHECK(outcome.bad == std::map<std::string, std::uint64_t>{{"division_by_zero", 1}});
  CHECK(outcome.late == 1);
}

TEST_CASE("A row that no edge can carry with its aggregates is a bad record") {
  const Schema input({{"s", Type::string}}, true);
  const auto bound = bind_config(over_type(), Json::parse(R"({"range": "1s", "aggregates": [
      {"name": "longest", "fn": "max", "expr": "s"}]})"),
                                 {input});
  RunOptions options;
  options.record_limit_bytes = 1'000;
  const auto outcome = run(
      *bound, stream_of({{std::string(600, 'x'), 1_i, 0_i}, {std::string("a"), 2_i, 0_i}}), input, options);
  CHECK(outcome.rows().size() == 1);
  CHECK(outcome.bad == std::map<std::string, std::uint64_t>{{"record_too_large", 1}});
}

TEST_CASE("over without event time, with a range of 0 or a taken name is refused") {
  const auto problem = [](const Json& more, const Schema& input) {
    Json config = {{"keys", {"k"}}, {"range", "1m"}, {"aggregates", Json::parse(kSum)}};
    config.update(more);
    return problems_of(over_type(), config, {input}).at(0);
  };
  CHECK(problem(Json::object(), kRaw).starts_with("/range [event_time_missing]"));
  CHECK(problem({{"range", "0s"}}, kTimed).starts_with("/range [out_of_range]"));
  CHECK(problem({{"keys", {"x"}}}, kTimed).starts_with("/keys/0 [unknown_column]"));
  CHECK(problem({{"aggregates", Json::parse(R"([{"name": "v", "fn": "count"}])")}}, kTimed)
            .starts_with("/aggregates/0/name [duplicate_name]"));
  CHECK(problem({{"aggregates", Json::array()}}, kTimed).starts_with("/aggregates [out_of_range]"));
  const auto all = bind_config(
      over_type(), Json::parse(R"({"range": "1m", "aggregates": [{"name": "n", "fn": "count"}]})"), {kTimed});
  CHECK(all->traits().max_parallelism == 1);
}

}  // namespace
}  // namespace sluice::test
