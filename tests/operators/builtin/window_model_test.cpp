#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "operators/builtin/event_time.hpp"
#include "operators/builtin/window_aggregate.hpp"
#include "tests/operators/operator_harness.hpp"

// Tumbling windows against a model that takes one record at a time and keeps all of them.
namespace sluice::test {
namespace {

const Schema kRaw({{"t", Type::timestamp}, {"k", Type::string}, {"v", Type::int64}, {"x", Type::float64}});
const Schema kTimed({{"t", Type::timestamp}, {"k", Type::string}, {"v", Type::int64}, {"x", Type::float64}},
                    true);

struct Trial {
  std::int64_t size, offset, lateness, bound;
};

std::int64_t floor_to(std::int64_t t, std::int64_t size, std::int64_t offset) {
  std::int64_t start = (t - offset) / size * size + offset;
  return start > t ? start - size : start;
}

// What the operator should give: results, and the late records.
struct Expected {
  std::vector<Row> out, late;
};

Row aggregate(const std::vector<Row>& rows) {
  std::int64_t values = 0, sum = 0, large = 0;
  double sum_x = 0, count_x = 0;
  Value first, last, smallest, largest_k;
  for (const Row& r : rows) {
    if (const auto* v = std::get_if<std::int64_t>(&r[2])) {
      ++values;
      sum += *v;
      large += *v > 3;
      if (first == Value(kNull)) first = *v;
      last = *v;
      if (smallest == Value(kNull) || *v < std::get<std::int64_t>(smallest)) smallest = *v;
    }
    if (const auto* x = std::get_if<double>(&r[3])) sum_x += *x, ++count_x;
    if (r[1] != Value(kNull) && (largest_k == Value(kNull) || r[1] > largest_k)) largest_k = r[1];
  }
  return {static_cast<std::int64_t>(rows.size()),
          values,
          values > 0 ? Value(sum) : kNull,
          values > 0 ? Value(static_cast<double>(sum) / static_cast<double>(values)) : kNull,
          large,
          first,
          last,
          smallest,
          largest_k,
          count_x > 0 ? Value(sum_x) : kNull,
          count_x > 0 ? Value(sum_x / count_x) : kNull};
}

Expected model(const Trial& trial, const std::vector<Row>& rows) {
  Expected expected;
  std::map<std::pair<std::int64_t, Value>, std::vector<Row>> groups;
  std::int64_t watermark = kWatermarkNone;
  for (const Row& r : rows) {
    const std::int64_t t = std::get<std::int64_t>(r[0]);
    const std::int64_t start = floor_to(t, trial.size, trial.offset);
    if (start + trial.size + trial.lateness <= watermark) {
      expected.late.push_back({r[0], r[1], r[2], r[3], t, watermark});
    } else {
      groups[{start, r[1]}].push_back(r);
    }
    watermark = std::max(watermark, t - trial.bound);
  }
  for (const auto& [group, members] : groups) {
    const std::int64_t end = group.first + trial.size;
    Row out = {group.first, end, group.second};
    for (const Value& v : aggregate(members)) out.push_back(v);
    out.push_back(end - 1);
    out.push_back(end - 1);
    expected.out.push_back(std::move(out));
  }
  return expected;
}

std::unique_ptr<BoundOperator> bind_trial(const Trial& trial) {
  const Json aggregates =
      Json::parse(R"([{"name": "n", "fn": "count"}, {"name": "c", "fn": "count", "expr": "v"},
    {"name": "s", "fn": "sum", "expr": "v"}, {"name": "a", "fn": "avg", "expr": "v"}, {"name": "large", "fn": "count", "where": "v > 3"},
    {"name": "f", "fn": "first", "expr": "v"}, {"name": "l", "fn": "last", "expr": "v"}, {"name": "lo", "fn": "min", "expr": "v"},
    {"name": "hi", "fn": "max", "expr": "k"}, {"name": "sx", "fn": "sum", "expr": "x"}, {"name": "ax", "fn": "avg", "expr": "x"}])");
  const Json window = {{"type", "tumbling"},
                       {"size", fmt::format("{}us", trial.size)},
                       {"offset", fmt::format("{}us", trial.offset)}};
  return bind_config(window_aggregate_type(),
                     {{"keys", {"k"}},
                      {"window", window},
                      {"aggregates", aggregates},
                      {"allowed_lateness", fmt::format("{}us", trial.lateness)}},
                     {kTimed});
}

// Halves, so that every sum is exact and the model may add in any order.
Value random_value(int kind, int number) {
  if (kind == 0) return kNull;
  return static_cast<double>(number) / 2;
}

TEST_CASE("Tumbling windows give what the model gives, whatever the times, keys, nulls and batches") {
  CHECK(rc::check("windows against the model", [] {
    Trial trial;
    trial.size = *rc::gen::inRange(1, 40);
    trial.offset = *rc::gen::inRange<std::int64_t>(0, trial.size);
    trial.lateness = *rc::gen::element(0, 0, 1, 7, 100);
    trial.bound = *rc::gen::inRange(0, 50);
    const auto seeds = *rc::gen::container<std::vector<std::tuple<int, int, int, int>>>(rc::gen::tuple(
        rc::gen::inRange(-60, 60), rc::gen::inRange(0, 4), rc::gen::inRange(-9, 10), rc::gen::inRange(0, 3)));
    std::vector<Row> rows;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const auto [jitter, k, v, kind] = seeds[i];
      const std::int64_t t = static_cast<std::int64_t>(i) * 2 - 100 + jitter;
      rows.push_back({t, k == 0 ? Value(kNull) : Value("k" + std::to_string(k)),
                      v == 9 ? Value(kNull) : Value(static_cast<std::int64_t>(v)),
                      random_value(kind, v * 3 + k)});
    }
    const auto time =
        bind_config(event_time_type(),
                    {{"column", "t"}, {"max_out_of_orderness", fmt::format("{}us", trial.bound)}}, {kRaw});
    const auto window = bind_trial(trial);
    const auto batch_rows = static_cast<std::size_t>(*rc::gen::element(1, 2, 3, 7, 1000));
    const auto outcome = run(*window, run(*time, stream_of(rows, batch_rows), kRaw).out, kTimed);
    const Expected expected = model(trial, rows);
    RC_ASSERT(row_multiset(outcome.rows()) == row_multiset(expected.out));
    RC_ASSERT(row_texts(outcome.rows(1)) == row_texts(expected.late));
    RC_ASSERT(outcome.late == expected.late.size());
    RC_ASSERT(outcome.bad.empty());
    const auto starts_before = [](const Row& a, const Row& b) {
      return std::get<std::int64_t>(a[0]) < std::get<std::int64_t>(b[0]);
    };
    const auto out_rows = outcome.rows();
    RC_ASSERT(std::is_sorted(out_rows.begin(), out_rows.end(), starts_before));
  }));
}

TEST_CASE("Sums and averages of doubles are the same to the last bit in any order") {
  const auto window =
      bind_config(window_aggregate_type(), Json::parse(R"({"window": {"type": "global"}, "aggregates": [
      {"name": "s", "fn": "sum", "expr": "x"}, {"name": "a", "fn": "avg", "expr": "x"}]})"),
                  {kRaw});
  CHECK(rc::check("shuffled sums", [&] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::vector<Row> rows;
    for (int i = 0; i < 500; ++i) {
      const double x = std::ldexp(static_cast<double>(random()) - 0x1p63, -static_cast<int>(random() % 60));
      rows.push_back({std::int64_t{0}, kNull, kNull, x});
    }
    const auto once = row_texts(run(*window, stream_of(rows), kRaw).rows());
    std::shuffle(rows.begin(), rows.end(), random);
    RC_ASSERT(row_texts(run(*window, stream_of(rows, 64), kRaw).rows()) == once);
  }));
}

}  // namespace
}  // namespace sluice::test
