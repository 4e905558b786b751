// Numbers and keys in which JSON has gone wrong elsewhere, each as a graph from a file to a file.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/engine/graph_run.hpp"

namespace sluice {
namespace {

using Lines = std::vector<std::string>;

// in.txt through operators `middle` (with commas behind each; the edges in `path`) to out.jsonl, bad records
// of the source to bad.csv.
GraphRun run_trial(const TemporaryFolder& folder, const std::string& format, const std::string& schema,
                   const std::string& middle = "", const std::vector<std::string>& path = {},
                   const std::string& more_edges = "") {
  std::string edges = R"({"from": "in.errors", "to": "bad"}, )" + more_edges;
  std::string from = "in";
  for (const std::string& to : path) {
    edges += fmt::format(R"({{"from": "{}", "to": "{}"}}, )", from, to);
    from = to.substr(0, to.find('.'));
  }
  edges += fmt::format(R"({{"from": "{}", "to": "out"}})", from);
  GraphRun run = run_graph_text(fmt::format(
      R"({{"name": "trial", "operators": [
    {{"id": "in", "type": "file_source", "config": {{"path": "{}", "format": {}, "schema": {}}}}}, {}
    {{"id": "bad", "type": "file_sink", "config": {{"path": "{}", "format": "csv"}}}},
    {{"id": "out", "type": "file_sink", "config": {{"path": "{}", "format": "jsonl"}}}}], "edges": [{}]}})",
      folder.path("in.txt"), format, schema, middle, folder.path("bad.csv"), folder.path("out.jsonl"),
      edges));
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.differences == Lines{});
  return run;
}

constexpr const char* kInt = R"([{"name": "n", "type": "int64"}])";

}  // namespace

// D10
TEST_CASE(
    "integers are exact to the ends of int64 in every format, through expressions, and refused beyond") {
  const Lines exact = {"9007199254740993",     "-9007199254740993",    "9223372036854775807",
                       "-9223372036854775808", "-1608999687919862906", "7503483334202473044"};
  const Lines refused = {"9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e400"};
  for (const std::string format : {R"("jsonl")", R"("csv")", R"("json_array")"}) {
    CAPTURE(format);
    const TemporaryFolder folder;
    std::string text = format == R"("csv")" ? "n\n" : format == R"("json_array")" ? "[" : "";
    bool first = true;
    for (const Lines* list : {&exact, &refused}) {
      for (const std::string& n : *list) {
        if (format == R"("json_array")") text += first ? "" : ",";
        text += format == R"("csv")" ? n + "\n" : fmt::format("{{\"n\": {}}}\n", n);
        first = false;
      }
    }
    folder.write("in.txt", format == R"("json_array")" ? text + "]" : text);
    const GraphRun run = run_trial(
        folder, format, kInt,
        R"json({"id": "same", "type": "map", "config": {"columns": [{"name": "n", "expr": "n + 0"}]}},)json",
        {"same"});
    std::string expected;
    for (const std::string& n : exact) expected += fmt::format("{{\"n\":{}}}\n", n);
    CHECK(folder.read("out.jsonl") == expected);
    CHECK(run.totals.bad == refused.size());
    const std::string bad = folder.read("bad.csv");
    for (const std::string& n : refused) CHECK(bad.find(n) != std::string::npos);
  }
}

TEST_CASE("sums of integers beyond 2^53 are exact, and a sum beyond int64 is null and a bad record") {
  const TemporaryFolder folder;
  std::string text = "k,n\n";
  for (int i = 0; i < 1'000; ++i) text += "a,9007199254740993\n";
  text += "b,9223372036854775807\nb,1\n";
  folder.write("in.txt", text);
  const GraphRun run =
      run_trial(folder, R"("csv")", R"([{"name": "k", "type": "string"}, {"name": "n", "type": "int64"}])",
                R"({"id": "sum", "type": "window_aggregate", "config": {"keys": ["k"],
          "window": {"type": "global"}, "aggregates": [{"name": "s", "fn": "sum", "expr": "n"}]}},)",
                {"sum"});
  CHECK(folder.sorted_lines("out.jsonl") ==
        Lines{R"({"k":"a","s":9007199254740993000})", R"({"k":"b","s":null})"});
  CHECK(run.op("sum").bad.at("integer_overflow") == 1);
}

TEST_CASE("floats take what float64 holds and refuse what it does not") {
  const TemporaryFolder folder;
  folder.write(
      "in.txt",
      "{\"x\": 1e308}\n{\"x\": 1e400}\n{\"x\": -1e400}\n{\"x\": 9007199254740993}\n{\"x\": 5e-324}\n");
  const GraphRun run = run_trial(folder, R"("jsonl")", R"([{"name": "x", "type": "float64"}])");
  CHECK(folder.read("out.jsonl") == "{\"x\":1e+308}\n{\"x\":9007199254740992}\n{\"x\":5e-324}\n");
  CHECK(run.totals.bad == 2);
}

TEST_CASE("a json column keeps every digit, whole, by pointer and unnested") {
  const TemporaryFolder folder;
  const std::string values = "9007199254740993,9223372036854775808,1e400,0.10,123456789012345678901234567890";
  folder.write("in.txt", "{\"j\": [" + values + "]}\n");
  run_trial(
      folder, R"("jsonl")", R"([{"name": "j", "type": "json"}])",
      R"json({"id": "items", "type": "unnest", "config": {"column": "j", "value": "item", "key": "at", "keep": true}},
          {"id": "both", "type": "map", "config": {"columns": [{"name": "item", "expr": "item"}, {"name": "got",
            "expr": "json_get(j, '/' || at)"}, {"name": "text", "expr": "json_text(j, '/' || at)"}]}},)json",
      {"items", "both"});
  std::string expected;
  for (const char* n :
       {"9007199254740993", "9223372036854775808", "1e400", "0.10", "123456789012345678901234567890"})
    expected += fmt::format("{{\"item\":{0},\"got\":{0},\"text\":\"{0}\"}}\n", n);
  CHECK(folder.read("out.jsonl") == expected);
}

// D13
TEST_CASE(
    "of a key that stands twice the first counts: in records, behind a pointer, unnested; it is written "
    "once") {
  const TemporaryFolder folder;
  folder.write("in.txt", R"({"a":1,"a":2,"o":{"b":3,"\u0062":4,"c":5},"o":{"b":6}})"
                         "\n");
  run_trial(
      folder, R"("jsonl")",
      R"([{"name": "a", "type": "int64"}, {"name": "o", "type": "json"}, {"name": "b", "type": "int64", "from": "/o/b"}])",
      R"json({"id": "items", "type": "unnest", "config": {"column": "o", "value": "value", "key": "key", "keep": true}},
          {"id": "all", "type": "map", "config": {"columns": [{"name": "a", "expr": "a"}, {"name": "b", "expr": "b"},
            {"name": "got", "expr": "json_get(o, '/b')"}, {"name": "key", "expr": "key"}, {"name": "value", "expr": "value"}]}},)json",
      {"items", "all"});
  CHECK(folder.read("out.jsonl") ==
        "{\"a\":1,\"b\":3,\"got\":3,\"key\":\"b\",\"value\":3}\n{\"a\":1,\"b\":3,\"got\":3,\"key\":\"c\","
        "\"value\":5}\n");
}

TEST_CASE("two records that share a field are joined into one with both, each key once") {
  const TemporaryFolder folder;
  folder.write("in.txt", "{\"id\":1,\"name\":\"left\"}\n");
  folder.write("right.txt", "{\"id\":1,\"name\":\"right\"}\n");
  run_trial(
      folder, R"("jsonl")", R"([{"name": "id", "type": "int64"}, {"name": "name", "type": "string"}])",
      fmt::format(R"({{"id": "table", "type": "file_source", "config": {{"path": "{}", "format": "jsonl",
             "schema": [{{"name": "id", "type": "int64"}}, {{"name": "name", "type": "string"}}]}}}},
             {{"id": "both", "type": "join", "config": {{"type": "lookup", "on": [["id", "id"]]}}}},)",
                  folder.path("right.txt")),
      {"both.left"}, R"({"from": "table", "to": "both.right"}, )");
  CHECK(folder.read("out.jsonl") == "{\"id\":1,\"name\":\"left\",\"right_id\":1,\"right_name\":\"right\"}\n");
}

TEST_CASE(
    "a graph in which two columns would have one name is refused, so that no line can hold a key twice") {
  const TemporaryFolder folder;
  folder.write("in.txt", "{\"a\":1,\"b\":2}\n");
  const GraphRun run = run_graph_text(fmt::format(
      R"({{"name": "trial", "operators": [
    {{"id": "in", "type": "file_source", "config": {{"path": "{}", "format": "jsonl",
      "schema": [{{"name": "a", "type": "int64"}}, {{"name": "a", "type": "int64", "from": "b"}}]}}}},
    {{"id": "out", "type": "null_sink"}}], "edges": [{{"from": "in", "to": "out"}}]}})",
      folder.path("in.txt")));
  CHECK(run.problems.find("duplicate_name") != std::string::npos);
}

}  // namespace sluice
