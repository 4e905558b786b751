#include "engine/graph/graph_schema.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "engine/graph/load.hpp"
#include "operators/builtin/builtin_catalogue.hpp"
#include "tests/engine/graph/stand_in_catalogue.hpp"
#include "tests/source_root.hpp"

namespace sluice {
namespace {

const std::filesystem::path kGraphs = test::source_root() / "graphs";

}  // namespace

TEST_CASE("graphs/schema/graph.schema.json is what `sluice operators --schema` prints") {
  std::ifstream file(kGraphs / "schema" / "graph.schema.json");
  REQUIRE(file.is_open());
  INFO("write it anew: sluice operators --schema > graphs/schema/graph.schema.json");
  CHECK(Json::parse(file) == graph_schema(builtin_catalogue()));
}

TEST_CASE("the schema holds every operator type once, as a choice, a condition and a definition") {
  const Json schema = graph_schema(stand_in_catalogue());
  const Json& node = schema["$defs"]["operator"];
  const std::size_t types = stand_in_catalogue().types().size();
  CHECK(node["properties"]["type"]["oneOf"].size() == types);
  CHECK(node["allOf"].size() == types);
  CHECK(schema["$defs"].size() == types + 1);
  CHECK(schema["$defs"]["keep"]["properties"].contains("on_error"));
}

TEST_CASE("the examples of all built-in operators follow their own fields") {
  for (const OperatorType& type : builtin_catalogue().types()) {
    CAPTURE(type.type);
    Problems problems;
    check_fields(type.fields, Json::parse(type.example), "", problems);
    CHECK(problems.empty());
  }
}

TEST_CASE("the graphs that are shipped as examples are sound") {
  for (const auto& entry : std::filesystem::directory_iterator(kGraphs)) {
    if (entry.path().extension() != ".json") continue;
    const LoadedGraph loaded = load_graph(entry.path().string(), builtin_catalogue());
    CAPTURE(report_as_text(loaded.report, false));
    CHECK(loaded.graph);
  }
}

}  // namespace sluice
