#include "operators/format/column_spec.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "operators/format/json_text.hpp"
#include "operators/format/utf8.hpp"
#include "tests/operators/format/format_harness.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

// The value that a text reads as, or "refused".
std::string read_as(Type type, std::string_view text, std::string_view format = "", char decimal = '.') {
  const FieldConverter converter =
      std::move(FieldConverter::make(type, format, std::nullopt, decimal)).value();
  BatchStaging staging(Schema({{"x", type}}));
  if (!converter.append(text, staging.column(0))) {
    CHECK(staging.rows() == 0);
    return "refused";
  }
  return row_text(read_row(staging.view(), 0));
}

struct Case {
  std::string_view text;
  std::string_view value;
};

}  // namespace

TEST_CASE("text reads as int64 exactly or not at all") {
  for (const Case& c : std::vector<Case>{{"0", "0"},
                                         {"-7", "-7"},
                                         {"+7", "7"},
                                         {" 12\t", "12"},
                                         {"9007199254740993", "9007199254740993"},
                                         {"9223372036854775807", "9223372036854775807"},
                                         {"-9223372036854775808", "-9223372036854775808"},
                                         {"9223372036854775808", "refused"},
                                         {"", "refused"},
                                         {" ", "refused"},
                                         {"+", "refused"},
                                         {"+-1", "refused"},
                                         {"1.0", "refused"},
                                         {"1e3", "refused"},
                                         {"0x10", "refused"},
                                         {"1 2", "refused"},
                                         {"12a", "refused"}}) {
    CAPTURE(c.text);
    CHECK(read_as(Type::int64, c.text) == c.value);
  }
}

TEST_CASE("text reads as float64; too large is refused, too small is the nearest number") {
  for (const Case& c : std::vector<Case>{{"1.5", "1.5"},
                                         {"-0.25", "-0.25"},
                                         {"+2", "2.0"},
                                         {"1e3", "1000.0"},
                                         {".5", "0.5"},
                                         {" 3 ", "3.0"},
                                         {"nan", "nan"},
                                         {"-inf", "-inf"},
                                         {"1e400", "refused"},
                                         {"-1e400", "refused"},
                                         {"1e-400", "0.0"},
                                         {"", "refused"},
                                         {"1,5", "refused"},
                                         {"1.5x", "refused"}}) {
    CAPTURE(c.text);
    CHECK(read_as(Type::float64, c.text) == c.value);
  }
  CHECK(read_as(Type::float64, "2,6", "", ',') == "2.6");
  CHECK(read_as(Type::float64, "-200", "", ',') == "-200.0");
  CHECK(read_as(Type::float64, "2.6", "", ',') == "refused");
}

TEST_CASE("text reads as bool in its usual spellings") {
  for (const std::string_view yes : {"true", "TRUE", "t", "1", "yes"})
    CHECK(read_as(Type::boolean, yes) == "true");
  for (const std::string_view no : {"false", "False", "f", "0", "no"})
    CHECK(read_as(Type::boolean, no) == "false");
  for (const std::string_view other : {"", "2", "maybe", "tru"})
    CHECK(read_as(Type::boolean, other) == "refused");
}

TEST_CASE("text reads as a timestamp by its format") {
  CHECK(read_as(Type::timestamp, "1970-01-01T00:00:01Z") == "1000000");
  CHECK(read_as(Type::timestamp, "1970-01-02") == "86400000000");
  CHECK(read_as(Type::timestamp, "1500", "epoch_ms") == "1500000");
  CHECK(read_as(Type::timestamp, "1970/01/01 00:01", "%Y/%m/%d %H:%M") == "60000000");
  CHECK(read_as(Type::timestamp, "2015-02-30") == "refused");
  CHECK(read_as(Type::timestamp, "") == "refused");
}

TEST_CASE("strings keep their blanks, and json must be JSON") {
  CHECK(read_as(Type::string, " a ") == "' a '");
  CHECK(read_as(Type::string, "") == "''");
  CHECK(read_as(Type::json, " {\"a\": [1, 2]} ") == "'{\"a\": [1, 2]}'");
  CHECK(read_as(Type::json, "{a:1}") == "refused");
}

TEST_CASE("JSON is checked by its grammar, numbers of any size included") {
  for (const std::string_view good :
       {"1", "-0", "0.5", "1e5", "1E-5", "123456789012345678901234567890", "1e999", "\"\"", "\"\\u00e4\\n\"",
        "true", "false", "null", "[]", "{}", " [1, [], {\"a\": {}}] ", "{\"a\":1,\"a\":2}"}) {
    CAPTURE(good);
    CHECK(is_json(good));
  }
  for (const std::string_view bad :
       {"",      " ",       "01",        "1.",       ".5",         "+1",    "-",   "1e",  "nan",
        "\"",    "\"\\x\"", "\"\\u12\"", "\"a\nb\"", "tru",        "truex", "[",   "[1",  "[1,]",
        "[1 2]", "{",       "{\"a\"}",   "{\"a\":}", "{\"a\":1,}", "{a:1}", "1 2", "[]]", "{]"}) {
    CAPTURE(bad);
    CHECK(!is_json(bad));
  }
  CHECK(is_json(std::string(kJsonDepth, '[') + std::string(kJsonDepth, ']')));
  CHECK(!is_json(std::string(kJsonDepth + 1, '[') + std::string(kJsonDepth + 1, ']')));
  CHECK(!is_json(std::string(100'000, '[')));
}

TEST_CASE("bytes that are not UTF-8 become one replacement character each") {
  const std::string fffd = "\xEF\xBF\xBD";
  const std::vector<std::pair<std::string, std::string>> table = {
      {"abc", "abc"},
      {"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {"a\xFFz", "a" + fffd + "z"},
      {"\xC3\x28", fffd + "("},
      {"\xC0\xAF", fffd + fffd},
      {"\xE0\x80\xAF", fffd + fffd + fffd},
      {"\xF0\x80\x80\xAF", fffd + fffd + fffd + fffd},  // overlong
      {"\xED\xA0\x80", fffd + fffd + fffd},             // a surrogate
      {"\xF4\x90\x80\x80", fffd + fffd + fffd + fffd},  // beyond U+10FFFF
      {"\xE2\x82", fffd + fffd}};
  for (const auto& [text, wanted] : table) {
    std::string out;
    append_utf8(out, text);
    CHECK(out == wanted);
    CHECK(is_utf8(text) == (text == wanted));
  }
}

TEST_CASE("a schema's own mistakes are problems at their places") {
  const auto problems = [](const char* schema) {
    return format_problems(Json{{"format", "jsonl"}, {"schema", Json::parse(schema)}}, "");
  };
  using List = std::vector<std::string>;
  CHECK(problems(R"([{"name":"a"},{"name":"a"}])") == List{"/schema/1/name [duplicate_name]"});
  CHECK(problems(R"([{"name":""}])") == List{"/schema/0/name [bad_name]"});
  CHECK(problems(R"([{"name":"$event_time"}])") == List{"/schema/0/name [bad_name]"});
  CHECK(problems(R"([{"name":"a","type":"int"}])") == List{"/schema/0/type [bad_value]"});
  CHECK(problems(R"([{"name":"a","type":"int64","format":"epoch_ms"}])") ==
        List{"/schema/0/format [bad_value]"});
  CHECK(problems(R"([{"name":"a","type":"timestamp","format":"%Q"}])") ==
        List{"/schema/0/format [bad_value]"});
  CHECK(problems(R"([])") == List{"/schema [out_of_range]"});
  CHECK(problems(R"([{"name":"a","from":"/a~2"}])") == List{"/schema/0/from [bad_value]"});
  CHECK(problems(R"([{"name":"a","frm":"b"}])") == List{"/schema/0/frm [unknown_field]"});
}

}  // namespace sluice::test
