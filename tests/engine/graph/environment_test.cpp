#include "engine/graph/environment.hpp"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/graph/graph_texts.hpp"

namespace sluice {
namespace {

Substitution substitute(std::string_view text) {
  const std::map<std::string, std::string> values = {
      {"A", "one"}, {"Q", "say \"x\\y\"\n"}, {"N", "7"}, {"EMPTY", ""}, {"LOOP", "${A}"}};
  return substitute_environment(text, [&](const std::string& name) -> std::optional<std::string> {
    const auto it = values.find(name);
    return it == values.end() ? std::nullopt : std::optional(it->second);
  });
}

}  // namespace

TEST_CASE("variables, defaults and escapes are replaced inside and outside of strings") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {R"({"a": "x-${A}-y"})", R"({"a": "x-one-y"})"},
      {R"({"a": ${N}})", R"({"a": 7})"},
      {R"({"a": ${NO:-12}})", R"({"a": 12})"},
      {R"("${NO:-a default}")", R"("a default")"},
      {R"("${NO:-}")", R"("")"},
      {R"("${EMPTY:-other}")", R"("other")"},
      {R"("${EMPTY}")", R"("")"},
      {R"("${A:-other}")", R"("one")"},
      {R"("$${A} costs $5 {x}")", R"("${A} costs $5 {x}")"},
      {R"("${LOOP}")", R"("${A}")"},
      {R"("\"${A}")", R"("\"one")"},
      {R"("\\${A}")", R"("\\one")"},
      {R"(${NO:-["a"]})", R"(["a"])"}};
  for (const auto& [text, expected] : table) {
    CAPTURE(text);
    const Substitution result = substitute(text);
    CHECK(result.text == expected);
    CHECK(result.problems.empty());
  }
}

TEST_CASE("a value with quotes, backslashes and line breaks stays one string") {
  const Substitution result = substitute(R"({"a": "${Q}", "b": 1})");
  CHECK(Json::parse(result.text) == Json{{"a", "say \"x\\y\"\n"}, {"b", 1}});
}

TEST_CASE("a variable that is not set or cannot be read is a problem") {
  const std::vector<std::pair<std::string, ErrorCode>> table = {
      {R"("${NO}")", ErrorCode::unset_variable}, {R"("${}")", ErrorCode::bad_value},
      {R"("${9}")", ErrorCode::bad_value},       {R"("${A")", ErrorCode::bad_value},
      {R"("${A B}")", ErrorCode::bad_value},     {R"("${NO:-${A}}")", ErrorCode::bad_value},
      {R"("${A-x}")", ErrorCode::bad_value}};
  for (const auto& [text, code] : table) {
    CAPTURE(text);
    const Substitution result = substitute(text);
    REQUIRE(result.problems.size() == 1);
    CHECK(error_name(result.problems[0].problem.code) == error_name(code));
  }
}

TEST_CASE(
    "positions refer to the file as it is, before and after replaced variables, on the same line and later "
    "ones") {
  const LoadedGraph loaded = load_text(
      "{\"name\": \"t\", \"description\": \"${QUOTED} ${NAME} é\", \"x\": 1,\n"
      " \"operators\": [{\"id\": \"a\", \"type\": \"${NO:-numbers}\", \"y\": 2}, {\"id\": \"s\", \"type\": "
      "\"sink\"}],\n"
      " \"edges\": [{\"from\": \"a\", \"to\": \"${NAME}\"}]}");
  REQUIRE(found(loaded) == std::vector<std::string>{"unknown_field /x", "unknown_field /operators/0/y",
                                                    "unknown_operator /edges/0/to"});
  const auto& diagnostics = loaded.report.diagnostics;
  CHECK(diagnostics[0].position == Position{1, 53});
  CHECK(diagnostics[1].position == Position{2, 54});
  CHECK(diagnostics[2].position == Position{3, 32});
}

TEST_CASE("an unset variable is one problem at its place, and what hangs on it is not judged") {
  const LoadedGraph loaded = load_text(
      "{\"name\": \"t\",\n"
      " \"operators\": [{\"id\": \"a\", \"type\": \"numbers\", \"config\": {\"count\": ${UNSET}}},\n"
      "               {\"id\": \"k\", \"type\": \"keep\", \"config\": {\"where\": \"${ALSO_UNSET}\"}},\n"
      "               {\"id\": \"s\", \"type\": \"sink\"}],\n"
      " \"edges\": [{\"from\": \"a\", \"to\": \"k\"}, {\"from\": \"k\", \"to\": \"s\"}]}");
  REQUIRE(found(loaded) == std::vector<std::string>{"unset_variable /operators/0/config/count",
                                                    "unset_variable /operators/1/config/where"});
  CHECK(loaded.report.diagnostics[0].position == Position{2, 67});
  CHECK(loaded.report.diagnostics[1].position == Position{3, 65});
}

}  // namespace sluice
