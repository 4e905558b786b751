#include "engine/bench/operators_bench.hpp"

#include <fmt/format.h>

#include <functional>
#include <memory>

#include "engine/bench/lone_operator.hpp"
#include "engine/bench/operator_loops.hpp"
#include "engine/bench/two_cores.hpp"
#include "operators/builtin/builtin_catalogue.hpp"

namespace sluice {
namespace {

// One line of the comparison: an operator and a loop that do the same to the same input. Both return the
// number of their result rows.
struct Comparison {
  std::string name;
  std::size_t rows = 0;
  std::function<std::uint64_t()> run_operator;
  std::function<std::uint64_t()> run_loop;
  bool same_rows = true;  // the loop counts its results, so that the two can be compared
};

std::shared_ptr<const BoundOperator> bind(const std::string& type_name, const std::string& config_text,
                                          std::vector<Schema> inputs) {
  const OperatorType* type = builtin_catalogue().find(type_name);
  SLUICE_CHECK(type != nullptr);
  const Json config = Json::parse(config_text);
  Problems problems;
  std::shared_ptr<const BoundOperator> bound = type->bind({config, inputs, "bench", "."}, problems);
  SLUICE_CHECK(bound != nullptr, "{}", problems.empty() ? "" : problems[0].message);
  return bound;
}

std::function<std::uint64_t()> over_one_input(std::shared_ptr<const BoundOperator> bound,
                                              std::shared_ptr<OperatorInput> input) {
  return [bound, input] {
    LoneOperator run(*bound);
    for (std::size_t b = 0; b < input->batches(); ++b) {
      run.process(0, input->batch(b));
      run.watermark(input->times()[(b + 1) * OperatorInput::kBatchRows - 1]);
    }
    run.finish();
    return run.rows();
  };
}

std::function<std::uint64_t()> over_two_inputs(std::shared_ptr<const BoundOperator> bound,
                                               std::shared_ptr<OperatorInput> left,
                                               std::shared_ptr<OperatorInput> right) {
  return [bound, left, right] {
    LoneOperator run(*bound);
    for (std::size_t b = 0; b < left->batches(); ++b) {
      run.process(0, left->batch(b));
      run.process(1, right->batch(b));
      run.watermark(left->times()[(b + 1) * OperatorInput::kBatchRows - 1]);
    }
    run.finish();
    return run.rows();
  };
}

constexpr std::size_t kRows = std::size_t{1} << 20;
constexpr std::int64_t kMinuteUs = 60'000'000;

void add_record_by_record(std::vector<Comparison>& list) {
  const auto input = std::make_shared<OperatorInput>(OperatorInput::Shape{.rows = kRows});
  list.push_back({"filter, half of the rows stay", kRows,
                  over_one_input(bind("filter", R"({"where": "v > 499"})", {OperatorInput::schema()}), input),
                  [input] { return loop_filter(*input); }, false});
  list.push_back({"map, two columns computed", kRows,
                  over_one_input(bind("map",
                                      R"({"columns": [{"name": "x", "expr": "v * 3 + 7"},
                                                      {"name": "y", "expr": "f * 1.5"}]})",
                                      {OperatorInput::schema()}),
                                 input),
                  [input] { return loop_map(*input); }, false});
}

// Eight windows of a minute in the whole input; sliding ones slide by ten seconds.
void add_windows(std::vector<Comparison>& list) {
  constexpr std::int64_t kStepUs = 8 * kMinuteUs / static_cast<std::int64_t>(kRows);
  const auto bound = [](const char* window) {
    return bind(
        "window_aggregate",
        fmt::format(R"({{"keys": ["k"], "window": {}, "aggregates": [{{"name": "n", "fn": "count"}}]}})",
                    window),
        {OperatorInput::schema()});
  };
  const auto tumbling = bound(R"({"type": "tumbling", "size": "1m"})");
  const auto sliding = bound(R"({"type": "sliding", "size": "1m", "slide": "10s"})");
  for (const std::uint64_t keys : {10, 100'000, 1'000'000}) {
    for (const KeySpread spread : {KeySpread::uniform, KeySpread::zipf}) {
      const auto input = std::make_shared<OperatorInput>(
          OperatorInput::Shape{.rows = kRows, .keys = keys, .spread = spread, .step_us = kStepUs});
      const std::string of =
          fmt::format("{} keys, {}", keys, spread == KeySpread::uniform ? "uniform" : "Zipf");
      list.push_back({"tumbling count, " + of, kRows, over_one_input(tumbling, input),
                      [input] { return loop_tumbling(*input, kMinuteUs); }});
      list.push_back({"sliding count, " + of, kRows, over_one_input(sliding, input),
                      [input] { return loop_sliding(*input, kMinuteUs, kMinuteUs / 6); }});
    }
  }
}

void add_join(std::vector<Comparison>& list) {
  constexpr std::size_t kSideRows = kRows / 2;
  const auto side = [](std::uint64_t seed) {
    return std::make_shared<OperatorInput>(
        OperatorInput::Shape{.rows = kSideRows, .keys = 10'000, .step_us = 1000, .seed = seed});
  };
  const auto left = side(1), right = side(2);
  // 10,000 rows a side and ten seconds over 10,000 keys: about two partners a row.
  list.push_back({"interval join, 10000 keys, ±10 s", 2 * kSideRows,
                  over_two_inputs(bind("join",
                                       R"({"type": "interval", "kind": "inner", "on": [["k", "k"]],
                                           "within": ["-10s", "10s"]})",
                                       {OperatorInput::schema(), OperatorInput::schema()}),
                                  left, right),
                  [left, right] { return loop_join(*left, *right, 10'000'000); }});
}

double rows_a_second(const std::function<std::uint64_t()>& work, std::size_t rows, std::uint64_t& result) {
  const MonotonicClock clock;
  const TimeNs begun_ns = clock.now_ns();
  result = work();
  return static_cast<double>(rows) * 1e3 / static_cast<double>(clock.now_ns() - begun_ns);
}

}  // namespace

BenchReport bench_operators(double seconds) {
  BenchReport report;
  report.name = "operators";
  report.notes.push_back(
      "one core, rows from memory in batches of 1024; loop: the same work by hand over arrays, without "
      "nulls, "
      "checks, late records");
  pin_to_core(0);
  std::vector<Comparison> list;
  add_record_by_record(list);
  add_windows(list);
  add_join(list);
  for (const Comparison& c : list) {
    report.rows.push_back({c.name, "operator", "million rows/s", {}});
    report.rows.push_back({c.name, "loop", "million rows/s", {}});
    report.rows.push_back({c.name, "loop ÷ operator", "", {}});
  }
  const MonotonicClock clock;
  const TimeNs until_ns = clock.now_ns() + static_cast<TimeNs>(seconds * kNsPerSecond);
  do {
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::uint64_t by_operator = 0, by_loop = 0;
      const double rate = rows_a_second(list[i].run_operator, list[i].rows, by_operator);
      const double loop_rate = rows_a_second(list[i].run_loop, list[i].rows, by_loop);
      SLUICE_CHECK(!list[i].same_rows || by_operator == by_loop, "{}: {} result rows, the loop has {}",
                   list[i].name, by_operator, by_loop);
      report.rows[3 * i].samples.add(rate);
      report.rows[3 * i + 1].samples.add(loop_rate);
      report.rows[3 * i + 2].samples.add(loop_rate / rate);
    }
  } while (clock.now_ns() < until_ns || report.rows[0].samples.count() < 3);
  return report;
}

}  // namespace sluice
