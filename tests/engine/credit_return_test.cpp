// Whatever happens to records on the way, every block and every credit comes back. The audit at the end of
// each run compares both ends of every channel; these graphs take the branches on which such runtimes have
// lost credits.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/engine/graph_run.hpp"

namespace sluice {
namespace {

// rows of a sequence through `middle` operators, every edge a channel.
std::string sequence_graph(std::uint64_t rows, const std::string& middle_type,
                           const std::string& middle_config) {
  return fmt::format(R"({{"name": "t", "operators": [
    {{"id": "source", "type": "generator", "config": {{"count": {}, "columns": [
      {{"name": "n", "type": "int64", "gen": "sequence"}}, {{"name": "text", "type": "string", "gen": "text", "length": 30}}]}}}},
    {{"id": "middle", "type": "{}", "config": {}}},
    {{"id": "sink", "type": "null_sink", "config": {{}}}}],
    "edges": [{{"from": "source", "to": "middle", "partition": "rebalance"}},
              {{"from": "middle", "to": "sink", "partition": "rebalance"}}]}})",
                     rows, middle_type, middle_config);
}

void check_clean(const GraphRun& run) {
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.differences == std::vector<std::string>{});
}

constexpr const char* kFailsEverySecond = R"json({"columns": [{"name": "x", "expr": "10 / (n % 2)"}]})json";

}  // namespace

TEST_CASE("a record that fails in every second row of a million gives every credit back") {
  const GraphRun run = run_graph_text(sequence_graph(1'000'000, "map", kFailsEverySecond));
  check_clean(run);
  CHECK(run.totals.read == 1'000'000);
  CHECK(run.totals.written == 500'000);
  CHECK(run.op("middle").bad.at("division_by_zero") == 500'000);
}

TEST_CASE("a filter that drops all rows gives every credit back") {
  const GraphRun run = run_graph_text(sequence_graph(1'000'000, "filter", R"({"where": "n < 0"})"));
  check_clean(run);
  CHECK(run.totals.read == 1'000'000);
  CHECK(run.totals.written == 0);
}

TEST_CASE("a malformed line among good ones is counted and the others come through") {
  const TemporaryFolder folder;
  std::string text = "n,name\n";
  for (int i = 0; i < 50'000; ++i)
    text += i % 1'000 == 7 ? "not,a,record\n" : fmt::format("{},row {}\n", i, i);
  folder.write("in.csv", text);
  const GraphRun run = run_graph_text(fmt::format(R"({{"name": "t", "operators": [
    {{"id": "source", "type": "file_source", "config": {{"path": "{}", "format": "csv",
       "schema": [{{"name": "n", "type": "int64"}}, {{"name": "name", "type": "string"}}]}}}},
    {{"id": "sink", "type": "null_sink", "config": {{}}}}],
    "edges": [{{"from": "source", "to": "sink", "partition": "rebalance"}}]}})",
                                                  folder.path("in.csv")));
  check_clean(run);
  CHECK(run.totals.written == 49'950);
  CHECK(run.totals.bad == 50);
}

TEST_CASE("a job that an operator fails gives every credit back") {
  const std::string config =
      R"json({"columns": [{"name": "x", "expr": "10 / (n - 500000)"}], "on_error": "fail"})json";
  const GraphRun run = run_graph_text(sequence_graph(1'000'000, "map", config));
  CHECK(run.differences == std::vector<std::string>{});
  CHECK(run.cancelled);
  CHECK(run.error.find("middle") != std::string::npos);
}

TEST_CASE("a job that is cancelled under load gives every credit back") {
  for (const Profile profile : {Profile::latency, Profile::balanced, Profile::throughput}) {
    PlanOptions options;
    options.profile = profile;
    const GraphRun run = run_graph_text(sequence_graph(500'000'000, "throttle", R"({"rate": "20000/s"})"),
                                        options, [](Worker& worker, const RunTotals& totals) {
                                          if (totals.written > 500) worker.cancel();
                                        });
    CHECK(run.cancelled);
    CHECK(run.error == "");
    CHECK(run.differences == std::vector<std::string>{});
    CHECK(run.totals.read > run.totals.written);
  }
}

TEST_CASE("a job that is drained under load carries everything through that was read") {
  const GraphRun run = run_graph_text(sequence_graph(500'000'000, "throttle", R"({"rate": "20000/s"})"), {},
                                      [](Worker& worker, const RunTotals& totals) {
                                        if (totals.written > 500) worker.drain();
                                      });
  check_clean(run);
  CHECK(run.totals.read > 500);
  CHECK(run.totals.read < 500'000'000);
  CHECK(run.totals.written == run.totals.read);
}

TEST_CASE("the smallest windows and pools finish, and smaller ones are refused with the sum") {
  PlanOptions options;
  bool refused = false;
  bool ran = false;
  for (std::uint64_t memory = 1 << 20; memory <= (32 << 20); memory += 1 << 20) {
    options.memory_bytes = memory;
    const GraphRun run =
        run_graph_text(sequence_graph(20'000, "filter", R"({"where": "n % 3 = 0"})"), options);
    if (run.problems != "") {
      CHECK_FALSE(ran);  // more memory never makes a plan impossible
      CHECK(run.problems.find("needs at least") != std::string::npos);
      refused = true;
      continue;
    }
    ran = true;
    check_clean(run);
    CHECK(run.totals.written == 6'667);
    std::size_t pool = 0;
    for (const TierSize& tier : run.plan.tiers) pool += tier.block_bytes * tier.blocks;
    CHECK(pool <= memory);
  }
  CHECK(refused);
  CHECK(ran);
}

}  // namespace sluice
