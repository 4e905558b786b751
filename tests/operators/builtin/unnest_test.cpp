#include "operators/builtin/unnest.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kInput({{"id", Type::int64}, {"items", Type::json}, {"who", Type::string}});

std::unique_ptr<BoundOperator> bind_unnest(Json more = Json::object(), const Schema& input = kInput) {
  Json config = {{"column", "items"}, {"value", "item"}};
  config.update(more);
  return bind_config(unnest_type(), config, {input});
}

Row row(std::int64_t id, Value items, Value who = std::string("w")) {
  return {id, std::move(items), std::move(who)};
}

RunOutcome unnest(const std::vector<Row>& rows, Json more = Json::object()) {
  return run(*bind_unnest(std::move(more)), stream_of(rows), kInput);
}

std::vector<std::string> items_of(const std::string& text) {
  std::vector<std::string> items;
  for (const Row& r : unnest({row(1, text)}).rows()) items.push_back(std::get<std::string>(r[2]));
  return items;
}

using Texts = std::vector<std::string>;

TEST_CASE(
    "Each element of an array gives a record with the other columns and the element as it was written") {
  const auto outcome = unnest(
      {row(1, std::string("[1, \"a\",null ,{\"x\": 1.10}, [ ] ]")), row(2, std::string("[true]"), kNull)},
      {{"key", "at"}});
  CHECK(row_texts(outcome.rows()) == Texts{"1 'w' '0' '1'", "1 'w' '1' '\"a\"'", "1 'w' '2' 'null'",
                                           "1 'w' '3' '{\"x\": 1.10}'", "1 'w' '4' '[ ]'",
                                           "2 null '0' 'true'"});
  CHECK(outcome.bad.empty());
}

TEST_CASE("Each member of an object gives a record with its name without escapes") {
  const auto outcome =
      unnest({row(7, std::string(R"( {"a": 1, "b\u00e9\n": "x", "": []} )"))}, {{"key", "name"}});
  CHECK(row_texts(outcome.rows()) == Texts{"7 'w' 'a' '1'", "7 'w' 'b\u00e9\n' '\"x\"'", "7 'w' '' '[]'"});
}

TEST_CASE(
    "Of members with the same name the first counts, also when one of the names is written with escapes") {
  CHECK(items_of(R"({"a": 1, "a": 2, "b": 3, "\u0061": 4, "b": 5, "\u0062c": 6})") == Texts{"1", "3", "6"});
  // Names of another record are no matter.
  CHECK(unnest({row(1, std::string(R"({"a": 1})")), row(2, std::string(R"({"a": 2})"))}).rows().size() == 2);
}

TEST_CASE("Null, an empty array and an empty object give no record") {
  for (const Value& nothing : {Value(kNull), Value(std::string("[]")), Value(std::string(" { } ")),
                               Value(std::string("null")), Value(std::string("[\n]"))}) {
    const auto outcome = unnest({row(1, nothing), row(2, std::string("[5]"))});
    CHECK(row_texts(outcome.rows()) == Texts{"2 'w' '5'"});
    CHECK(outcome.bad.empty());
  }
}

TEST_CASE("What is no array or object, or no JSON, is one bad record and gives nothing else") {
  for (const char* text : {"7", "\"[1]\"", "true", "-0.5"}) {
    CAPTURE(text);
    const auto outcome = unnest({row(1, std::string(text)), row(2, std::string("[5]"))});
    CHECK(outcome.bad == std::map<std::string, std::uint64_t>{{"bad_argument", 1}});
    CHECK(row_texts(outcome.rows()) == Texts{"2 'w' '5'"});
    CHECK(outcome.rows(1).size() == 1);
  }
  for (const char* text : {"", " ", "[1, 2", "[1 2]", "[1,]", "[1] x", "{\"a\" 1}", "{a: 1}", "[01]",
                           "[1, nul]", "{\"a\": 1,}", "[\"\\x\"]", "[1}", "]"}) {
    CAPTURE(text);
    const auto outcome = unnest({row(1, std::string(text)), row(2, std::string("[5]"))});
    CHECK(outcome.bad == std::map<std::string, std::uint64_t>{{"malformed_record", 1}});
    CHECK(row_texts(outcome.rows()) == Texts{"2 'w' '5'"});
  }
}

TEST_CASE("Numbers keep their digits, however large") {
  CHECK(items_of("[9007199254740993, 9223372036854775808, 1e400, -0, 0.10, 12345678901234567890123]") ==
        Texts{"9007199254740993", "9223372036854775808", "1e400", "-0", "0.10", "12345678901234567890123"});
}

TEST_CASE("Nesting is taken to a depth of 1024 levels; 100,000 brackets are a bad record") {
  const std::string deep = std::string(1023, '[') + "1" + std::string(1023, ']');
  CHECK(items_of("[" + deep + ", 1]") == Texts{deep, "1"});
  for (const std::string& text : {"[[" + deep + "]]", std::string(100'000, '['),
                                  std::string(100'000, '[') + std::string(100'000, ']')}) {
    const auto outcome = unnest({row(1, text)});
    CHECK(outcome.bad.at("malformed_record") == 1);
    CHECK(outcome.rows().empty());
  }
}

TEST_CASE("300,000 elements of one record go out in bounded batches, in order") {
  std::string text = "[";
  for (int i = 0; i < 300'000; ++i) text += i == 0 ? "1" : fmt::format(",{}", i % 10);
  text += "]";
  const auto outcome =
      unnest({row(1, std::string("[8]")), row(2, text), row(3, std::string("[9]"))}, {{"key", "k"}});
  const auto rows = outcome.rows();
  REQUIRE(rows.size() == 300'002);
  CHECK(row_text(rows[0]) == "1 'w' '0' '8'");
  CHECK(row_text(rows[300'000]) == "2 'w' '299999' '9'");
  CHECK(row_text(rows[300'001]) == "3 'w' '0' '9'");
  for (const Event& event : outcome.out) CHECK(event.rows.size() <= kTargetBatchRows);
  CHECK(outcome.calls > 290);
}

TEST_CASE("Large elements, or large columns beside them, make the batches smaller") {
  std::string text = "[";
  for (int i = 0; i < 40; ++i) text += (i > 0 ? "," : "") + ("\"" + std::string(20'000, 'x') + "\"");
  const auto large_items = unnest({row(1, text + "]")});
  CHECK(large_items.rows().size() == 40);
  const auto large_beside = unnest({row(1, std::string("[1,2,3,4,5,6,7,8]"), std::string(200'000, 'y'))});
  CHECK(large_beside.rows().size() == 8);
  for (const auto* outcome : {&large_items, &large_beside}) {
    for (const Event& event : outcome->out) {
      std::size_t bytes = 0;
      for (const Row& r : event.rows)
        bytes += std::get<std::string>(r[1]).size() + std::get<std::string>(r[2]).size();
      CHECK(bytes <= kTargetBatchBytes + 220'000);
    }
  }
}

TEST_CASE("An item whose record no edge can carry is a bad record, and the others come through") {
  RunOptions options;
  options.record_limit_bytes = 1'000;
  const auto outcome = run(*bind_unnest({{"keep", true}}),
                           stream_of({row(1, "[1, \"" + std::string(500, 'x') + "\", 2]")}), kInput, options);
  CHECK(outcome.rows().size() == 2);
  CHECK(outcome.bad == std::map<std::string, std::uint64_t>{{"record_too_large", 1}});
}

TEST_CASE("A long list of items too large does not gather dead letters without bound") {
  RunOptions options;
  options.record_limit_bytes = 1'000;
  std::string text = "[1";
  for (int i = 0; i < 5'000; ++i) text += ",2";
  const auto outcome =
      run(*bind_unnest(), stream_of({row(1, text + "]", std::string(1'000, 'y'))}), kInput, options);
  CHECK(outcome.bad.at("record_too_large") == 5'001);
  CHECK(outcome.rows(1).size() == 5'001);
  for (const Event& event : outcome.out) CHECK(event.rows.size() <= kTargetBatchRows);
}

TEST_CASE("With \"keep\" the column stays in its place; event time travels along") {
  const Schema timed({{"items", Type::string}, {"id", Type::int64}}, true);
  const std::vector<Row> rows = {
      {std::string("[1,2]"), std::int64_t{5}, std::int64_t{100}, std::int64_t{90}}};
  const auto kept = bind_unnest({{"keep", true}, {"key", "k"}}, timed);
  CHECK(row_texts(run(*kept, stream_of(rows), timed).rows()) ==
        Texts{"'[1,2]' 5 '0' '1' 100 90", "'[1,2]' 5 '1' '2' 100 90"});
  const auto dropped = bind_unnest(Json::object(), timed);
  CHECK(row_texts(run(*dropped, stream_of(rows), timed).rows()) == Texts{"5 '1' 100 90", "5 '2' 100 90"});
  CHECK(dropped->output_schemas()[0].to_string() == "id int64, item json");
}

TEST_CASE("The value may take the name of the column that is dropped, and no other") {
  CHECK(bind_unnest({{"value", "items"}})->output_schemas()[0].to_string() ==
        "id int64, who string, items json");
  const auto problem = [](Json more) {
    Json config = {{"column", "items"}, {"value", "item"}};
    config.update(more);
    return problems_of(unnest_type(), config, {kInput}).at(0);
  };
  CHECK(problem({{"value", "who"}}).starts_with("/value [duplicate_name]"));
  CHECK(problem({{"value", "items"}, {"keep", true}}).starts_with("/value [duplicate_name]"));
  CHECK(problem({{"key", "id"}}).starts_with("/key [duplicate_name]"));
  CHECK(problem({{"key", "item"}}).starts_with("/value [duplicate_name]"));
  CHECK(problem({{"value", "$x"}}).starts_with("/value [bad_name]"));
  CHECK(problem({{"column", "nothing"}}).starts_with("/column [unknown_column]"));
  CHECK(problem({{"column", "id"}}).starts_with("/column [type_mismatch]"));
}

// JSON text with blanks at random, and the texts of its items.
std::string random_scalar() {
  return *rc::gen::element<std::string>("1", "-2.50", "\"a,b]\"", "null", "true", "\"\\\"\"",
                                        "{\"a\":[1,{}]}", "[[],2]", "\"\"");
}

TEST_CASE("Random arrays and objects in random batches give what was put into them") {
  CHECK(rc::check("unnest against what was written", [] {
    std::vector<Row> rows;
    std::vector<std::string> expected;
    const int count = *rc::gen::inRange(0, 30);
    for (int i = 0; i < count; ++i) {
      const bool object = *rc::gen::arbitrary<bool>();
      const int items = *rc::gen::inRange(0, 6);
      std::string text(object ? "{" : "[");
      for (int k = 0; k < items; ++k) {
        const std::string blank = *rc::gen::element<std::string>("", " ", "\n\t");
        const std::string value = random_scalar();
        if (k > 0) text += blank + "," + blank;
        if (object) text += fmt::format("{}\"k{}\"{}:{}", blank, k, blank, blank);
        text += value;
        expected.push_back(
            row_text({std::int64_t{i}, std::string("w"), (object ? "k" : "") + std::to_string(k), value}));
      }
      rows.push_back(row(i, text + (object ? "}" : "]")));
    }
    const auto batch = static_cast<std::size_t>(*rc::gen::element(1, 2, 1000));
    const auto outcome = run(*bind_unnest({{"key", "k"}}), stream_of(rows, batch), kInput);
    RC_ASSERT(row_texts(outcome.rows()) == expected);
    RC_ASSERT(outcome.bad.empty());
  }));
}

}  // namespace
}  // namespace sluice::test
