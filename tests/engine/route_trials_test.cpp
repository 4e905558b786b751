// The operator route as a whole run: which port a record leaves by, what an error in a condition does under
// each on_error, and what ports without an edge are.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/graph_run.hpp"

namespace sluice {
namespace {

// Each port of `route` that is in `ports` goes to to_PORT.csv.
std::string route_graph(const TemporaryFolder& folder, const std::string& config,
                        const std::vector<std::string>& ports, std::uint32_t parallelism = 1) {
  std::string sinks, edges;
  for (const std::string& port : ports) {
    sinks += fmt::format(
        R"(, {{"id": "to_{0}", "type": "file_sink", "config": {{"path": "{1}", "format": "csv"}}}})", port,
        folder.path("to_" + port + ".csv"));
    edges += fmt::format(R"(, {{"from": "route.{0}", "to": "to_{0}"}})", port);
  }
  return fmt::format(R"({{"name": "routed", "operators": [
    {{"id": "in", "type": "file_source", "config": {{"path": "{}", "format": "csv", "schema": [
      {{"name": "n", "type": "int64"}}, {{"name": "s", "type": "string"}}]}}}},
    {{"id": "route", "type": "route", "parallelism": {}, "config": {}}}{}],
    "edges": [{{"from": "in", "to": "route"}}{}]}})",
                     folder.path("in.csv"), parallelism, config, sinks, edges);
}

std::string config_of(const std::vector<std::pair<const char*, const char*>>& routes,
                      const char* on_error = "dead_letter") {
  std::string list;
  for (const auto& [port, where] : routes)
    list += fmt::format(R"({}{{"port": "{}", "where": "{}"}})", list.empty() ? "" : ", ", port, where);
  return fmt::format(R"({{"routes": [{}], "on_error": "{}"}})", list, on_error);
}

GraphRun run_route(const std::string& json) {
  GraphRun run = run_graph_text(json);
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.differences == std::vector<std::string>{});
  return run;
}

constexpr const char* kRecords = "n,s\n1,a\n2,\n,b\n0,x\n5,c\n";

}  // namespace

TEST_CASE("of several true routes the first takes a record, and a null condition is not true") {
  const TemporaryFolder folder;
  folder.write("in.csv", kRecords);
  // Ports may be called as ports of other operators are, and differ in case alone.
  run_route(route_graph(
      folder, config_of({{"in", "n >= 2"}, {"out", "n > 0"}, {"Out", "s = 'b'"}, {"late", "n > 0"}}),
      {"in", "out", "Out", "late", "otherwise", "errors"}));
  CHECK(folder.read("to_in.csv") == "n,s\n2,\n5,c\n");
  CHECK(folder.read("to_out.csv") == "n,s\n1,a\n");
  CHECK(folder.read("to_Out.csv") == "n,s\n,b\n");
  CHECK(folder.read("to_late.csv") == "n,s\n");
  CHECK(folder.read("to_otherwise.csv") == "n,s\n0,x\n");
  CHECK(folder.read("to_errors.csv") == "input,operator,code,message\n");
}

TEST_CASE("a condition that fails takes the record out, under each on_error, unless a route took it before") {
  const std::vector<std::pair<const char*, const char*>> first = {{"fast", "10 / n > 3"}, {"any", "true"}};
  for (const char* on_error : {"dead_letter", "skip"}) {
    for (const bool connected : {true, false}) {
      CAPTURE(on_error);
      CAPTURE(connected);
      const TemporaryFolder folder;
      folder.write("in.csv", kRecords);
      std::vector<std::string> ports = {"fast", "any", "otherwise"};
      if (connected) ports.push_back("errors");
      const GraphRun run = run_route(route_graph(folder, config_of(first, on_error), ports));
      CHECK(folder.read("to_fast.csv") == "n,s\n1,a\n2,\n");
      CHECK(folder.read("to_any.csv") == "n,s\n,b\n5,c\n");
      CHECK(folder.read("to_otherwise.csv") == "n,s\n");
      CHECK(run.op("route").bad.at("division_by_zero") == 1);
      const bool letter = on_error == std::string("dead_letter");
      if (connected) CHECK(folder.sorted_lines("to_errors.csv").size() == (letter ? 2 : 1));
    }
  }
  const TemporaryFolder folder;
  folder.write("in.csv", kRecords);
  GraphRun run = run_graph_text(route_graph(folder, config_of(first, "fail"), {"fast", "any"}));
  CHECK(run.cancelled);
  CHECK(run.error.find(
            "operator route: bad record (division_by_zero): 10 / 0; the record: {\"n\":0,\"s\":\"x\"}") !=
        std::string::npos);
  CHECK(run.differences == std::vector<std::string>{});
  // Asked in the other order nothing fails: who has left by a port is not asked again.
  run = run_route(route_graph(folder, config_of({{"zero", "n = 0"}, {"fast", "10 / n > 3"}}, "fail"),
                              {"zero", "fast", "otherwise"}));
  CHECK(folder.read("to_zero.csv") == "n,s\n0,x\n");
  CHECK(folder.read("to_otherwise.csv") == "n,s\n,b\n5,c\n");
}

TEST_CASE("ports without an edge drop their records and hold nothing up") {
  const TemporaryFolder folder;
  std::string text = "n,s\n";
  for (int i = 0; i < 100'000; ++i) text += fmt::format("{},row\n", i);
  folder.write("in.csv", text);
  const std::string config = config_of({{"rare", "n % 1000 = 0"}, {"even", "n % 2 = 0"}});
  for (const std::uint32_t parallelism : {1u, 3u}) {
    for (const char* port : {"rare", "even", "otherwise"}) {
      const GraphRun run = run_route(route_graph(folder, config, {port}, parallelism));
      CHECK(run.op("route").in == 100'000);
      CHECK(run.op("route").out == 100'000);
      CHECK(run.totals.written == (port == std::string("rare")   ? 100
                                   : port == std::string("even") ? 49'900
                                                                 : 50'000));
    }
  }
}

TEST_CASE(
    "an edge from a route has to name its port, and one that no route has is refused with those there are") {
  const TemporaryFolder folder;
  folder.write("in.csv", kRecords);
  const std::string json = route_graph(folder, config_of({{"big", "n > 1"}}), {"big"});
  const auto with = [&](const std::string& from) {
    std::string changed = json;
    const std::string whole = R"("route.big")";
    return run_graph_text(changed.replace(changed.find(whole), whole.size(), "\"" + from + "\"")).problems;
  };
  CHECK(with("route.big") == "");
  CHECK(with("route").find("its output ports: \"otherwise\", \"errors\" and \"big\"") != std::string::npos);
  CHECK(with("route.bigg").find("did you mean \"big\"") != std::string::npos);
  CHECK(with("route.in").find("error[unknown_port]") != std::string::npos);
}

}  // namespace sluice
