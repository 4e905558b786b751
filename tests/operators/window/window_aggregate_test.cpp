#include "operators/window/window_aggregate.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "operators/builtin/event_time.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
const Schema kRaw({{"t", Type::timestamp}, {"k", Type::string}, {"v", Type::int64}});
const Schema kTimed({{"t", Type::timestamp}, {"k", Type::string}, {"v", Type::int64}}, true);

std::unique_ptr<BoundOperator> bind_window(const std::string& config, const Schema& input = kTimed) {
  return bind_config(window_aggregate_type(), Json::parse(config), {input});
}

// Rows through event_time, then through the window; `bound` is max_out_of_orderness.
RunOutcome run_timed(const BoundOperator& window, const std::vector<Row>& rows, const char* bound = "0s",
                     std::size_t batch_rows = SIZE_MAX) {
  const auto time =
      bind_config(event_time_type(), {{"column", "t"}, {"max_out_of_orderness", bound}}, {kRaw});
  return run(window, run(*time, stream_of(rows, batch_rows), kRaw).out, kTimed);
}

Row row(std::int64_t t, Value k = "a", Value v = std::int64_t{1}) { return {t, std::move(k), std::move(v)}; }

// Without the event time that travels along.
std::vector<std::string> visible(const std::vector<Row>& rows) {
  std::vector<std::string> texts;
  for (const Row& r : rows) texts.push_back(row_text({r.begin(), r.end() - 2}));
  return texts;
}

constexpr const char* kCountPerMinute =
    R"({"window": {"type": "tumbling", "size": "1m"}, "aggregates": [{"name": "n", "fn": "count"}]})";

TEST_CASE("Times before 1970 floor towards the past") {
  const auto window = bind_window(kCountPerMinute);
  const std::vector<Row> rows = {row(-1000), row(-60'000'000), row(-60'001'000), row(0), row(59'999'000)};
  const auto outcome = run_timed(*window, rows, "1d");
  CHECK(visible(outcome.rows()) ==
        std::vector<std::string>{"-120000000 -60000000 1", "-60000000 0 2", "0 60000000 2"});
}

TEST_CASE("An offset moves the windows") {
  const auto window = bind_window(
      R"({"window": {"type": "tumbling", "size": "1d", "offset": "6h"}, "aggregates": [{"name": "n", "fn": "count"}]})");
  const std::int64_t hour = 3600 * kSecond;
  const auto outcome =
      run_timed(*window, {row(5 * hour), row(6 * hour), row(29 * hour), row(30 * hour)}, "7d");
  CHECK(visible(outcome.rows()) == std::vector<std::string>{fmt::format("{} {} 1", -18 * hour, 6 * hour),
                                                            fmt::format("{} {} 2", 6 * hour, 30 * hour),
                                                            fmt::format("{} {} 1", 30 * hour, 54 * hour)});
}

TEST_CASE("A record is late if its window was complete before it, and goes to late as it came") {
  const auto window = bind_window(kCountPerMinute);
  const std::vector<Row> rows = {row(59 * kSecond), row(60 * kSecond), row(59 * kSecond, "late"),
                                 row(61 * kSecond)};
  for (const std::size_t batch_rows : {1, 2, 4}) {
    const auto outcome = run_timed(*window, rows, "0s", batch_rows);
    CHECK(visible(outcome.rows()) == std::vector<std::string>{"0 60000000 1", "60000000 120000000 2"});
    CHECK(row_texts(outcome.rows(1)) == std::vector<std::string>{"59000000 'late' 1 59000000 60000000"});
    CHECK(outcome.late == 1);
  }
}

TEST_CASE("Allowed lateness keeps a window open for longer, to the microsecond, and it is emitted once") {
  const auto window = bind_window(R"({"window": {"type": "tumbling", "size": "1m"}, "allowed_lateness": "10s",
                                      "aggregates": [{"name": "n", "fn": "count"}]})");
  const std::vector<Row> rows = {row(1), row(70 * kSecond - 1), row(2), row(70 * kSecond), row(3)};
  const auto outcome = run_timed(*window, rows, "0s", 1);
  CHECK(visible(outcome.rows()) == std::vector<std::string>{"0 60000000 2", "60000000 120000000 2"});
  CHECK(outcome.late == 1);
}

TEST_CASE("The event-time watermark of the results is behind by the allowed lateness") {
  const auto window = bind_window(R"({"window": {"type": "tumbling", "size": "1m"}, "allowed_lateness": "10s",
                                      "aggregates": [{"name": "n", "fn": "count"}]})");
  const auto op = window->create();
  CHECK(op->passed_on(70 * kSecond) == 60 * kSecond);
  CHECK(op->passed_on(kWatermarkNone) == kWatermarkNone);
  CHECK(op->passed_on(kWatermarkEnd) == kWatermarkEnd);
  CHECK(op->passed_on(INT64_MIN + 5) == INT64_MIN + 1);
}

TEST_CASE("Windows come as the event-time watermark passes their end, not only at the end of the input") {
  const auto window = bind_window(kCountPerMinute);
  Driver driver(*window);
  driver.rows(kTimed, {{std::int64_t{5}, "a", std::int64_t{1}, std::int64_t{5}, kWatermarkNone}});
  driver.watermark(60 * kSecond - 1);
  CHECK(rows_of(driver.out()).empty());
  driver.watermark(60 * kSecond);
  CHECK(rows_of(driver.take()).size() == 1);
  driver.watermark(kWatermarkEnd);
  driver.finish();
  CHECK(rows_of(driver.take()).empty());
}

TEST_CASE("Two far-apart times are two windows, and the empty ones between cost nothing") {
  const auto window = bind_window(
      R"({"window": {"type": "tumbling", "size": "1s"}, "aggregates": [{"name": "n", "fn": "count"}]})");
  const auto outcome = run_timed(*window, {row(1), row(1'700'000'000'000'000'000)});
  CHECK(outcome.rows().size() == 2);
  CHECK(outcome.calls < 10);
}

TEST_CASE("One record far ahead makes the honest ones late, and every one of them is counted") {
  const auto window = bind_window(kCountPerMinute);
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < 1000; ++i) rows.push_back(row(i * 1000 + (i == 10 ? 86'400 * kSecond : 0)));
  const auto outcome = run_timed(*window, rows);
  CHECK(outcome.late == 989);
  CHECK(outcome.rows(1).size() == 989);
  CHECK(visible(outcome.rows()) == std::vector<std::string>{"0 60000000 10", "86400000000 86460000000 1"});
}

TEST_CASE("The ends of time stay in range") {
  const auto window = bind_window(kCountPerMinute);
  const auto outcome =
      run_timed(*window, {row(INT64_MIN), row(INT64_MIN + 1), row(0), row(INT64_MAX), row(INT64_MAX - 1)});
  std::int64_t counted = static_cast<std::int64_t>(outcome.late);
  for (const Row& r : outcome.rows()) {
    CHECK(std::get<std::int64_t>(r[0]) <= std::get<std::int64_t>(r[1]));
    counted += std::get<std::int64_t>(r[2]);
  }
  CHECK(counted == 5);
}

TEST_CASE("Null is a key, and keys of several columns of any type stay apart") {
  const Schema input({{"a", Type::string}, {"b", Type::int64}, {"c", Type::float64}, {"d", Type::boolean}});
  const auto window = bind_window(
      R"({"keys": ["a", "b", "c", "d"], "window": {"type": "global"}, "aggregates": [{"name": "n", "fn": "count"}]})",
      input);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Row> rows = {{"x", std::int64_t{1}, 0.0, true}, {"x", std::int64_t{1}, -0.0, true},
                                 {"", std::int64_t{1}, 0.0, true},  {kNull, std::int64_t{1}, 0.0, true},
                                 {kNull, kNull, nan, kNull},        {kNull, kNull, -nan, kNull},
                                 {kNull, kNull, kNull, false}};
  const auto outcome = run(*window, stream_of(rows, 2), input);
  CHECK(row_texts(outcome.rows()) == std::vector<std::string>{"'x' 1 0.0 true 2", "'' 1 0.0 true 1",
                                                              "null 1 0.0 true 1", "null null nan null 2",
                                                              "null null null false 1"});
}

TEST_CASE("A lone key column of each type groups, null included") {
  struct Keys {
    Type type;
    std::vector<Value> values;
    std::vector<std::string> expected;
  };
  const Keys all[] = {{Type::int64, {std::int64_t{0}, kNull, std::int64_t{0}, kNull}, {"0 2", "null 2"}},
                      {Type::string, {"", kNull, "", "a"}, {"'' 2", "null 1", "'a' 1"}},
                      {Type::boolean, {false, kNull, true, false}, {"false 2", "null 1", "true 1"}},
                      {Type::float64, {0.0, -0.0, kNull, 1.5}, {"0.0 2", "null 1", "1.5 1"}}};
  for (const Keys& keys : all) {
    const Schema input({{"k", keys.type}});
    const auto window = bind_window(
        R"({"keys": ["k"], "window": {"type": "global"}, "aggregates": [{"name": "n", "fn": "count"}]})",
        input);
    std::vector<Row> rows;
    for (const Value& v : keys.values) rows.push_back({v});
    CHECK(row_texts(run(*window, stream_of(rows), input).rows()) == keys.expected);
  }
}

TEST_CASE("Aggregates pass over nulls: sum and the like of nothing are null, a count is 0") {
  const auto window = bind_window(R"({"window": {"type": "global"}, "aggregates": [
      {"name": "n", "fn": "count"}, {"name": "c", "fn": "count", "expr": "v"}, {"name": "s", "fn": "sum", "expr": "v"},
      {"name": "a", "fn": "avg", "expr": "v"}, {"name": "lo", "fn": "min", "expr": "v"}, {"name": "hi", "fn": "max", "expr": "k"},
      {"name": "f", "fn": "first", "expr": "k"}, {"name": "l", "fn": "last", "expr": "v"}]})",
                                  kRaw);
  CHECK(row_texts(run(*window, {}, kRaw).rows()) ==
        std::vector<std::string>{"0 0 null null null null null null"});
  const std::vector<Row> nulls = {row(1, kNull, kNull), row(2, kNull, kNull)};
  CHECK(row_texts(run(*window, stream_of(nulls), kRaw).rows()) ==
        std::vector<std::string>{"2 0 null null null null null null"});
  const std::vector<Row> some = {row(1, kNull, std::int64_t{5}), row(2, "m", kNull),
                                 row(3, "z", std::int64_t{-2}), row(4, "b", kNull)};
  CHECK(row_texts(run(*window, stream_of(some), kRaw).rows()) ==
        std::vector<std::string>{"4 2 3 1.5 -2 'z' 'm' -2"});
}

TEST_CASE("With keys and no record a global window gives nothing") {
  const auto window = bind_window(
      R"({"keys": ["k"], "window": {"type": "global"}, "aggregates": [{"name": "n", "fn": "count"}]})", kRaw);
  CHECK(run(*window, {}, kRaw).out.empty());
}

TEST_CASE("A condition of an aggregate leaves records out of it alone, and their errors too") {
  const auto window =
      bind_window(R"({"window": {"type": "global"}, "aggregates": [{"name": "n", "fn": "count"},
      {"name": "c", "fn": "count", "where": "v > 2"}, {"name": "s", "fn": "sum", "expr": "v * 4", "where": "v < 10"}]})",
                  kRaw);
  const std::vector<Row> rows = {row(1, "a", std::int64_t{1}), row(1, "a", std::int64_t{3}),
                                 row(1, "a", kNull), row(1, "a", INT64_MAX)};
  const auto outcome = run(*window, stream_of(rows), kRaw);
  CHECK(row_texts(outcome.rows()) == std::vector<std::string>{"4 2 16"});
  CHECK(outcome.bad.empty());
}

TEST_CASE("A record whose expression fails counts for no aggregate and is one bad record") {
  const auto window =
      bind_window(R"({"window": {"type": "global"}, "aggregates": [{"name": "n", "fn": "count"},
      {"name": "s", "fn": "sum", "expr": "v + 1"}, {"name": "d", "fn": "sum", "expr": "v * 2"}]})",
                  kRaw);
  const auto outcome = run(*window, stream_of({row(1, "a", INT64_MAX), row(1, "b", std::int64_t{1})}), kRaw);
  CHECK(row_texts(outcome.rows()) == std::vector<std::string>{"1 2 2"});
  CHECK(outcome.bad.at("integer_overflow") == 1);
  CHECK(outcome.rows(2).size() == 1);
}

TEST_CASE("A late record whose expression would fail is late, not bad") {
  const auto window = bind_window(R"({"window": {"type": "tumbling", "size": "1m"},
      "aggregates": [{"name": "s", "fn": "sum", "expr": "v + 1"}]})");
  const auto outcome =
      run_timed(*window, {row(60 * kSecond), row(0, "a", INT64_MAX), row(61 * kSecond, "b", INT64_MAX)});
  CHECK(outcome.late == 1);
  CHECK(outcome.bad.at("integer_overflow") == 1);
}

TEST_CASE(
    "An integer sum may leave 64 bits on the way; if it ends outside it is null and a bad record that names "
    "the key") {
  const auto window = bind_window(
      R"({"keys": ["k"], "window": {"type": "tumbling", "size": "1m"}, "aggregates": [{"name": "s", "fn": "sum", "expr": "v"}]})");
  const std::vector<Row> rows = {row(1, "back", INT64_MAX), row(1, "back", std::int64_t{5}),
                                 row(1, "back", std::int64_t{-6}), row(1, "out", INT64_MIN),
                                 row(1, "out", std::int64_t{-1})};
  const auto outcome = run_timed(*window, rows);
  CHECK(visible(outcome.rows()) ==
        std::vector<std::string>{"0 60000000 'back' 9223372036854775806", "0 60000000 'out' null"});
  CHECK(outcome.bad.at("integer_overflow") == 1);
  REQUIRE(outcome.rows(2).size() == 1);
  const auto message = std::get<std::string>(outcome.rows(2)[0][3]);
  CHECK(message.find("\"s\"") != std::string::npos);
  CHECK(message.find("1970-01-01T00:00:00Z") != std::string::npos);
  CHECK(message.find("out") != std::string::npos);
}

TEST_CASE("min and max order NaN above all numbers, whatever comes first") {
  const Schema input({{"x", Type::float64}});
  const auto window = bind_window(
      R"({"window": {"type": "global"}, "aggregates": [{"name": "lo", "fn": "min", "expr": "x"}, {"name": "hi", "fn": "max", "expr": "x"}]})",
      input);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(row_texts(run(*window, stream_of({{nan}, {1.0}, {-2.0}}), input).rows()) ==
        std::vector<std::string>{"-2.0 nan"});
  CHECK(row_texts(run(*window, stream_of({{1.0}, {-2.0}, {nan}}), input).rows()) ==
        std::vector<std::string>{"-2.0 nan"});
  CHECK(row_texts(run(*window, stream_of({{0.0}, {-0.0}}), input).rows()) ==
        std::vector<std::string>{"-0.0 0.0"});
  CHECK(row_texts(run(*window, stream_of({{-0.0}, {0.0}}), input).rows()) ==
        std::vector<std::string>{"-0.0 0.0"});
}

TEST_CASE(
    "Results carry an event time inside their window, so that a window over windows takes none as late") {
  const auto minutes =
      bind_window(R"({"keys": ["k"], "window": {"type": "tumbling", "size": "1m"}, "allowed_lateness": "5s",
      "aggregates": [{"name": "n", "fn": "count"}]})");
  const auto hours = bind_window(R"({"window": {"type": "tumbling", "size": "1h"}, "aggregates": [
      {"name": "groups", "fn": "count"}, {"name": "n", "fn": "sum", "expr": "n"}]})",
                                 minutes->output_schemas()[0]);
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < 5000; ++i) rows.push_back(row(i * 7 * kSecond, i % 3 == 0 ? "a" : "b"));
  const auto inner = run_timed(*minutes, rows, "0s", 100);
  const auto outer = run(*hours, inner.out, minutes->output_schemas()[0]);
  CHECK(outer.late == 0);
  std::int64_t n = 0, groups = 0;
  for (const Row& r : outer.rows()) {
    groups += std::get<std::int64_t>(r[2]);
    n += std::get<std::int64_t>(r[3]);
  }
  CHECK(n == 5000);
  CHECK(groups == static_cast<std::int64_t>(inner.rows().size()));
  CHECK(outer.rows().size() == 10);
  // They come as the hours end, not all at the end.
  const auto first =
      std::find_if(outer.out.begin(), outer.out.end(), [](const Event& e) { return !e.rows.empty(); });
  CHECK(first->rows.size() == 1);
}

TEST_CASE("Many groups come in batches of bounded size, in the order in which they came in") {
  const auto window = bind_window(
      R"({"keys": ["k"], "window": {"type": "tumbling", "size": "1m"}, "aggregates": [{"name": "n", "fn": "count"}]})");
  std::vector<Row> rows;
  for (int i = 0; i < 5000; ++i) rows.push_back(row(i, fmt::format("k{}", i * 7919 % 5000)));
  const auto outcome = run_timed(*window, rows, "0s", 1000);
  CHECK(outcome.rows().size() == 5000);
  CHECK(outcome.rows()[1][2] == Value("k2919"));
  std::size_t batches = 0;
  for (const Event& e : outcome.out) {
    CHECK(e.rows.size() <= kTargetBatchRows);
    batches += !e.rows.empty();
  }
  CHECK(batches == 5);
}

TEST_CASE("Large results are cut by their bytes") {
  const auto window = bind_window(
      R"({"keys": ["k"], "window": {"type": "tumbling", "size": "1m"}, "aggregates": [{"name": "m", "fn": "max", "expr": "k"}]})");
  std::vector<Row> rows;
  for (int i = 0; i < 100; ++i) rows.push_back(row(i, std::string(20'000, 'x') + std::to_string(i)));
  const auto outcome = run_timed(*window, rows);
  CHECK(outcome.rows().size() == 100);
  for (const Event& e : outcome.out) CHECK(e.rows.size() <= 8);
}

TEST_CASE("Groups of closed windows leave room for the next, over many windows and keys") {
  const auto window = bind_window(
      R"({"keys": ["k"], "window": {"type": "tumbling", "size": "1s"}, "aggregates": [
      {"name": "n", "fn": "count"}, {"name": "m", "fn": "min", "expr": "k"}, {"name": "s", "fn": "sum", "expr": "v"}]})");
  std::vector<Row> rows;
  // One window with very many groups, then many with few: the table shrinks and goes on.
  for (int i = 0; i < 40'000; ++i) rows.push_back(row(0, fmt::format("k{}", i)));
  for (int i = 1; i < 2'000; ++i) rows.push_back(row(i * 300'000, fmt::format("k{}", i % 7)));
  const auto outcome = run_timed(*window, rows, "2s", 997);
  std::int64_t n = 0;
  for (const Row& r : outcome.rows()) {
    n += std::get<std::int64_t>(r[3]);
    CHECK(r[2] == r[4]);
    CHECK(r[3] == r[5]);
  }
  CHECK(n == 41'999);
}

TEST_CASE("Traits tell the planner about keys, tasks and order") {
  const auto keyed = bind_window(
      R"({"keys": ["k"], "window": {"type": "global"}, "aggregates": [{"name": "f", "fn": "first", "expr": "v"}]})",
      kRaw);
  CHECK(keyed->traits().keys == std::vector<std::string>{"k"});
  CHECK(keyed->traits().max_parallelism == 0);
  CHECK(keyed->traits().order_sensitive);
  const auto plain = bind_window(kCountPerMinute);
  CHECK(plain->traits().max_parallelism == 1);
  CHECK_FALSE(plain->traits().order_sensitive);
}

TEST_CASE("The output of tumbling windows has event time, that of a global one has not") {
  CHECK(
      bind_window(kCountPerMinute)->output_schemas()[0] ==
      Schema({{"window_start", Type::timestamp}, {"window_end", Type::timestamp}, {"n", Type::int64}}, true));
  const auto global =
      bind_window(R"({"window": {"type": "global"}, "aggregates": [{"name": "n", "fn": "count"}]})");
  CHECK(global->output_schemas()[0] == Schema({{"n", Type::int64}}));
  CHECK(global->create()->passed_on(5) == kWatermarkNone);
}

TEST_CASE("Windows that make no sense are refused, each at its place") {
  const char* tumbling = R"("window": {"type": "tumbling", "size": "1m"})";
  const auto with = [&](const std::string& rest) { return "{" + std::string(tumbling) + ", " + rest + "}"; };
  const std::string count = R"("aggregates": [{"name": "n", "fn": "count"}])";
  const std::pair<std::string, const char*> bad[] = {
      {R"({"window": {"type": "hopping", "size": "1m", "slide": "1s"}, )" + count + "}",
       "/window/type [bad_value]"},
      {R"({"window": {"type": "sliding", "size": "1m"}, )" + count + "}", "/window [missing_field]"},
      {R"({"window": {"type": "sliding", "size": "1m", "slide": "0s"}, )" + count + "}",
       "/window/slide [out_of_range]"},
      {R"({"window": {"type": "sliding", "size": "2s", "slide": "1us"}, )" + count + "}",
       "/window/slide [out_of_range]"},
      {R"({"window": {"type": "session", "gap": "0s"}, )" + count + "}", "/window/gap [out_of_range]"},
      {R"({"window": {"type": "session", "gap": "1s", "max_length": "0s"}, )" + count + "}",
       "/window/max_length [out_of_range]"},
      {R"({"window": {"type": "count", "size": 0}, )" + count + "}", "/window/size [out_of_range]"},
      {R"({"window": {"type": "count", "size": "5s"}, )" + count + "}", "/window/size [wrong_type]"},
      {R"({"window": {"type": "count", "size": 5}, "allowed_lateness": "1s", )" + count + "}",
       "/allowed_lateness [bad_value]"},
      {R"({"window": {"type": "global", "emit_every": "0s"}, )" + count + "}",
       "/window/emit_every [out_of_range]"},
      {R"({"window": {"type": "tumbling"}, )" + count + "}", "/window [missing_field]"},
      {R"({"window": {"type": "tumbling", "size": "0s"}, )" + count + "}", "/window/size [out_of_range]"},
      {R"({"window": {"type": "tumbling", "size": "1m", "offset": "1m"}, )" + count + "}",
       "/window/offset [out_of_range]"},
      {R"({"window": {"type": "global", "size": "1m"}, )" + count + "}", "/window/size [unknown_field]"},
      {R"({"window": {"type": "global"}, "allowed_lateness": "1s", )" + count + "}",
       "/allowed_lateness [bad_value]"},
      {with(R"("keys": ["zz"], )" + count), "/keys/0 [unknown_column]"},
      {with(R"("keys": ["k"], "aggregates": [{"name": "k", "fn": "count"}])"),
       "/aggregates/0/name [duplicate_name]"},
      {with(R"("aggregates": [{"name": "window_end", "fn": "count"}])"),
       "/aggregates/0/name [duplicate_name]"},
      {with(R"("aggregates": [{"name": "a", "fn": "median", "expr": "v"}])"), "/aggregates/0/fn [bad_value]"},
      {with(R"("aggregates": [{"name": "a", "fn": "sum"}])"), "/aggregates/0 [missing_field]"},
      {with(R"("aggregates": [{"name": "a", "fn": "sum", "expr": "k"}])"),
       "/aggregates/0/expr [type_mismatch]"},
      {with(R"("aggregates": [{"name": "a", "fn": "avg", "expr": "t"}])"),
       "/aggregates/0/expr [type_mismatch]"},
      {with(R"("aggregates": [{"name": "a", "fn": "count", "where": "v"}])"),
       "/aggregates/0/where [type_mismatch]"},
      {with(R"("aggregates": [])"), "/aggregates [out_of_range]"},
  };
  for (const auto& [config, problem] : bad) {
    CAPTURE(config);
    const auto problems = problems_of(window_aggregate_type(), Json::parse(config), {kTimed});
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].substr(0, std::string(problem).size()) == problem);
  }
  // As many windows a record as are allowed.
  CHECK(problems_of(window_aggregate_type(),
                    Json::parse(R"({"window": {"type": "sliding", "size": "1s", "slide": "1us"},
      "aggregates": [{"name": "n", "fn": "count"}]})"),
                    {kTimed})
            .empty());
  CHECK(problems_of(window_aggregate_type(), Json::parse(kCountPerMinute), {kRaw})
            .at(0)
            .starts_with("/window [event_time_missing]"));
}

}  // namespace
}  // namespace sluice::test
