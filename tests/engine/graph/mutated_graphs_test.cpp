#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine/graph/load.hpp"
#include "operators/builtin/builtin_catalogue.hpp"
#include "tests/source_root.hpp"

namespace sluice {
namespace {

std::string example() {
  const auto path = test::source_root() / "graphs" / "generated-top-users.json";
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Pieces of other places of the text, and values that are often taken badly.
std::string replacement(const std::string& text) {
  static const std::vector<std::string> values = {"null",     "-1",   "1e999",  "18446744073709551616",
                                                  "[]",       "{}",   "\"\"",   "\"",
                                                  "\\",       "${X}", "}",      "]",
                                                  "\xff",     ",",    ":",      "true",
                                                  "0",        "[[[[", "\"in\"", "1e3",
                                                  "\"a.b.c\""};
  if (*rc::gen::arbitrary<bool>()) return *rc::gen::elementOf(values);
  const auto from = *rc::gen::inRange<std::size_t>(0, text.size());
  return text.substr(from, *rc::gen::inRange<std::size_t>(0, 60));
}

}  // namespace

TEST_CASE(
    "a graph with anything at any place is sound or refused at places of its text, and never more than "
    "that") {
  const std::string original = example();
  REQUIRE(original.size() > 100);
  CHECK(rc::check([&] {
    std::string text = original;
    const int changes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < changes; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      text.replace(at, *rc::gen::inRange<std::size_t>(0, 12), replacement(original));
    }
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    const LoadedGraph loaded = load_graph_text(text, "x.json", ".", builtin_catalogue());
    RC_ASSERT(loaded.graph.has_value() == loaded.report.ok());
    for (const Diagnostic& diagnostic : loaded.report.diagnostics) {
      RC_ASSERT(diagnostic.position.line >= 1);
      RC_ASSERT(diagnostic.position.line <= lines);
      RC_ASSERT(!diagnostic.problem.message.empty());
    }
  }));
}

}  // namespace sluice
