#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/graph/graph_texts.hpp"

namespace sluice {
namespace {

using Strings = std::vector<std::string>;

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), by);
}

const Strings kOperators = {"a:numbers", "k:keep", "s:sink"};
const Strings kEdges = {"a>k", "k>s"};

}  // namespace

TEST_CASE("a sound graph is bound, sorted and resolved") {
  const LoadedGraph loaded = load_text(graph_text({"s:sink", "p:pair", "k:keep:2", "a:numbers"},
                                                  {"a>k", "k>p.left", "a.out>p.right", "p>s.in"}));
  CAPTURE(report_as_text(loaded.report, false));
  REQUIRE(loaded.graph);
  const Graph& graph = *loaded.graph;
  CHECK(graph.name == "test");
  CHECK(graph.base_directory == "/folder");
  CHECK(graph.topological_order == std::vector<std::size_t>{3, 2, 1, 0});
  CHECK(graph.operators[2].parallelism == 2);
  for (const OperatorNode& node : graph.operators) CHECK(node.bound != nullptr);
  CHECK(graph.edges[1].from == 2);
  CHECK(graph.edges[1].to == 1);
  CHECK(graph.edges[2].input_port == 1);
  CHECK(graph.operators[1].input_schemas.size() == 2);
  CHECK(input_name(graph, graph.edges[1]) == "p.left");
  CHECK(output_name(graph, graph.edges[1]) == "k");
  CHECK(graph.source->position_of("/operators/2/id") == Position{6, 12});
  CHECK(graph.source->position_of("/runtime/memory") == Position{1, 1});
}

TEST_CASE("options of runtime, edges and placement are read") {
  std::string text = graph_text(kOperators, kEdges);
  text = replaced(text, "\"name\": \"test\",",
                  R"("$schema": "schema/graph.schema.json", "name": "test", "description": "d",
      "runtime": {"profile": "latency", "memory": "64MiB", "threads": 3}, "plugins": [],)");
  text = replaced(text, R"("to": "k"})",
                  R"("to": "k", "partition": {"hash": ["n"]}, "loss": {"policy": "none"},
      "credits": {"profile": "throughput", "window": 0.9, "high": 1, "low": 0.25, "min_blocks": 65536}})");
  text = replaced(text, R"("type": "keep")",
                  R"("type": "keep", "placement": {"labels": {"rack": "a"}, "with": "s"})");
  const LoadedGraph loaded = load_text(text);
  CAPTURE(report_as_text(loaded.report, false));
  REQUIRE(loaded.graph);
  CHECK(loaded.graph->runtime.profile == Profile::latency);
  CHECK(loaded.graph->runtime.memory_bytes == 64U << 20U);
  CHECK(loaded.graph->runtime.threads == 3);
  const EdgeNode& edge = loaded.graph->edges[0];
  CHECK(edge.partition.kind == Partition::Kind::hash);
  CHECK(edge.partition.keys == Strings{"n"});
  CHECK(edge.credits.profile == Profile::throughput);
  CHECK(edge.credits.window == 0.9);
  CHECK(edge.credits.min_blocks == 65536);
  CHECK(loaded.graph->operators[1].placement.with == 2);
  CHECK(loaded.graph->operators[1].placement.labels.at("rack") == "a");
}

struct Shape {
  Strings operators;
  Strings edges;
  Strings expected;
};

TEST_CASE("each mistake in the shape of a graph is one problem, without followers") {
  const std::vector<Shape> table = {
      // what is downstream of a broken operator is not judged
      {{"a:numbres", "k:keep", "s:sink"}, {"a>k", "k>s"}, {"unknown_operator_type /operators/0/type"}},
      {{"a:numbers", "k:keep", "s:sink"}, {"a>kk", "k>s"}, {"unknown_operator /edges/0/to"}},
      {{"a:numbers", "a:keep", "s:sink"}, {"a>s"}, {"duplicate_id /operators/1/id"}},
      {{"a:numbers", "k:keep", "s:sink"}, {"a>k", "k>s", "k>k"}, {"cycle /edges/2"}},
      {{"a:numbers", "k:keep", "l:keep", "s:sink"}, {"a>k", "k>l", "l>k", "l>s"}, {"cycle /edges/2"}},
      // two cycles are two problems
      {{"a:numbers", "s:sink", "k:keep", "l:keep"},
       {"a>s", "k>k", "l>l"},
       {"cycle /edges/1", "cycle /edges/2"}},
      // ports
      {{"a:numbers", "p:pair", "s:sink"}, {"a>p", "p>s"}, {"unknown_port /edges/0/to"}},
      {{"a:numbers", "p:split", "s:sink"}, {"a>p", "p>s"}, {"unknown_port /edges/1/from"}},
      {{"a:numbers", "p:pair", "s:sink"}, {"a>p.left", "p>s"}, {"port_not_connected /operators/1"}},
      {{"a:numbers", "p:split", "s:sink"}, {"a>p", "p.no>s"}, {}},
      {{"a:numbers", "p:split"}, {"a>p"}, {"port_not_connected /operators/1"}},
      {{"a:numbers", "s:sink", "b:texts"}, {"a>s"}, {"port_not_connected /operators/2"}},
      // reach
      {{"s:sink"}, {}, {"no_source /operators", "unreachable /operators/0"}},
      {{"a:numbers", "s:sink", "t:sink"}, {"a>s"}, {"unreachable /operators/2"}},
      {{"a:numbers", "s:sink", "i:idle", "t:sink"}, {"a>s", "i>t"}, {"unreachable /operators/2"}},
      // edges
      {{"a:numbers", "s:sink"}, {"a>s", "a.out>s.in"}, {"duplicate_edge /edges/1"}},
      {{"a:numbers", "b:texts", "s:sink", "t:sink"}, {"a>s", "b>s", "a>t"}, {"schema_mismatch /edges/1"}},
  };
  for (const Shape& shape : table) {
    const std::string text = graph_text(shape.operators, shape.edges);
    CAPTURE(text);
    CHECK(found(load_text(text)) == shape.expected);
  }
}

TEST_CASE(
    "a problem of binding is found at the config, with the lines that show it, and nothing downstream is") {
  std::string text = graph_text({"a:numbers", "k:keep", "l:keep", "s:sink"}, {"a>k", "k>l", "l>s"});
  text = replaced(text, R"("id": "k", "type": "keep")",
                  R"("id": "k", "type": "keep", "config": {"where": "m < 1"})");
  text = replaced(text, R"("id": "l", "type": "keep")",
                  R"("id": "l", "type": "keep", "config": {"where": "also wrong"})");
  const LoadedGraph loaded = load_text(text);
  REQUIRE(found(loaded) == Strings{"unknown_column /operators/1/config/where"});
  CHECK(report_as_text(loaded.report, false) ==
        "test.json:5:53: error[unknown_column] at /operators/1/config/where: no such column\n  m < 1\n  ^\n");
}

TEST_CASE("an empty name or reference is refused wherever one stands") {
  const std::string text = graph_text({"a:numbers", "k:keep", "s:sink"}, {"a>k", "k>s"});
  const std::string placed = R"("type": "keep", "placement": {"with": "s"})";
  struct Row {
    std::string part;
    std::string emptied;
    std::string pointer;
  };
  const std::vector<Row> table = {
      {R"("name": "test")", R"("name": "")", "/name"},
      {R"("id": "k")", R"("id": "")", "/operators/1/id"},
      {R"("id": "a")", R"("id": "")", "/operators/0/id"},
      {R"("type": "keep")", R"("type": "")", "/operators/1/type"},
      {R"("with": "s")", R"("with": "")", "/operators/1/placement/with"},
      {R"("from": "k")", R"("from": "")", "/edges/1/from"},
      {R"("to": "k")", R"("to": "")", "/edges/0/to"},
  };
  for (const Row& row : table) {
    CAPTURE(row.pointer);
    std::string sound = text;
    if (row.part == R"("with": "s")") sound = replaced(sound, R"("type": "keep")", placed);
    const LoadedGraph loaded = load_text(replaced(sound, row.part, row.emptied));
    CHECK_FALSE(loaded.graph);
    const Strings problems = found(loaded);
    CHECK(std::find(problems.begin(), problems.end(), "bad_name " + row.pointer) != problems.end());
  }
}

TEST_CASE("independent problems are all reported, in the order of the text") {
  std::string text = graph_text({"a:numbers", "k:keep", "s:snik"}, {"a>k", "k>ss"});
  text = replaced(text, "\"name\": \"test\"", "\"name\": \"Test!\"");
  text = replaced(text, R"("type": "keep")", R"("type": "keep", "parallelism": 0)");
  CHECK(found(load_text(text)) == Strings{"bad_name /name", "out_of_range /operators/1/parallelism",
                                          "unknown_operator_type /operators/2/type",
                                          "unknown_operator /edges/1/to"});
}

TEST_CASE("a forward edge needs as many tasks on both sides as will run") {
  const auto load = [](const Strings& operators) {
    return found(load_text(replaced(graph_text(operators, {"a>k", "k>s"}), R"("to": "k"})",
                                    R"("to": "k", "partition": "forward"})")));
  };
  CHECK(load({"a:numbers", "k:keep", "s:sink"}).empty());
  CHECK(load({"a:numbers:2", "k:keep:2", "s:sink"}).empty());
  CHECK(load({"a:numbers", "k:keep:2", "s:sink"}) == Strings{"bad_value /edges/0/partition"});
  CHECK(load({"a:numbers", "k:single:4", "s:sink"}).empty());
}

TEST_CASE("records of equal keys are not sent to different tasks of a keyed operator") {
  const auto load = [](const std::string& partition, const std::string& parallelism) {
    std::string text =
        graph_text({"a:numbers:" + parallelism, "g:group:" + parallelism, "h:group:" + parallelism, "s:sink"},
                   {"a>g", "g>h", "h>s"});
    text = replaced(text, R"("to": "g"})", R"("to": "g", "partition": )" + partition + "}");
    return found(load_text(text));
  };
  CHECK(load(R"({"hash": ["n"]})", "2").empty());
  CHECK(load(R"("rebalance")", "1").empty());
  CHECK(load(R"("rebalance")", "2") == Strings{"bad_value /edges/0/partition"});
  CHECK(load(R"("broadcast")", "2") == Strings{"bad_value /edges/0/partition"});
  CHECK(load(R"("forward")", "2") == Strings{"bad_value /edges/0/partition"});
  // From one keyed operator to the next the records stay where they are.
  std::string text = graph_text({"a:numbers:2", "g:group:2", "h:group:2", "s:sink"}, {"a>g", "g>h", "h>s"});
  CHECK(found(load_text(replaced(text, R"("to": "h"})", R"("to": "h", "partition": "forward"})"))).empty());
}

TEST_CASE("thousands of wrong edges are all reported in linear time") {
  Strings operators = {"a:numbers", "s:sink"};
  Strings edges = {"a>s"};
  for (int i = 0; i < 5000; ++i) {
    operators.push_back("k" + std::to_string(i) + ":keep");
    edges.push_back("k" + std::to_string(i) + ">x" + std::to_string(i));
  }
  CHECK(found(load_text(graph_text(operators, edges))).size() == 5000);
}

}  // namespace sluice
