#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/engine/graph/graph_texts.hpp"

namespace sluice {
namespace {

constexpr std::size_t kOperators = 20'000;

std::vector<std::string> chain_operators() {
  std::vector<std::string> operators = {"a:numbers"};
  for (std::size_t i = 1; i + 1 < kOperators; ++i) operators.push_back(fmt::format("k{}:keep", i));
  operators.push_back("s:sink");
  return operators;
}

std::vector<std::string> chain_edges() {
  std::vector<std::string> edges = {"a>k1"};
  for (std::size_t i = 1; i + 2 < kOperators; ++i) edges.push_back(fmt::format("k{}>k{}", i, i + 1));
  edges.push_back(fmt::format("k{}>s", kOperators - 2));
  return edges;
}

}  // namespace

TEST_CASE("a chain of 20,000 operators is sound") {
  const LoadedGraph loaded = load_text(graph_text(chain_operators(), chain_edges()));
  REQUIRE(loaded.graph);
  CHECK(loaded.graph->topological_order.size() == kOperators);
}

TEST_CASE("a cycle through 20,000 operators is one problem of a few words") {
  std::vector<std::string> edges = chain_edges();
  edges.push_back(fmt::format("k{}>k1", kOperators - 2));
  const LoadedGraph loaded = load_text(graph_text(chain_operators(), edges));
  REQUIRE(found(loaded) == std::vector<std::string>{fmt::format("cycle /edges/{}", kOperators - 1)});
  CHECK(loaded.report.diagnostics[0].problem.message ==
        "the graph has a cycle: k1 → k2 → k3 → k4 → k5 → … (19991 more) → k19997 → k19998 → k1");
}

TEST_CASE("20,000 self-loops are 20,000 problems") {
  std::vector<std::string> edges = chain_edges();
  for (std::size_t i = 1; i + 1 < kOperators; ++i) edges.push_back(fmt::format("k{}>k{}", i, i));
  CHECK(found(load_text(graph_text(chain_operators(), edges))).size() == kOperators - 2);
}

}  // namespace sluice
