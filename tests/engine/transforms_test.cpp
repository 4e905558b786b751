// The operators that pass records on, together in whole graphs: the same records come out whatever the number
// of tasks and threads and whatever the profile.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "tests/engine/graph_run.hpp"

namespace sluice {
namespace {

using Lines = std::vector<std::string>;

// Orders with items, out of order, some twice, some broken.
std::string orders(std::uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  std::string text;
  for (int i = 0; i < count; ++i) {
    const auto t =
        static_cast<std::int64_t>(1'700'000'000'000 + i * 100 + static_cast<int>(random() % 4'000) - 2'000);
    std::string items = "[";
    for (std::uint64_t n = random() % 4, k = 0; k < n; ++k)
      items += fmt::format("{}{{\"sku\":\"s{}\",\"n\":{}}}", k > 0 ? "," : "", random() % 50, random() % 9);
    items += random() % 40 == 0 ? "" : "]";
    const std::string line = fmt::format("{},u{},{},\"{}\"\n", t, random() % 30, random() % 200, [&] {
      std::string doubled;
      for (const char c : items) doubled += c == '"' ? std::string("\"\"") : std::string(1, c);
      return doubled;
    }());
    text += line;
    if (random() % 5 == 0) text += line;
  }
  return "t,user,amount,items\n" + text;
}

std::string graph(const TemporaryFolder& folder, std::uint32_t parallelism) {
  return fmt::format(
      R"json({{"name": "transforms", "operators": [
    {{"id": "in", "type": "file_source", "config": {{"path": "{0}/in.csv", "format": "csv", "schema": [
      {{"name": "t", "type": "timestamp", "format": "epoch_ms"}}, {{"name": "user", "type": "string"}},
      {{"name": "amount", "type": "int64"}}, {{"name": "items", "type": "string"}}]}}}},
    {{"id": "time", "type": "event_time", "config": {{"column": "t", "max_out_of_orderness": "3s"}}}},
    {{"id": "once", "type": "dedup", "parallelism": {1}, "config": {{"keys": ["user", "t"], "within": "1ms"}}}},
    {{"id": "spent", "type": "over", "parallelism": {1}, "config": {{"keys": ["user"], "range": "30s", "aggregates": [
      {{"name": "orders", "fn": "count"}}, {{"name": "spent", "fn": "sum", "expr": "amount"}},
      {{"name": "most", "fn": "max", "expr": "amount"}}, {{"name": "mean", "fn": "avg", "expr": "amount"}}]}}}},
    {{"id": "kind", "type": "route", "parallelism": {1}, "config": {{"routes": [
      {{"port": "large", "where": "spent >= 1200"}}, {{"port": "small", "where": "spent < 800"}}]}}}},
    {{"id": "some", "type": "sample", "parallelism": {1}, "config": {{"rate": 0.5, "by": ["user"], "seed": 3}}}},
    {{"id": "items", "type": "unnest", "parallelism": {1}, "config": {{"column": "items", "value": "item", "key": "at"}}}},
    {{"id": "large", "type": "file_sink", "config": {{"path": "{0}/large.csv", "format": "csv"}}}},
    {{"id": "rest", "type": "file_sink", "config": {{"path": "{0}/rest.csv", "format": "csv"}}}},
    {{"id": "unnested", "type": "file_sink", "config": {{"path": "{0}/items.csv", "format": "csv"}}}},
    {{"id": "late", "type": "file_sink", "config": {{"path": "{0}/late.csv", "format": "csv"}}}},
    {{"id": "bad", "type": "file_sink", "config": {{"path": "{0}/bad.csv", "format": "csv"}}}}],
    "edges": [{{"from": "in", "to": "time"}}, {{"from": "time", "to": "once"}}, {{"from": "once", "to": "spent"}},
      {{"from": "spent", "to": "kind"}}, {{"from": "kind.large", "to": "large"}}, {{"from": "kind.otherwise", "to": "rest"}},
      {{"from": "kind.small", "to": "some"}}, {{"from": "some", "to": "items"}}, {{"from": "items", "to": "unnested"}},
      {{"from": "once.late", "to": "late"}}, {{"from": "items.errors", "to": "bad"}}]}})json",
      folder.path(""), parallelism);
}

struct Files {
  Lines large, rest, items, late, bad;
  bool operator==(const Files&) const = default;
};

Files run(const TemporaryFolder& folder, std::uint32_t parallelism, const PlanOptions& options) {
  const GraphRun done = run_graph_text(graph(folder, parallelism), options);
  CHECK(done.problems == "");
  CHECK(done.error == "");
  CHECK(done.differences == Lines{});
  // What goes in comes out by one of the ports.
  const std::uint64_t routed = done.op("large").in + done.op("rest").in + done.op("some").in;
  CHECK(routed == done.op("kind").in);
  CHECK(done.op("spent").in == done.op("kind").in + done.op("spent").late);
  return {folder.sorted_lines("large.csv"), folder.sorted_lines("rest.csv"), folder.sorted_lines("items.csv"),
          folder.sorted_lines("late.csv"), folder.sorted_lines("bad.csv")};
}

}  // namespace

TEST_CASE("dedup, over, route, sample and unnest give the same for any tasks, threads and profile") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    const TemporaryFolder folder;
    folder.write("in.csv", orders(seed, 4'000));
    const Files once = run(folder, 1, {});
    CHECK(once.large.size() > 100);
    CHECK(once.rest.size() > 100);
    CHECK(once.items.size() > 100);
    CHECK(once.late.size() > 10);
    CHECK(once.bad.size() > 3);
    for (const std::uint32_t parallelism : {1u, 4u}) {
      for (const std::uint32_t threads : {1u, 2u}) {
        for (const Profile profile : {Profile::latency, Profile::balanced, Profile::throughput}) {
          PlanOptions options;
          options.threads = threads;
          options.profile = profile;
          CAPTURE(parallelism);
          CAPTURE(threads);
          CHECK(run(folder, parallelism, options) == once);
        }
      }
    }
  }
}

TEST_CASE("one JSON record of 300,000 items goes through small memory, item by item") {
  const TemporaryFolder folder;
  std::string text = "{\"j\":[0";
  for (int i = 1; i < 300'000; ++i) text += fmt::format(",{}", i % 10);
  folder.write("in.jsonl", text + "]}\n");
  PlanOptions options;
  options.memory_bytes = 64u << 20;
  const GraphRun done = run_graph_text(fmt::format(
                                           R"json({{"name": "items", "operators": [
    {{"id": "in", "type": "file_source", "config": {{"path": "{}", "format": "jsonl", "schema": [{{"name": "j", "type": "json"}}]}}}},
    {{"id": "items", "type": "unnest", "config": {{"column": "j", "value": "v"}}}},
    {{"id": "n", "type": "map", "config": {{"columns": [{{"name": "v", "expr": "cast(json_text(v, '') as int64)"}}]}}}},
    {{"id": "sum", "type": "window_aggregate", "config": {{"window": {{"type": "global"}}, "aggregates": [
      {{"name": "n", "fn": "count"}}, {{"name": "s", "fn": "sum", "expr": "v"}}]}}}},
    {{"id": "out", "type": "file_sink", "config": {{"path": "{}", "format": "csv"}}}}],
    "edges": [{{"from": "in", "to": "items", "partition": "rebalance"}}, {{"from": "items", "to": "n", "partition": "rebalance"}},
      {{"from": "n", "to": "sum"}}, {{"from": "sum", "to": "out"}}]}})json",
                                           folder.path("in.jsonl"), folder.path("out.csv")),
                                       options);
  CHECK(done.problems == "");
  CHECK(done.error == "");
  CHECK(done.differences == Lines{});
  CHECK(folder.read("out.csv") == "n,s\n300000,1350000\n");
}

TEST_CASE("a range that holds more than the task's state may ends the job with the operator and what to do") {
  PlanOptions options;
  options.state_memory_bytes = 4u << 20;
  const GraphRun done = run_graph_text(
      R"json({"name": "state", "operators": [
    {"id": "in", "type": "generator", "config": {"count": 10000000, "columns": [
      {"name": "i", "type": "int64", "gen": "sequence"},
      {"name": "t", "type": "timestamp", "gen": "timestamp", "start": "2026-01-01T00:00:00Z", "step": "1ms"}]}},
    {"id": "time", "type": "event_time", "config": {"column": "t", "max_out_of_orderness": "1s"}},
    {"id": "long", "type": "over", "config": {"range": "365d", "aggregates": [{"name": "s", "fn": "sum", "expr": "i"}]}},
    {"id": "out", "type": "null_sink"}],
    "edges": [{"from": "in", "to": "time"}, {"from": "time", "to": "long"}, {"from": "long", "to": "out"}]})json",
      options);
  CHECK(done.cancelled);
  CHECK(done.error.find("long") != std::string::npos);
  CHECK(done.error.find("state_memory") != std::string::npos);
  CHECK(done.differences == Lines{});
}

}  // namespace sluice
