// Shapes in which engines of this kind have dead-locked or starved: each must finish, with everything
// accounted for.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/engine/graph_run.hpp"

namespace sluice {
namespace {

void check_complete(const GraphRun& run, std::uint64_t written) {
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.differences == std::vector<std::string>{});
  CHECK(run.totals.written == written);
  CHECK(run.totals.bad == 0);
}

std::string source(const std::string& id, std::uint64_t count, const std::string& length = "20") {
  return fmt::format(R"({{"id": "{}", "type": "generator", "config": {{"count": {}, "columns": [
    {{"name": "n", "type": "int64", "gen": "sequence"}}, {{"name": "text", "type": "string", "gen": "text", "length": {}}}]}}}})",
                     id, count, length);
}

constexpr const char* kSink = R"({"id": "sink", "type": "null_sink", "config": {}})";

PlanOptions with(Profile profile, std::uint32_t threads) {
  PlanOptions options;
  options.profile = profile;
  options.threads = threads;
  return options;
}

}  // namespace

TEST_CASE("a diamond whose branches differ in speed finishes with windows of 1, 2 and 8 blocks") {
  for (const int blocks : {1, 2, 8}) {
    for (const std::uint32_t threads : {1u, 2u, 4u}) {
      const std::string credits = fmt::format(R"("credits": {{"window": 0.001, "min_blocks": {}}})", blocks);
      const GraphRun run = run_graph_text(
          fmt::format(
              R"({{"name": "t", "operators": [{}, {}, {}, {}], "edges": [
            {{"from": "source", "to": "some", {}}}, {{"from": "source", "to": "all", {}}},
            {{"from": "some", "to": "sink", {}}}, {{"from": "all", "to": "sink", {}}}]}})",
              source("source", 200'000),
              R"({"id": "some", "type": "filter", "config": {"where": "n % 10 = 0"}})",
              R"({"id": "all", "type": "filter", "config": {"where": "regexp_match(text, '.*') or n >= 0"}})",
              kSink, credits, credits, credits, credits),
          with(Profile::latency, threads));
      check_complete(run, 220'000);
    }
  }
}

TEST_CASE("eight sources into one input all get through") {
  std::string operators;
  std::string edges;
  for (int i = 0; i < 8; ++i) {
    operators += source(fmt::format("s{}", i), 50'000) + ",";
    edges += fmt::format(R"({}{{"from": "s{}", "to": "sink"}})", i == 0 ? "" : ",", i);
  }
  const GraphRun run = run_graph_text(
      fmt::format(R"({{"name": "t", "operators": [{}{}], "edges": [{}]}})", operators, kSink, edges),
      with(Profile::balanced, 2));
  check_complete(run, 400'000);
}

TEST_CASE("a cold edge gets through beside a hot one that fills its window") {
  std::string operators = source("hot", 300'000) + ",";
  std::string edges =
      R"({"from": "hot", "to": "slow", "partition": "rebalance"}, {"from": "slow", "to": "sink"})";
  for (int i = 0; i < 20; ++i) {
    operators += source(fmt::format("cold{}", i), 1) + ",";
    edges += fmt::format(R"(,{{"from": "cold{}", "to": "sink"}})", i);
  }
  operators += R"({"id": "slow", "type": "throttle", "config": {"rate": "1000000/s"}},)";
  const GraphRun run = run_graph_text(
      fmt::format(R"({{"name": "t", "operators": [{}{}], "edges": [{}]}})", operators, kSink, edges),
      with(Profile::balanced, 2));
  check_complete(run, 300'020);
}

TEST_CASE("no record size around the sizes of blocks stalls an edge, whatever the profile") {
  for (const Profile profile : {Profile::latency, Profile::balanced, Profile::throughput}) {
    for (const std::size_t block :
         {std::size_t{4096}, std::size_t{16384}, std::size_t{65536}, std::size_t{262144}}) {
      for (const int difference : {-600, -450, -300, -1, 0, 1, 300}) {
        const std::size_t length = block + static_cast<std::size_t>(difference + 1024) - 1024;
        const GraphRun run = run_graph_text(
            fmt::format(
                R"({{"name": "t", "operators": [{}, {}], "edges": [{{"from": "source", "to": "sink", "partition": "rebalance"}}]}})",
                source("source", 40, std::to_string(length)), kSink),
            with(profile, 2));
        check_complete(run, 40);
      }
    }
  }
}

TEST_CASE("one record of a mebibyte among small ones passes under every profile") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 2'000; ++i)
    text += i == 1'000 ? std::string((1 << 20) - 1, 'x') + "\n" : fmt::format("line {}\n", i);
  folder.write("in.log", text);
  for (const Profile profile : {Profile::latency, Profile::balanced, Profile::throughput}) {
    const GraphRun run = run_graph_text(fmt::format(R"({{"name": "t", "operators": [
      {{"id": "source", "type": "file_source", "config": {{"path": "{}", "format": "lines"}}}},
      {{"id": "sink", "type": "file_sink", "config": {{"path": "{}", "format": "lines"}}}}],
      "edges": [{{"from": "source", "to": "sink", "partition": "rebalance"}}]}})",
                                                    folder.path("in.log"), folder.path("out.log")),
                                        with(profile, 2));
    check_complete(run, 2'000);
    CHECK(folder.read("out.log") == text);
  }
}

TEST_CASE("a chain of a thousand operators runs in one task") {
  std::string operators = source("source", 5'000) + ",";
  std::string edges;
  std::string before = "source";
  for (int i = 0; i < 1'000; ++i) {
    operators += fmt::format(R"({{"id": "f{}", "type": "filter", "config": {{"where": "n >= {}"}}}},)", i, i);
    edges += fmt::format(R"({{"from": "{}", "to": "f{}"}},)", before, i);
    before = fmt::format("f{}", i);
  }
  const GraphRun run = run_graph_text(
      fmt::format(R"({{"name": "t", "operators": [{}{}], "edges": [{}{{"from": "{}", "to": "sink"}}]}})",
                  operators, kSink, edges, before));
  check_complete(run, 4'001);
  CHECK(run.plan.tasks.size() == 1);
}

TEST_CASE("parallelism, threads and profile leave a windowed result as it is") {
  const TemporaryFolder folder;
  std::vector<std::string> expected;
  for (const Profile profile : {Profile::balanced, Profile::latency, Profile::throughput}) {
    for (const std::uint32_t threads : {1u, 2u, 4u}) {
      for (const int tasks : {1, 4}) {
        const GraphRun run = run_graph_text(fmt::format(R"({{"name": "t", "operators": [
          {{"id": "source", "type": "generator", "config": {{"count": 100000, "seed": 7, "columns": [
            {{"name": "k", "type": "int64", "gen": "zipf", "n": 500, "s": 1.1}},
            {{"name": "v", "type": "float64", "gen": "normal", "mean": 0, "stddev": 1000}},
            {{"name": "at", "type": "timestamp", "gen": "timestamp", "start": "2015-05-17T10:00:00Z", "step": "10ms"}}]}}}},
          {{"id": "time", "type": "event_time", "config": {{"column": "at", "max_out_of_orderness": "0s"}}}},
          {{"id": "double", "type": "map", "parallelism": {}, "config": {{"columns": [{{"name": "w", "expr": "v * 2"}}], "keep": true}}}},
          {{"id": "counts", "type": "window_aggregate", "parallelism": {}, "config": {{"keys": ["k"], "window": {{"type": "tumbling", "size": "1m"}},
            "aggregates": [{{"name": "n", "fn": "count"}}, {{"name": "s", "fn": "sum", "expr": "w"}}, {{"name": "a", "fn": "avg", "expr": "v"}},
                           {{"name": "m", "fn": "max", "expr": "v"}}]}}}},
          {{"id": "sink", "type": "file_sink", "config": {{"path": "{}", "format": "csv"}}}}],
          "edges": [{{"from": "source", "to": "time"}}, {{"from": "time", "to": "double"}}, {{"from": "double", "to": "counts"}},
                    {{"from": "counts", "to": "sink"}}]}})",
                                                        tasks, tasks, folder.path("out.csv")),
                                            with(profile, threads));
        CHECK(run.problems == "");
        CHECK(run.error == "");
        CHECK(run.differences == std::vector<std::string>{});
        if (expected.empty()) expected = folder.sorted_lines("out.csv");
        CHECK(folder.sorted_lines("out.csv") == expected);
      }
    }
  }
  CHECK(expected.size() > 1'000);
}

}  // namespace sluice
