#include "operators/builtin/parse.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

using Texts = std::vector<std::string>;

const Schema kInput({{"id", Type::int64}, {"text", Type::string}});

Json jsonl(Json keep = false) {
  return {{"column", "text"},
          {"format", "jsonl"},
          {"keep", std::move(keep)},
          {"schema", {{{"name", "a"}, {"type", "int64"}}}}};
}

RunOutcome parse(const Json& config, const std::vector<Row>& rows, const Schema& schema = kInput) {
  const auto bound = bind_config(parse_operator_type(), config, {schema});
  return run(*bound, stream_of(rows), schema);
}

Texts problems(const Json& config, const Schema& schema = kInput) {
  Texts texts;
  for (const std::string& text : problems_of(parse_operator_type(), config, {schema}))
    texts.push_back(text.substr(0, text.find(']') + 1));
  return texts;
}

std::string s(const char* text) { return text; }

}  // namespace

TEST_CASE("parse reads records out of a column and keeps what it is told to keep") {
  const std::vector<Row> rows = {{1l, s("{\"a\":5}")}, {2l, s("{\"a\":6}")}};
  CHECK(row_texts(parse(jsonl(), rows).rows(0)) == Texts{"5", "6"});
  CHECK(row_texts(parse(jsonl(true), rows).rows(0)) == Texts{"1 '{\"a\":5}' 5", "2 '{\"a\":6}' 6"});
  CHECK(row_texts(parse(jsonl({"id"}), rows).rows(0)) == Texts{"1 5", "2 6"});
}

TEST_CASE("bad records go to errors, and the rows around them keep their columns") {
  const RunOutcome outcome = parse(jsonl({"id"}), {{1l, s("{\"a\":5}")},
                                                   {2l, s("{\"a\":\"x\"}")},
                                                   {3l, s("nonsense")},
                                                   {4l, kNull},
                                                   {5l, s("")},
                                                   {6l, s("{}")}});
  CHECK(row_texts(outcome.rows(0)) == Texts{"1 5", "4 null", "6 null"});
  CHECK(outcome.rows(1).size() == 3);
  CHECK(row_text(outcome.rows(1)[0]) ==
        "'{\"a\":\"x\"}' 'op' 'bad_field' 'column \"a\": \"x\" is not an int64'");
  CHECK(outcome.bad == std::map<std::string, std::uint64_t>{{"bad_field", 1}, {"malformed_record", 2}});
}

TEST_CASE("a batch of bad records alone gives no rows") {
  const RunOutcome outcome = parse(jsonl(), {{1l, s("x")}, {2l, s("y")}});
  CHECK(outcome.rows(0).empty());
  CHECK(outcome.rows(1).size() == 2);
}

TEST_CASE("event time travels along") {
  const Schema timed({{"id", Type::int64}, {"text", Type::string}}, true);
  const auto bound = bind_config(parse_operator_type(), jsonl(), {timed});
  CHECK(bound->output_schemas()[0].has_event_time());
  CHECK(row_texts(
            run(*bound,
                stream_of(
                    {{1l, s("{\"a\":5}"), 77l, 66l}, {1l, s("x"), 78l, 66l}, {1l, s("{\"a\":6}"), 79l, 67l}}),
                timed)
                .rows(0)) == Texts{"5 77 66", "6 79 67"});
}

TEST_CASE("a csv record in a column has no header and must be exactly one record") {
  const Json config{{"column", "text"},
                    {"format", "csv"},
                    {"schema", {{{"name", "x"}}, {{"name", "y"}, {"type", "float64"}}}}};
  const RunOutcome outcome = parse(config, {{1l, s("a,1")},
                                            {2l, s("\"a\nb\",2")},
                                            {3l, s("a,1\nb,2")},
                                            {4l, s("\"a\"b,1")},
                                            {5l, s("a,\"1")},
                                            {6l, s("a,1,2")}});
  CHECK(row_texts(outcome.rows(0)) == Texts{"'a' 1.0", "'a\nb' 2.0"});
  CHECK(outcome.rows(1).size() == 4);
}

TEST_CASE("a row that no edge can carry is a bad record") {
  const auto bound = bind_config(
      parse_operator_type(),
      {{"column", "text"}, {"format", {{"type", "regex"}, {"pattern", "(?P<a>.*)"}}}, {"keep", true}},
      {kInput});
  RunOptions options;
  options.record_limit_bytes = 100;
  const RunOutcome outcome =
      run(*bound, stream_of({{1l, std::string(60, 'x')}, {2l, s("y")}}), kInput, options);
  CHECK(row_texts(outcome.rows(0)) == Texts{"2 'y' 'y'"});
  CHECK(outcome.bad.at("record_too_large") == 1);
}

TEST_CASE("what is wrong with a parse is found while the graph is checked") {
  CHECK(problems({{"column", "txt"}, {"format", "apache_common"}}) == Texts{"/column [unknown_column]"});
  CHECK(problems({{"column", "id"}, {"format", "apache_common"}}) == Texts{"/column [type_mismatch]"});
  CHECK(problems({{"column", "text"}, {"format", "lines"}}) == Texts{"/format [bad_value]"});
  CHECK(problems({{"column", "text"}, {"format", "jsonl"}}) == Texts{"/format [missing_field]"});
  CHECK(problems({{"column", "text"}, {"format", "csv"}}) == Texts{"/format [missing_field]"});
  CHECK(problems({{"column", "text"},
                  {"format", {{"type", "csv"}, {"header", true}}},
                  {"schema", {{{"name", "a"}}}}}) == Texts{"/format/header [bad_value]"});
  CHECK(
      problems({{"column", "text"}, {"format", "jsonl"}, {"keep", {"idd"}}, {"schema", {{{"name", "a"}}}}}) ==
      Texts{"/keep/0 [unknown_column]"});
  CHECK(problems({{"column", "text"}, {"format", "jsonl"}, {"keep", true}, {"schema", {{{"name", "id"}}}}}) ==
        Texts{"/schema [duplicate_name]"});
}

}  // namespace sluice::test
