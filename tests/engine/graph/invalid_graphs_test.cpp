#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "engine/graph/load.hpp"
#include "operators/builtin/builtin_catalogue.hpp"
#include "operators/config/catalogue.hpp"
#include "tests/source_root.hpp"

namespace sluice {
namespace {

const std::filesystem::path kRoot = test::source_root();
const std::filesystem::path kFolder = kRoot / "graphs" / "invalid";

// [{"file", "problems": [{"code", "pointer", "line", "column", "message", "hint"}, …]}, …]; message and hint
// are parts.
Json table() {
  return Json::parse(std::ifstream(kRoot / "tests" / "engine" / "graph" / "invalid_graphs.json"));
}

bool fits(const Diagnostic& diagnostic, const Json& expected) {
  const auto contains = [&](const std::string& text, const char* part) {
    return text.find(expected.value(part, "")) != std::string::npos;
  };
  const auto is = [&](std::size_t value, const char* field) { return expected.value(field, value) == value; };
  return error_name(diagnostic.problem.code) == expected["code"] &&
         diagnostic.problem.pointer == expected["pointer"] && is(diagnostic.position.line, "line") &&
         is(diagnostic.position.column, "column") && contains(diagnostic.problem.message, "message") &&
         contains(diagnostic.problem.hint, "hint");
}

}  // namespace

TEST_CASE("every invalid graph is refused with the right code, pointer, line and hint, and nothing else") {
  for (const Json& row : table()) {
    const std::string file = row["file"];
    const LoadedGraph loaded = load_graph((kFolder / file).string(), builtin_catalogue());
    CAPTURE(report_as_text(loaded.report, false));
    CHECK_FALSE(loaded.graph);
    CHECK(loaded.report.diagnostics.size() == row["problems"].size());
    for (const Json& expected : row["problems"]) {
      CAPTURE(expected.dump());
      bool seen = false;
      for (const Diagnostic& diagnostic : loaded.report.diagnostics)
        seen = seen || fits(diagnostic, expected);
      CHECK(seen);
    }
  }
}

TEST_CASE("every file of graphs/invalid is in the table, and the other way round") {
  std::set<std::string> listed;
  for (const Json& row : table()) listed.insert(row["file"].get<std::string>());
  std::set<std::string> present;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".json") present.insert(entry.path().filename().string());
  }
  CHECK(listed == present);
  CHECK(present.size() >= 45);
}

TEST_CASE("inputs that are no documents are refused in one sentence") {
  const auto codes = [](const std::string& text) {
    std::set<std::string> found;
    const LoadedGraph loaded = load_graph_text(text, "x.json", ".", builtin_catalogue());
    for (const Diagnostic& diagnostic : loaded.report.diagnostics) {
      found.emplace(error_name(diagnostic.problem.code));
    }
    return found;
  };
  CHECK(codes(std::string(100'000, '[')) == std::set<std::string>{"too_deep"});
  CHECK(codes(std::string(100'000, '[') + std::string(100'000, ']')) == std::set<std::string>{"too_deep"});
  CHECK(codes(std::string(kMaxDocumentBytes + 1, ' ')) == std::set<std::string>{"too_large"});
  CHECK(codes(std::string(kMaxDocumentBytes, ' ')) == std::set<std::string>{"malformed_json"});
  CHECK(codes("{\"name\": " + std::string(1'000'000, '1') + "}") ==
        std::set<std::string>{"out_of_range", "missing_field"});
  CHECK(codes(std::string(1000, '\0')) == std::set<std::string>{"malformed_json"});
  const auto unreadable = [](const std::string& path) {
    return std::string(
        error_name(load_graph(path, builtin_catalogue()).report.diagnostics.at(0).problem.code));
  };
  CHECK(unreadable((kFolder / "no such file.json").string()) == "file_unreadable");
  CHECK(unreadable(kFolder.string()) == "file_unreadable");
}

}  // namespace sluice
