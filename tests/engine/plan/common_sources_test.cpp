#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/graph/load.hpp"
#include "engine/plan/common_sources.hpp"
#include "operators/builtin/builtin_catalogue.hpp"

namespace sluice {
namespace {

using Groups = std::vector<std::uint32_t>;

// s* are sources, all else filters, z the sink.
Groups groups_of(const std::vector<std::string>& operators,
                 const std::vector<std::pair<std::string, std::string>>& edges) {
  std::string json = R"({"name": "t", "operators": [)";
  for (const std::string& id : operators) {
    if (id.front() == 's') {
      json += fmt::format(R"({{"id": "{}", "type": "generator", "config": {{"count": 1,
                "columns": [{{"name": "i", "type": "int64", "gen": "sequence"}}]}}}},)",
                          id);
    } else {
      json += fmt::format(R"({{"id": "{}", "type": "filter", "config": {{"where": "i > 0"}}}},)", id);
    }
  }
  json += R"({"id": "z", "type": "null_sink"}], "edges": [)";
  for (const auto& [from, to] : edges) json += fmt::format(R"({{"from": "{}", "to": "{}"}},)", from, to);
  json.back() = ']';
  const LoadedGraph loaded = load_graph_text(json + "}", "test.json", ".", builtin_catalogue());
  REQUIRE_MESSAGE(loaded.graph, report_as_text(loaded.report, false));
  return group_by_common_sources(*loaded.graph);
}

TEST_CASE("inputs from different sources are groups of their own") {
  CHECK(groups_of({"s1", "s2", "s3", "a", "b"},
                  {{"s1", "a"}, {"a", "z"}, {"s2", "z"}, {"s3", "b"}, {"b", "z"}}) == Groups{0, 0, 1, 0, 2});
}

TEST_CASE("inputs that a source reaches by different ways are one group, however long the ways") {
  CHECK(groups_of({"s1", "a", "b", "c"}, {{"s1", "a"}, {"s1", "b"}, {"b", "c"}, {"a", "z"}, {"c", "z"}}) ==
        Groups{0, 0, 0, 0, 0});
}

TEST_CASE("an input that comes from the sources of several others brings them together") {
  // u is s1 and s2; z has s1, s2, s3, u.
  CHECK(groups_of({"s1", "s2", "s3", "u"},
                  {{"s1", "u"}, {"s2", "u"}, {"s3", "z"}, {"s1", "z"}, {"s2", "z"}, {"u", "z"}}) ==
        Groups{0, 1, 0, 1, 1, 1});
}

}  // namespace
}  // namespace sluice
