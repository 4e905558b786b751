// Joins as whole runs: graphs that could never end are refused, the others end with the rows that they must
// give, and what a join holds is bounded by its interval.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/engine/graph_run.hpp"
#include "tests/source_root.hpp"

namespace sluice {
namespace {

using Lines = std::vector<std::string>;

// left.csv and right.csv with columns t (milliseconds), k and v, each with event time and a bound of `bound`,
// joined as `config` says into out.csv; late rows into late_left.csv and late_right.csv.
GraphRun run_join(const TemporaryFolder& folder, const std::string& config, const std::string& bound = "1h",
                  const PlanOptions& options = {}, std::uint32_t parallelism = 1) {
  const auto side = [&](const char* name) {
    return fmt::format(
        R"({{"id": "{0}", "type": "file_source", "config": {{"path": "{1}", "format": "csv", "schema": [
      {{"name": "t", "type": "timestamp", "format": "epoch_ms"}}, {{"name": "k", "type": "string"}}, {{"name": "v", "type": "int64"}}]}}}},
    {{"id": "{0}_time", "type": "event_time", "config": {{"column": "t", "max_out_of_orderness": "{2}"}}}},)",
        name, folder.path(std::string(name) + ".csv"), bound);
  };
  const bool ports = config.find("lookup") == std::string::npos;
  const auto late = [&](const char* name) {
    return fmt::format(
        R"({{"id": "{0}", "type": "file_sink", "config": {{"path": "{1}", "format": "csv"}}}},)", name,
        folder.path(std::string(name) + ".csv"));
  };
  GraphRun run = run_graph_text(
      fmt::format(
          R"({{"name": "joined", "operators": [ {} {} {}
    {{"id": "join", "type": "join", "parallelism": {}, "config": {}}},
    {{"id": "out", "type": "file_sink", "config": {{"path": "{}", "format": "csv"}}}}],
    "edges": [{{"from": "left", "to": "left_time"}}, {{"from": "right", "to": "right_time"}},
      {{"from": "left_time", "to": "join.left"}}, {{"from": "right_time", "to": "join.right"}}, {}
      {{"from": "join", "to": "out"}}]}})",
          side("left"), side("right"), ports ? late("late_left") + late("late_right") : "", parallelism,
          config, folder.path("out.csv"),
          ports
              ? R"({"from": "join.late_left", "to": "late_left"}, {"from": "join.late_right", "to": "late_right"},)"
              : ""),
      options);
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.differences == Lines{});
  return run;
}

constexpr const char* kHeader = "t,k,v,right_t,right_k,right_v";

// Sources `src` and `table` of `rows` rows with a key k.
std::string keyed_sources(std::uint64_t rows, std::uint64_t table_rows) {
  const auto source = [](const char* id, std::uint64_t count) {
    return fmt::format(R"({{"id": "{}", "type": "generator", "config": {{"count": {}, "columns": [
      {{"name": "k", "type": "int64", "gen": "sequence"}}, {{"name": "text", "type": "string", "gen": "text", "length": 100}}]}}}},)",
                       id, count);
  };
  return source("src", rows) + source("table", table_rows);
}

std::string lookup_of(const std::string& id) {
  return fmt::format(R"({{"id": "{}", "type": "join", "config": {{"type": "lookup", "on": [["k", "k"]]}}}},)",
                     id);
}

std::string keys_only(const std::string& id) {
  return fmt::format(
      R"({{"id": "{}", "type": "map", "config": {{"columns": [{{"name": "k", "expr": "k"}}]}}}},)", id);
}

// `edges` as "from to" pairs; a sink `out`.
std::string graph_of(const std::string& operators,
                     const std::vector<std::pair<const char*, const char*>>& edges) {
  std::string list;
  for (const auto& [from, to] : edges)
    list += fmt::format(R"({}{{"from": "{}", "to": "{}"}})", list.empty() ? "" : ", ", from, to);
  return fmt::format(
      R"({{"name": "lookups", "operators": [ {} {{"id": "out", "type": "null_sink"}}], "edges": [{}]}})",
      operators, list);
}

}  // namespace

TEST_CASE("a lookup whose right side never ends is refused, however far away the endless source is") {
  const std::string endless =
      R"({"id": "endless", "type": "file_source", "config": {"path": "never.log", "follow": true, "format": "logfmt",
        "schema": [{"name": "k", "type": "int64"}]}},)";
  const std::string operators =
      keyed_sources(10, 10) + endless + keys_only("map") + keys_only("one") + lookup_of("join");
  for (const std::string& json :
       {graph_of(keyed_sources(10, 10) + endless + lookup_of("join"),
                 {{"src", "join.left"}, {"endless", "join.right"}, {"join", "out"}, {"table", "out"}}),
        graph_of(operators, {{"src", "join.left"},
                             {"endless", "map"},
                             {"table", "one"},
                             {"one", "map"},
                             {"map", "join.right"},
                             {"join", "out"}})}) {
    const GraphRun run = run_graph_text(json);
    CAPTURE(run.problems);
    CHECK(run.problems.find("error[never_ends]") != std::string::npos);
    CHECK(run.problems.find("\"endless\" never ends") != std::string::npos);
  }
  // At the left it may be: the run is only as long as its user wants.
  const TemporaryFolder folder;
  folder.write("live.log", "k=3\nk=4\nk=77\n");
  const std::string live = fmt::format(
      R"({{"id": "live", "type": "file_source", "config": {{"path": "{}", "follow": true, "format": "logfmt",
        "schema": [{{"name": "k", "type": "int64"}}]}}}},
        {{"id": "table", "type": "generator", "config": {{"count": 10, "columns": [{{"name": "k", "type": "int64", "gen": "sequence"}}]}}}},)",
      folder.path("live.log"));
  const GraphRun run = run_graph_text(
      graph_of(live + lookup_of("join"), {{"live", "join.left"}, {"table", "join.right"}, {"join", "out"}}),
      {}, [](Worker& worker, const RunTotals& totals) {
        if (totals.written == 2) worker.drain();
      });
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.totals.written == 2);
}

TEST_CASE("a lookup whose two sides come from one source is refused before it can stand still") {
  const std::string window =
      R"({"id": "counts", "type": "window_aggregate", "config": {"keys": ["k"], "window": {"type": "global"},
        "aggregates": [{"name": "n", "fn": "count"}]}},)";
  const std::string two = keyed_sources(10, 10) + keys_only("a") + keys_only("b") + lookup_of("join");
  const struct {
    std::string operators;
    std::vector<std::pair<const char*, const char*>> edges;
  } trials[] = {
      {keyed_sources(10, 10) + lookup_of("join"),
       {{"src", "join.left"}, {"src", "join.right"}, {"join", "out"}, {"table", "out"}}},
      {two,
       {{"src", "a"},
        {"src", "b"},
        {"a", "join.left"},
        {"b", "join.right"},
        {"join", "out"},
        {"table", "out"}}},
      // An aggregate in between takes all its input, but its source still cannot go on.
      {two + window,
       {{"src", "a"},
        {"src", "b"},
        {"a", "join.left"},
        {"b", "counts"},
        {"counts", "join.right"},
        {"join", "out"},
        {"table", "out"}}},
      // The table is at the left of a second join, which waits for the first, which waits for the table.
      {keyed_sources(10, 10) + lookup_of("join") + keys_only("a") + lookup_of("again"),
       {{"src", "join.left"},
        {"table", "join.right"},
        {"table", "again.left"},
        {"join", "a"},
        {"a", "again.right"},
        {"again", "out"}}},
  };
  for (const auto& trial : trials) {
    const GraphRun run = run_graph_text(graph_of(trial.operators, trial.edges));
    CAPTURE(run.problems);
    CHECK(run.problems.find("error[never_ends]") != std::string::npos);
    CHECK(run.problems.find("wait for each other") != std::string::npos);
  }
}

TEST_CASE("lookups behind and beside each other end, with every row, in small memory") {
  const struct {
    std::string operators;
    std::vector<std::pair<const char*, const char*>> edges;
    std::uint64_t rows;
  } trials[] = {
      {lookup_of("join"), {{"src", "join.left"}, {"table", "join.right"}, {"join", "out"}}, 20'000},
      // One table at the right of both.
      {lookup_of("join") + keys_only("k") + lookup_of("again"),
       {{"src", "join.left"},
        {"table", "join.right"},
        {"join", "k"},
        {"k", "again.left"},
        {"table", "again.right"},
        {"again", "out"}},
       20'000},
      // One source at the left of both.
      {lookup_of("join") + lookup_of("again"),
       {{"src", "join.left"},
        {"table", "join.right"},
        {"src", "again.left"},
        {"table", "again.right"},
        {"join", "out"},
        {"again", "out"}},
       40'000},
      // The source is also the table of a second join, whose left side is another: both rights are taken.
      {lookup_of("join") + lookup_of("again"),
       {{"src", "join.left"},
        {"table", "join.right"},
        {"join", "out"},
        {"table", "again.right"},
        {"src", "again.left"},
        {"again", "out"}},
       40'000},
  };
  for (const auto& trial : trials) {
    PlanOptions options;
    options.memory_bytes = 64u << 20;
    for (const std::uint32_t threads : {1u, 2u}) {
      options.threads = threads;
      const GraphRun run =
          run_graph_text(graph_of(keyed_sources(200'000, 20'000) + trial.operators, trial.edges), options);
      CHECK(run.problems == "");
      CHECK(run.error == "");
      CHECK(run.differences == Lines{});
      CHECK(run.totals.written == trial.rows);
    }
  }
}

// B10
TEST_CASE("a million keys over a day of event time, joined within a minute, hold the state of minutes") {
  const auto source = [](const char* id) {
    return fmt::format(R"({{"id": "{0}", "type": "generator", "config": {{"count": 1000000, "columns": [
      {{"name": "k", "type": "int64", "gen": "sequence"}},
      {{"name": "t", "type": "timestamp", "gen": "timestamp", "start": "2026-01-01T00:00:00Z", "step": "86400us"}}]}}}},
    {{"id": "{0}_time", "type": "event_time", "config": {{"column": "t", "max_out_of_orderness": "1s"}}}},)",
                       id);
  };
  const auto edges = [](const char* left, const char* right) {
    return fmt::format(
        R"({{"from": "{}_time", "to": "join.left"}}, {{"from": "{}_time", "to": "join.right"}}, )", left,
        right);
  };
  const std::string from_a = R"({"from": "a", "to": "a_time"}, )",
                    from_b = R"({"from": "b", "to": "b_time"}, )";
  struct Trial {
    std::string operators, edges;
    std::uint32_t threads;
  };
  // One source for both sides keeps them together; of two one may run ahead of the other.
  const Trial trials[] = {{source("a"), from_a + edges("a", "a"), 1},
                          {source("a"), from_a + edges("a", "a"), 2},
                          {source("a") + source("b"), from_a + from_b + edges("a", "b"), 1}};
  for (const char* kind : {"inner", "left"}) {
    for (const Trial& trial : trials) {
      CAPTURE(kind);
      CAPTURE(trial.edges);
      CAPTURE(trial.threads);
      PlanOptions options;
      options.threads = trial.threads;
      const GraphRun run = run_graph_text(fmt::format(R"({{"name": "day", "operators": [ {}
    {{"id": "join", "type": "join", "config": {{"type": "interval", "kind": "{}", "on": [["k", "k"]], "within": ["-1m", "1m"]}}}},
    {{"id": "out", "type": "null_sink"}}], "edges": [{} {{"from": "join", "to": "out"}}]}})",
                                                      trial.operators, kind, trial.edges),
                                          options);
      CHECK(run.problems == "");
      CHECK(run.error == "");
      CHECK(run.op("out").in == 1'000'000);
      CHECK(run.totals.late == 0);
      // All rows of both sides would take more than 64 MiB.
      CHECK(run.op("join").state_bytes_peak > 0);
      CHECK(run.op("join").state_bytes_peak < 24u << 20);
    }
  }
}

// Two sources that share nothing, one of them slow: without a word from the join the fast one would have all
// its rows in it long before the slow one's first minute is over.
std::string far_apart(const std::string& join, const std::string& edges) {
  const auto source = [](const char* id, const char* rate) {
    return fmt::format(
        R"({{"id": "{0}", "type": "generator", "config": {{"count": 600000, "rate": "{1}", "columns": [
      {{"name": "k", "type": "int64", "gen": "sequence"}},
      {{"name": "g", "type": "int64", "gen": "uniform", "min": 1, "max": 100}},
      {{"name": "t", "type": "timestamp", "gen": "timestamp", "start": "2026-01-01T00:00:00Z", "step": "100ms"}}]}}}},
    {{"id": "{0}_time", "type": "event_time", "config": {{"column": "t", "max_out_of_orderness": "1s"}}}},)",
        id, rate);
  };
  return fmt::format(
      R"({{"name": "apart", "operators": [{} {} {}, {{"id": "out", "type": "null_sink"}}], "edges": [
    {{"from": "fast", "to": "fast_time"}}, {{"from": "slow", "to": "slow_time"}}, {}, {{"from": "x", "to": "out"}}]}})",
      source("fast", "max"), source("slow", "300000/s"), join, edges);
}

TEST_CASE("an input that is far ahead in event time waits for the other, instead of filling the state") {
  const struct {
    const char *type, *config;
    bool union_of_both;
    std::uint64_t rows;
  } trials[] = {
      {"join", R"({"type": "interval", "on": [["k", "k"]], "within": ["-1m", "1m"]})", false, 600'000},
      {"join", R"({"type": "asof", "kind": "left", "on": [["g", "g"]]})", false, 600'000},
      {"window_aggregate",
       R"({"keys": ["k"], "window": {"type": "tumbling", "size": "1m"}, "aggregates": [{"name": "n", "fn": "count"}]})",
       true, 600'000},
  };
  for (const auto& trial : trials) {
    CAPTURE(trial.config);
    PlanOptions options;
    options.threads = 2;
    options.state_memory_bytes = 16u << 20;
    const std::string op =
        fmt::format(R"({{"id": "x", "type": "{}", "config": {}}})", trial.type, trial.config);
    const std::string edges =
        trial.union_of_both
            ? R"({"from": "fast_time", "to": "x"}, {"from": "slow_time", "to": "x"})"
            : R"({"from": "fast_time", "to": "x.left"}, {"from": "slow_time", "to": "x.right"})";
    const GraphRun run = run_graph_text(far_apart(op, edges), options);
    CHECK(run.problems == "");
    CHECK(run.error == "");
    CHECK(run.op("out").in == trial.rows);
    CHECK(run.totals.late == 0);
  }
}

TEST_CASE("a job whose state is above the limit ends with the operator's name, its keys and what to do") {
  PlanOptions options;
  options.state_memory_bytes = 1u << 20;
  const GraphRun run = run_graph_text(
      R"({"name": "full", "operators": [
        {"id": "src", "type": "generator", "config": {"count": 1000000, "columns": [
          {"name": "k", "type": "int64", "gen": "sequence"}]}},
        {"id": "per_k", "type": "window_aggregate", "config": {"keys": ["k"], "window": {"type": "global"},
          "aggregates": [{"name": "n", "fn": "count"}]}},
        {"id": "out", "type": "null_sink"}], "edges": [{"from": "src", "to": "per_k"}, {"from": "per_k", "to": "out"}]})",
      options);
  CHECK(run.problems == "");
  CHECK(run.error.starts_with("operator per_k: holds 1"));
  CHECK(run.error.find(" keys, and a task may hold 1 MiB: raise runtime.state_memory (or --state-memory)") !=
        std::string::npos);
  CHECK(run.differences == Lines{});
}

TEST_CASE("asof: a right row of the very time matches, and of several the last to come") {
  const TemporaryFolder folder;
  folder.write("left.csv", "t,k,v\n1000,a,1\n1000,a,2\n999,a,3\n1001,a,4\n1000,b,5\n");
  folder.write("right.csv", "t,k,v\n1000,a,10\n1000,a,11\n1001,b,12\n1000,a,13\n0,a,14\n");
  for (const std::uint32_t threads : {1u, 2u}) {
    PlanOptions options;
    options.threads = threads;
    run_join(folder, R"({"type": "asof", "on": [["k", "k"]], "kind": "left"})", "1h", options);
    const std::string at = "1970-01-01T00:00:0";
    CHECK(folder.sorted_lines("out.csv") ==
          Lines{at + "0.999Z,a,3," + at + "0Z,a,14", at + "1.001Z,a,4," + at + "1Z,a,13",
                at + "1Z,a,1," + at + "1Z,a,13", at + "1Z,a,2," + at + "1Z,a,13", at + "1Z,b,5,,,", kHeader});
  }
}

TEST_CASE(
    "null keys match nothing in any join; of kind left their rows come out once, without a right part") {
  const TemporaryFolder folder;
  folder.write("left.csv", "t,k,v\n0,,1\n0,a,2\n0,\"\",3\n");
  folder.write("right.csv", "t,k,v\n0,,10\n0,a,20\n0,\"\",30\n");
  const std::string at = "1970-01-01T00:00:00Z,";
  for (const char* type : {R"("interval", "within": ["0s", "0s"])", R"("asof")", R"("lookup")",
                           R"("lookup", "matches": "all")"}) {
    for (const char* kind : {"inner", "left"}) {
      CAPTURE(type);
      CAPTURE(kind);
      const GraphRun run =
          run_join(folder, fmt::format(R"({{"type": {}, "on": [["k", "k"]], "kind": "{}"}})", type, kind));
      Lines expected = {at + "\"\",3," + at + "\"\",30", at + "a,2," + at + "a,20", kHeader};
      if (kind == std::string("left")) expected.push_back(at + ",1,,,");
      std::sort(expected.begin(), expected.end());
      CHECK(folder.sorted_lines("out.csv") == expected);
      CHECK(run.totals.late == 0);
      CHECK(run.totals.bad == 0);
    }
  }
}

// B05, B02 for joins: what is late takes no part and comes out by its port.
TEST_CASE("late rows of a join leave by the port of their side and match nothing") {
  const TemporaryFolder folder;
  folder.write("left.csv", "t,k,v\n0,a,1\n60000,a,2\n1000,a,3\n");
  folder.write("right.csv", "t,k,v\n0,a,10\n1000,a,11\n60000,a,12\n999,a,13\n");
  const std::string at = "1970-01-01T00:0";
  for (const char* type : {R"("interval", "within": ["0s", "0s"])", R"("asof")"}) {
    CAPTURE(type);
    const GraphRun run = run_join(folder, fmt::format(R"({{"type": {}, "on": [["k", "k"]]}})", type), "0s");
    CHECK(folder.sorted_lines("out.csv") ==
          Lines{at + "0:00Z,a,1," + at + "0:00Z,a,10", at + "1:00Z,a,2," + at + "1:00Z,a,12", kHeader});
    CHECK(folder.read("late_left.csv") == "t,k,v\n" + at + "0:01Z,a,3\n");
    CHECK(folder.read("late_right.csv") == "t,k,v\n" + at + "0:00.999Z,a,13\n");
    CHECK(run.totals.late == 2);
  }
}

TEST_CASE(
    "a union of several sources, into a window and into both sides of a join, gives every record once") {
  std::string operators, edges;
  for (int i = 0; i < 4; ++i) {
    operators += fmt::format(
        R"({{"id": "s{0}", "type": "generator", "config": {{"count": {1}, "columns": [
      {{"name": "k", "type": "int64", "gen": "sequence", "start": {2}}},
      {{"name": "t", "type": "timestamp", "gen": "timestamp", "start": "1970-01-01T00:00:00Z", "step": "1s"}}]}}}},
    {{"id": "t{0}", "type": "event_time", "config": {{"column": "t", "max_out_of_orderness": "1s"}}}},)",
        i, 1'000 * (i + 1), 100'000 * (i / 2));
    edges += fmt::format(
        R"({{"from": "s{0}", "to": "t{0}"}}, {{"from": "t{0}", "to": "counts"}}, {{"from": "t{0}", "to": "join.{1}"}}, )",
        i, i % 2 == 0 ? "left" : "right");
  }
  for (const std::uint32_t threads : {1u, 2u}) {
    const TemporaryFolder folder;
    PlanOptions options;
    options.threads = threads;
    const GraphRun run = run_graph_text(fmt::format(R"({{"name": "union", "operators": [ {}
    {{"id": "counts", "type": "window_aggregate", "config": {{"window": {{"type": "tumbling", "size": "1000s"}},
      "aggregates": [{{"name": "n", "fn": "count"}}]}}}},
    {{"id": "join", "type": "join", "config": {{"type": "interval", "kind": "left", "on": [["k", "k"]], "within": ["0s", "0s"]}}}},
    {{"id": "windows", "type": "file_sink", "config": {{"path": "{}", "format": "csv"}}}},
    {{"id": "joined", "type": "null_sink"}}],
    "edges": [{} {{"from": "counts", "to": "windows"}}, {{"from": "join", "to": "joined"}}]}})",
                                                    operators, folder.path("out.csv"), edges),
                                        options);
    CHECK(run.problems == "");
    CHECK(run.error == "");
    CHECK(run.differences == Lines{});
    std::string counts;
    for (const std::string& line : folder.sorted_lines("out.csv"))
      counts += line.substr(line.rfind(',') + 1) + " ";
    CHECK(counts == "4000 3000 2000 1000 n ");
    CHECK(run.op("join").in == 10'000);
    CHECK(run.op("joined").in == 4'000);  // each left row once: 1,000 + 3,000
    CHECK(run.totals.late == 0);
  }
}

TEST_CASE("a right name that left has too gets right_ in the output, and one that is taken so is refused") {
  const auto graph = [](const std::string& left, const std::string& right, const std::string& out) {
    const auto side = [](const char* id, const std::string& names) {
      return fmt::format(R"({{"id": "{}", "type": "generator", "config": {{"count": 1, "columns": [{}]}}}},)",
                         id, names);
    };
    return fmt::format(R"({{"name": "names", "operators": [ {} {}
      {{"id": "join", "type": "join", "config": {{"type": "lookup", "on": [["k", "k"]]}}}},
      {{"id": "out", "type": "file_sink", "config": {{"path": "{}", "format": "csv"}}}}],
      "edges": [{{"from": "l", "to": "join.left"}}, {{"from": "r", "to": "join.right"}}, {{"from": "join", "to": "out"}}]}})",
                       side("l", left), side("r", right), out);
  };
  const auto column = [](const char* name) {
    return fmt::format(R"({{"name": "{}", "type": "int64", "gen": "sequence"}})", name);
  };
  const TemporaryFolder folder;
  const std::string out = folder.path("out.csv");
  GraphRun run =
      run_graph_text(graph(column("k") + "," + column("right_v"), column("k") + "," + column("v"), out));
  CHECK(run.problems == "");
  CHECK(folder.read("out.csv") == "k,right_v,right_k,v\n0,0,0,0\n");
  run = run_graph_text(graph(column("k") + "," + column("right_k"), column("k"), out));
  CHECK(run.problems.find("error[duplicate_name]") != std::string::npos);
  CHECK(run.problems.find("\"right_k\"") != std::string::npos);
  // The same from the other side: a right column that is called so already.
  run = run_graph_text(graph(column("k"), column("right_k") + "," + column("k"), out));
  CHECK(run.problems.find("error[duplicate_name]") != std::string::npos);
}

TEST_CASE("joins give the same rows, late ones too, for any tasks, threads and profile") {
  const auto rows = [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::string text = "t,k,v\n";
    for (int i = 0; i < 3'000; ++i) {
      const std::int64_t t = i * 100 + static_cast<std::int64_t>(random() % 3'000) - 1'500;
      const std::string key = random() % 50 == 0 ? "" : fmt::format("k{}", random() % 40);
      text += fmt::format("{},{},{}\n", t, key, i);
    }
    return text;
  };
  for (const std::uint64_t seed : {1u, 2u}) {
    CAPTURE(seed);
    const TemporaryFolder folder;
    folder.write("left.csv", rows(seed));
    folder.write("right.csv", rows(seed + 1'000));
    for (const char* type :
         {R"("interval", "within": ["-2s", "1s"])", R"("asof")", R"("lookup", "matches": "all")"}) {
      for (const char* kind : {"inner", "left"}) {
        CAPTURE(type);
        CAPTURE(kind);
        const std::string config =
            fmt::format(R"({{"type": {}, "on": [["k", "k"]], "kind": "{}"}})", type, kind);
        const auto results = [&] {
          std::vector<Lines> all = {folder.sorted_lines("out.csv")};
          if (config.find("lookup") != std::string::npos) return all;
          all.push_back(folder.sorted_lines("late_left.csv"));
          all.push_back(folder.sorted_lines("late_right.csv"));
          return all;
        };
        run_join(folder, config, "2s", {});
        const std::vector<Lines> once = results();
        CHECK(once[0].size() > 1'000);
        if (once.size() > 1) CHECK(std::min(once[1].size(), once[2].size()) > 10);
        for (const std::uint32_t parallelism : {1u, 3u}) {
          for (const std::uint32_t threads : {1u, 2u}) {
            for (const Profile profile : {Profile::latency, Profile::throughput}) {
              PlanOptions options;
              options.threads = threads;
              options.profile = profile;
              CAPTURE(parallelism);
              CAPTURE(threads);
              run_join(folder, config, "2s", options, parallelism);
              CHECK(results() == once);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("the example of paid orders: each order is paid, and then in two windows, or among the unpaid") {
  const TemporaryFolder folder;
  std::ostringstream text;
  text << std::ifstream(test::source_root() / "graphs/paid-orders.json").rdbuf();
  std::string json = text.str();
  const auto replace = [&](const std::string& from, const std::string& to) {
    REQUIRE(json.find(from) != std::string::npos);
    json.replace(json.find(from), from.size(), to);
  };
  replace("${UNPAID_ORDERS:-/dev/null}", folder.path("unpaid.csv"));
  replace(
      R"("stdout_sink", "config": {"format": "table"})",
      fmt::format(R"("file_sink", "config": {{"path": "{}", "format": "csv"}})", folder.path("paid.csv")));
  Lines first;
  for (const std::uint32_t threads : {1u, 2u}) {
    PlanOptions options;
    options.threads = threads;
    const GraphRun run = run_graph_text(json, options);
    CHECK(run.problems == "");
    CHECK(run.error == "");
    CHECK(run.differences == Lines{});
    CHECK(run.totals.late == 0);
    CHECK(run.totals.bad == 0);
    const Lines windows = folder.sorted_lines("paid.csv");
    const std::size_t unpaid = folder.sorted_lines("unpaid.csv").size() - 1;
    std::size_t in_windows = 0;
    for (const std::string& line : windows) {
      if (line.starts_with("window_start")) continue;
      std::string count = line;
      for (int column = 0; column < 3; ++column) count.erase(0, count.find(',') + 1);
      in_windows += std::stoull(count);
    }
    CHECK(unpaid > 3'000);
    CHECK(in_windows + 2 * unpaid == 72'000);
    if (first.empty()) first = windows;
    CHECK(windows == first);
  }
}

}  // namespace sluice
