// Ways in which event time has gone wrong elsewhere, each as a graph from a file to a file.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/engine/graph_run.hpp"

namespace sluice {
namespace {

using Lines = std::vector<std::string>;

// Reads `in.csv` with a column t of milliseconds, runs `operators` (from event time `time` on, named `x`, to
// `out.csv`), late records to `late.csv` if the operator has that port.
std::string graph(const TemporaryFolder& folder, const std::string& out_of_orderness, const std::string& type,
                  const std::string& config, bool late_port = true) {
  return fmt::format(
      R"({{"name": "trial", "operators": [
    {{"id": "in", "type": "file_source", "config": {{"path": "{0}", "format": "csv",
      "schema": [{{"name": "t", "type": "timestamp", "format": "epoch_ms"}}, {{"name": "k", "type": "string"}}]}}}},
    {{"id": "time", "type": "event_time", "config": {{"column": "t", "max_out_of_orderness": "{1}"}}}},
    {{"id": "x", "type": "{2}", "config": {3}}},
    {{"id": "out", "type": "file_sink", "config": {{"path": "{4}", "format": "csv"}}}}{5}],
    "edges": [{{"from": "in", "to": "time"}}, {{"from": "time", "to": "x"}}, {{"from": "x", "to": "out"}}{6}]}})",
      folder.path("in.csv"), out_of_orderness, type, config, folder.path("out.csv"),
      late_port
          ? fmt::format(
                R"(, {{"id": "late", "type": "file_sink", "config": {{"path": "{}", "format": "csv"}}}})",
                folder.path("late.csv"))
          : "",
      late_port ? R"(, {"from": "x.late", "to": "late"})" : "");
}

std::string csv(const std::vector<std::int64_t>& times_ms) {
  std::string text = "t,k\n";
  for (const std::int64_t t : times_ms) text += fmt::format("{},a\n", t);
  return text;
}

GraphRun run_clean(const std::string& json, const PlanOptions& options = {}) {
  GraphRun run = run_graph_text(json, options);
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.differences == Lines{});
  return run;
}

constexpr const char* kCount = R"("aggregates": [{"name": "n", "fn": "count"}])";

std::string window(const std::string& of) { return fmt::format(R"({{"window": {}, {}}})", of, kCount); }

// A source without end in this test, whose event time is the expression `time` of the columns i (a sequence)
// and noise, counted in windows.
std::string endless(const std::string& time, const std::string& window_of) {
  return fmt::format(
      R"json({{"name": "endless", "operators": [
    {{"id": "in", "type": "generator", "config": {{"count": 4000000000, "columns": [
      {{"name": "i", "type": "int64", "gen": "sequence"}},
      {{"name": "noise", "type": "int64", "gen": "uniform", "min": -300, "max": 300}}]}}}},
    {{"id": "when", "type": "map", "config": {{"columns": [{{"name": "t", "expr": "from_epoch_ms({})"}}]}}}},
    {{"id": "time", "type": "event_time", "config": {{"column": "t", "max_out_of_orderness": "1s"}}}},
    {{"id": "x", "type": "window_aggregate", "config": {}}},
    {{"id": "out", "type": "null_sink"}}],
    "edges": [{{"from": "in", "to": "when"}}, {{"from": "when", "to": "time"}}, {{"from": "time", "to": "x"}},
              {{"from": "x", "to": "out"}}]}})json",
      time, window(window_of));
}

}  // namespace

// B01
TEST_CASE("times before 1970 lie in the window that begins before them, in every kind of window") {
  const TemporaryFolder folder;
  folder.write("in.csv", csv({-1, -60'000, -60'001, 0, 59'999}));
  run_clean(graph(folder, "1h", "window_aggregate", window(R"({"type": "tumbling", "size": "60s"})")));
  CHECK(folder.read("out.csv") ==
        "window_start,window_end,n\n"
        "1969-12-31T23:58:00Z,1969-12-31T23:59:00Z,1\n"
        "1969-12-31T23:59:00Z,1970-01-01T00:00:00Z,2\n"
        "1970-01-01T00:00:00Z,1970-01-01T00:01:00Z,2\n");
  run_clean(graph(folder, "1h", "window_aggregate",
                  window(R"({"type": "sliding", "size": "60s", "slide": "30s"})")));
  CHECK(folder.read("out.csv") ==
        "window_start,window_end,n\n"
        "1969-12-31T23:58:00Z,1969-12-31T23:59:00Z,1\n"
        "1969-12-31T23:58:30Z,1969-12-31T23:59:30Z,2\n"
        "1969-12-31T23:59:00Z,1970-01-01T00:00:00Z,2\n"
        "1969-12-31T23:59:30Z,1970-01-01T00:00:30Z,2\n"
        "1970-01-01T00:00:00Z,1970-01-01T00:01:00Z,2\n"
        "1970-01-01T00:00:30Z,1970-01-01T00:01:30Z,1\n");
  run_clean(graph(folder, "1h", "window_aggregate", window(R"({"type": "session", "gap": "59s"})")));
  CHECK(folder.read("out.csv") ==
        "window_start,window_end,n\n"
        "1969-12-31T23:58:59.999Z,1969-12-31T23:59:59Z,2\n"
        "1969-12-31T23:59:59.999Z,1970-01-01T00:00:59Z,2\n"
        "1970-01-01T00:00:59.999Z,1970-01-01T00:01:58.999Z,1\n");
  run_clean(graph(folder, "1h", "over", fmt::format(R"({{"keys": ["k"], "range": "60s", {}}})", kCount)));
  CHECK(folder.read("out.csv") ==
        "t,k,n\n"
        "1969-12-31T23:58:59.999Z,a,1\n1969-12-31T23:59:00Z,a,2\n1969-12-31T23:59:59.999Z,a,2\n"
        "1970-01-01T00:00:00Z,a,2\n1970-01-01T00:00:59.999Z,a,2\n");
  run_clean(graph(folder, "1h", "dedup", R"({"keys": ["k"], "within": "60s"})"));
  // -60,000 and 0 lie too near to -1; -60,001 does not, and neither does 59,999.
  CHECK(folder.read("out.csv") ==
        "t,k\n1969-12-31T23:59:59.999Z,a\n1969-12-31T23:58:59.999Z,a\n1970-01-01T00:00:59.999Z,a\n");
}

// B02
TEST_CASE("a record behind its session is late and does not join the next one") {
  const TemporaryFolder folder;
  folder.write("in.csv", csv({0, 5'000, 30'000, 8'000}));
  for (const char* keys : {"", R"("keys": ["k"], )"}) {
    CAPTURE(keys);
    const GraphRun run = run_clean(
        graph(folder, "0s", "window_aggregate",
              fmt::format(R"({{{}"window": {{"type": "session", "gap": "10s"}}, {}}})", keys, kCount)));
    const std::string k = *keys == '\0' ? "" : "a,";
    CHECK(folder.read("out.csv") == fmt::format("window_start,window_end,{0}n\n"
                                                "1970-01-01T00:00:00Z,1970-01-01T00:00:15Z,{1}2\n"
                                                "1970-01-01T00:00:30Z,1970-01-01T00:00:40Z,{1}1\n",
                                                k.empty() ? "" : "k,", k));
    CHECK(folder.read("late.csv") == "t,k\n1970-01-01T00:00:08Z,a\n");
    CHECK(run.totals.late == 1);
  }
}

// B04
TEST_CASE("the empty time between 1970 and now costs nothing, in every kind of window") {
  const TemporaryFolder folder;
  folder.write("in.csv", csv({1, 1'700'000'000'000, 1, 1'700'000'000'001}));
  struct Trial {
    const char* type;
    std::string config;
    std::uint64_t rows, late;
  };
  const Trial trials[] = {
      {"window_aggregate", window(R"({"type": "tumbling", "size": "1s"})"), 2, 1},
      {"window_aggregate", window(R"({"type": "sliding", "size": "1s", "slide": "100ms"})"), 20, 1},
      {"window_aggregate", window(R"({"type": "sliding", "size": "1s", "slide": "1ms"})"), 2'001, 1},
      {"window_aggregate", window(R"({"type": "session", "gap": "1s"})"), 2, 1},
      {"window_aggregate", window(R"({"type": "global", "emit_every": "1ms"})"), 3, 0},
      {"over", fmt::format(R"({{"range": "1s", {}}})", kCount), 3, 1},
      {"dedup", R"({"keys": ["k"], "within": "1us"})", 3, 1},
  };
  for (const Trial& trial : trials) {
    CAPTURE(trial.type);
    CAPTURE(trial.config);
    const bool late_port = trial.config.find("global") == std::string::npos;
    const GraphRun run = run_clean(graph(folder, "0s", trial.type, trial.config, late_port));
    CHECK(run.op("out").in == trial.rows);
    CHECK(run.op("x").late == trial.late);
    // One bound for all says that nothing was kept for the time between.
    CHECK(run.op("x").state_bytes_peak < 16u << 20);
  }
}

TEST_CASE("a run over times that jump between 1970 and now stops when it is told to") {
  for (const bool drain : {false, true}) {
    const std::string json = endless("case when i % 2 = 0 then 1 else 1700000000000 end + i",
                                     R"({"type": "sliding", "size": "1s", "slide": "10ms"})");
    const GraphRun run = run_graph_text(json, {}, [&](Worker& worker, const RunTotals& totals) {
      if (totals.written < 1'000) return;
      drain ? worker.drain() : worker.cancel();
    });
    CHECK(run.problems == "");
    CHECK(run.error == "");
    CHECK(run.differences == Lines{});
    CHECK(run.cancelled == !drain);
    CHECK(run.totals.read < 4'000'000'000u);
  }
}

// B05
TEST_CASE(
    "one record a day ahead makes the honest ones late: each is counted and comes out of the late port") {
  const TemporaryFolder folder;
  std::vector<std::int64_t> times;
  for (int i = 0; i < 1'000; ++i) times.push_back(1'500'000'000'000 + i * 100 + (i == 9 ? 86'400'000 : 0));
  folder.write("in.csv", csv(times));
  struct Trial {
    const char* type;
    std::string config;
    std::uint64_t out;  // rows
  };
  const Trial trials[] = {
      {"window_aggregate", window(R"({"type": "tumbling", "size": "1s"})"), 2},
      {"window_aggregate", window(R"({"type": "sliding", "size": "1s", "slide": "1s"})"), 2},
      {"window_aggregate", window(R"({"type": "session", "gap": "1s"})"), 2},
      {"over", fmt::format(R"({{"range": "1s", {}}})", kCount), 10},
      {"dedup", R"({"keys": ["k"], "within": "1ms"})", 10},
  };
  for (const Trial& trial : trials) {
    for (const std::uint32_t threads : {1u, 2u}) {
      CAPTURE(trial.type);
      CAPTURE(trial.config);
      PlanOptions options;
      options.threads = threads;
      const GraphRun run = run_clean(graph(folder, "2s", trial.type, trial.config), options);
      CHECK(run.totals.read == 1'000);
      CHECK(run.op("out").in == trial.out);
      CHECK(run.op("x").late == 990);
      CHECK(run.totals.late == 990);
      CHECK(folder.sorted_lines("late.csv").size() == 991);  // with the header
    }
  }
}

// B07
TEST_CASE(
    "jitter of less than a second does not stop event time: every window comes as it is complete, none "
    "late") {
  const TemporaryFolder folder;
  std::mt19937_64 random(20260101);
  std::vector<std::int64_t> times;
  for (int i = 0; i < 20'000; ++i)
    times.push_back(1'500'000'000'000 + i * 10 + static_cast<std::int64_t>(random() % 601) - 300);
  folder.write("in.csv", csv(times));
  const GraphRun run =
      run_clean(graph(folder, "1s", "window_aggregate", window(R"({"type": "tumbling", "size": "1s"})")));
  CHECK(run.totals.late == 0);
  std::int64_t seconds = 0, records = 0;
  std::vector<std::int64_t> expected(202);
  for (const std::int64_t t : times) ++expected[static_cast<std::size_t>((t - 1'499'999'999'000) / 1'000)];
  for (const std::int64_t n : expected) seconds += n > 0, records += n;
  CHECK(run.op("out").in == static_cast<std::uint64_t>(seconds));
  CHECK(records == 20'000);
  const std::string out = folder.read("out.csv");
  for (std::size_t s = 0; s < expected.size(); ++s) {
    if (expected[s] == 0) continue;
    const std::string count = fmt::format(",{}\n", expected[s]);
    CHECK(out.find(count) != std::string::npos);
  }
}

TEST_CASE("with jitter, windows leave a graph whose source goes on, long before its end") {
  const std::string json = endless("i * 10 + noise", R"({"type": "tumbling", "size": "1s"})");
  const GraphRun run = run_graph_text(json, {}, [&](Worker& worker, const RunTotals& totals) {
    if (totals.written >= 1'000) worker.cancel();
  });
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.cancelled);
  CHECK(run.totals.written >= 1'000);
  CHECK(run.totals.late == 0);
}

// B09
TEST_CASE("at the end of a finite input every window comes out, whatever its kind") {
  const TemporaryFolder folder;
  folder.write("in.csv", csv({0, 1'000, 61'000}));
  const struct {
    const char* of;
    std::uint64_t rows;
  } trials[] = {
      {R"({"type": "tumbling", "size": "1m"})", 2},
      {R"({"type": "sliding", "size": "2m", "slide": "1m"})", 3},
      {R"({"type": "session", "gap": "1h"})", 1},
      {R"({"type": "count", "size": 2})", 2},
      {R"({"type": "global"})", 1},
      {R"({"type": "global", "emit_every": "1d"})", 1},
  };
  for (const auto& trial : trials) {
    CAPTURE(trial.of);
    const bool late_port = std::string_view(trial.of).find("count") == std::string_view::npos &&
                           std::string_view(trial.of).find("global") == std::string_view::npos;
    const GraphRun run = run_clean(graph(folder, "365d", "window_aggregate", window(trial.of), late_port));
    CHECK(run.op("out").in == trial.rows);
    CHECK(run.totals.late == 0);
  }
}

// B11
TEST_CASE("a session of bounded length gives a result a minute while records keep coming each second") {
  const TemporaryFolder folder;
  std::vector<std::int64_t> times;
  for (int i = 0; i < 300; ++i) times.push_back(i * 1'000);
  folder.write("in.csv", csv(times));
  run_clean(graph(folder, "0s", "window_aggregate",
                  R"({"keys": ["k"], "window": {"type": "session", "gap": "5s", "max_length": "60s"}, )" +
                      std::string(kCount) + "}"));
  CHECK(folder.read("out.csv") ==
        "window_start,window_end,k,n\n"
        "1970-01-01T00:00:00Z,1970-01-01T00:01:00Z,a,60\n"
        "1970-01-01T00:01:00Z,1970-01-01T00:02:00Z,a,60\n"
        "1970-01-01T00:02:00Z,1970-01-01T00:03:00Z,a,60\n"
        "1970-01-01T00:03:00Z,1970-01-01T00:04:00Z,a,60\n"
        "1970-01-01T00:04:00Z,1970-01-01T00:05:00Z,a,60\n");
  // And they come while the source goes on.
  const std::string json = endless("i * 1000", R"({"type": "session", "gap": "5s", "max_length": "60s"})");
  const GraphRun run = run_graph_text(json, {}, [&](Worker& worker, const RunTotals& totals) {
    if (totals.written >= 100) worker.cancel();
  });
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.totals.read < 4'000'000'000u);
}

// B12, as far as it concerns operators: a sample is what was kept, and nothing is scaled.
TEST_CASE("aggregates over a sample are those of the records that were kept, none of them scaled") {
  const TemporaryFolder folder;
  std::string text = "t,k\n";
  for (int i = 0; i < 20'000; ++i) text += fmt::format("{},{}\n", i, i % 700);
  folder.write("in.csv", text);
  for (const char* by : {"", R"(, "by": ["k"])"}) {
    CAPTURE(by);
    const GraphRun run = run_clean(fmt::format(
        R"json({{"name": "trial", "operators": [
    {{"id": "in", "type": "file_source", "config": {{"path": "{0}", "format": "csv",
      "schema": [{{"name": "t", "type": "int64"}}, {{"name": "k", "type": "int64"}}]}}}},
    {{"id": "some", "type": "sample", "config": {{"rate": 0.1{1}}}}},
    {{"id": "kept", "type": "file_sink", "config": {{"path": "{2}", "format": "csv"}}}},
    {{"id": "all", "type": "window_aggregate", "config": {{"window": {{"type": "global"}}, "aggregates": [
      {{"name": "n", "fn": "count"}}, {{"name": "sum", "fn": "sum", "expr": "t"}}, {{"name": "mean", "fn": "avg", "expr": "t"}},
      {{"name": "least", "fn": "min", "expr": "t"}}, {{"name": "most", "fn": "max", "expr": "t"}}]}}}},
    {{"id": "out", "type": "file_sink", "config": {{"path": "{3}", "format": "csv"}}}}],
    "edges": [{{"from": "in", "to": "some"}}, {{"from": "some", "to": "kept"}}, {{"from": "some", "to": "all"}},
              {{"from": "all", "to": "out"}}]}})json",
        folder.path("in.csv"), by, folder.path("kept.csv"), folder.path("out.csv")));
    std::vector<std::int64_t> kept;
    for (const std::string& line : folder.sorted_lines("kept.csv")) {
      if (line != "t,k") kept.push_back(std::stoll(line));
    }
    REQUIRE(kept.size() > 1'000);
    REQUIRE(kept.size() < 3'000);
    std::int64_t sum = 0;
    for (const std::int64_t t : kept) sum += t;
    const std::string wanted = fmt::format("n,sum,mean,least,most\n{},{},{},{},{}\n", kept.size(), sum,
                                           static_cast<double>(sum) / static_cast<double>(kept.size()),
                                           *std::ranges::min_element(kept), *std::ranges::max_element(kept));
    CHECK(folder.read("out.csv") == wanted);
    CHECK(run.totals.bad == 0);
  }
}

}  // namespace sluice
