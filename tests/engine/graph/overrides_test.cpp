#include "engine/graph/overrides.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/graph/graph_texts.hpp"

namespace sluice {
namespace {

Json document() {
  return Json::parse(R"({"name": "x", "a/b": {"c~d": 1},
                         "operators": [{"id": "log", "config": {"path": "p"}}, {"id": "out", "config": {}}]})");
}

}  // namespace

TEST_CASE("an override replaces a value, as JSON if it reads as JSON and as a string otherwise") {
  struct Row {
    std::string assignment;
    std::string pointer;
    Json value;
  };
  const std::vector<Row> table = {{"/name=other", "/name", "other"},
                                  {"/name=\"7\"", "/name", "7"},
                                  {"/name=7", "/name", 7},
                                  {"/name=", "/name", ""},
                                  {"/name=a=b", "/name", "a=b"},
                                  {"/name=[1, {\"k\": null}]", "/name", Json::parse(R"([1, {"k": null}])")},
                                  {"/name=1000/s", "/name", "1000/s"},
                                  {"/a~1b/c~0d=2", "/a~1b/c~0d", 2},
                                  {"/operators/0/config/path=q", "/operators/0/config/path", "q"},
                                  {"/operators/out/config/rate=1/s", "/operators/1/config/rate", "1/s"},
                                  {"/runtime={\"threads\": 2}", "/runtime", Json{{"threads", 2}}}};
  for (const Row& row : table) {
    CAPTURE(row.assignment);
    Json json = document();
    Problems problems;
    CHECK(apply_override(json, row.assignment, problems) == row.pointer);
    CHECK(problems.empty());
    CHECK(json[Json::json_pointer(row.pointer)] == row.value);
  }
}

TEST_CASE("an override of what does not exist is refused and changes nothing") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"name=x", "not of the form"},
      {"/name", "not of the form"},
      {"=x", "not of the form"},
      {"/runtime/threads=2", "there is no \"runtime\" in the document"},
      {"/operators/2/id=x", "no item"},
      {"/operators/nobody/id=x", "no item \"nobody\""},
      {"/operators/-/id=x", "no item"},
      {"/name/x=1", "there is no \"x\" in /name"},
      {"/operators/0/confg/path=x", "there is no \"confg\""}};
  for (const auto& [assignment, message] : table) {
    CAPTURE(assignment);
    Json json = document();
    Problems problems;
    CHECK(apply_override(json, assignment, problems).empty());
    REQUIRE(problems.size() == 1);
    CHECK(error_name(problems[0].code) == "usage");
    CAPTURE(problems[0].message);
    CHECK(problems[0].message.find(message) != std::string::npos);
    CHECK(json == document());
  }
}

TEST_CASE("an overridden graph is checked like any other") {
  const std::string text = graph_text({"a:numbers", "s:sink"}, {"a>s"});
  CHECK(load_text(text, {"/operators/a/parallelism=3"}).graph->operators[0].parallelism == 3);
  CHECK(found(load_text(text, {"/operators/a/parallelism=0"})) ==
        std::vector<std::string>{"out_of_range /operators/0/parallelism"});
  CHECK(found(load_text(text, {"/operators/a/paralelism=1"})) ==
        std::vector<std::string>{"unknown_field /operators/0/paralelism"});
}

}  // namespace sluice
