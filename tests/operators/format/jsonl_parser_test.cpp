#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "operators/format/jsonl_columns.hpp"
#include "operators/format/record_writer.hpp"
#include "tests/operators/format/format_harness.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

using Texts = std::vector<std::string>;

Json jsonl(const char* schema = nullptr) {
  Json config{{"format", "jsonl"}};
  if (schema != nullptr) config["schema"] = Json::parse(schema);
  return config;
}

// How one value reads as a column of a type.
std::string value_as(const char* type, const std::string& value) {
  const Json config{{"format", "jsonl"}, {"schema", {{{"name", "x"}, {"type", type}}}}};
  const Parsed parsed = parse_text(config, "{\"x\":" + value + "}\n");
  return parsed.rows.empty() ? parsed.faults.at(0).substr(7) : parsed.rows[0];
}

std::string refused(const std::string& text, const char* type) {
  return "[bad_field] column \"x\": \"" + text + "\" is not " +
         (std::string(type) == "int64" ? "an " : "a ") + type;
}

}  // namespace

TEST_CASE("JSON integers are exact to int64 and refused beyond") {
  CHECK(value_as("int64", "9007199254740993") == "9007199254740993");
  CHECK(value_as("int64", "9223372036854775807") == "9223372036854775807");
  CHECK(value_as("int64", "-9223372036854775808") == "-9223372036854775808");
  CHECK(value_as("int64", "9223372036854775808") == refused("9223372036854775808", "int64"));
  CHECK(value_as("int64", "18446744073709551616") == refused("18446744073709551616", "int64"));
  CHECK(value_as("int64", "5.0") == "5");
  CHECK(value_as("int64", "1e3") == "1000");
  CHECK(value_as("int64", "5.5") == refused("5.5", "int64"));
  CHECK(value_as("int64", "1e400") == refused("1e400", "int64"));
  CHECK(value_as("int64", "9007199254740993.000") == "9007199254740993");
  CHECK(value_as("int64", "9007199254740990.9999999") == refused("9007199254740990.9999999", "int64"));
  CHECK(value_as("int64", "9007199254740993e0") == refused("9007199254740993e0", "int64"));
  CHECK(value_as("int64", "\"12\"") == "12");
  CHECK(value_as("int64", "true") == refused("true", "int64"));
}

TEST_CASE("JSON values read as the column's type") {
  CHECK(value_as("float64", "5") == "5.0");
  CHECK(value_as("float64", "-1.5e2") == "-150.0");
  CHECK(value_as("float64", "1e400") == refused("1e400", "float64"));
  CHECK(value_as("bool", "true") == "true");
  CHECK(value_as("bool", "1") == refused("1", "bool"));
  CHECK(value_as("string", "\"a\\u00e4\\n\\\"\"") == "'a\xC3\xA4\n\"'");
  CHECK(value_as("string", "12.50") == "'12.50'");
  CHECK(value_as("string", "false") == "'false'");
  CHECK(value_as("string", "{\"a\": [1]}") == "'{\"a\": [1]}'");
  CHECK(value_as("json", "\"a\\n\"") == "'\"a\\n\"'");
  CHECK(value_as("json", "[1, 2 ]  ") == "'[1, 2 ]'");
  CHECK(value_as("json", "1.50") == "'1.50'");
  CHECK(value_as("timestamp", "\"1970-01-01T00:00:01Z\"") == "1000000");
  CHECK(value_as("timestamp", "12") == refused("12", "timestamp"));
  CHECK(value_as("int64", "[1]") == refused("[1]", "int64"));
  for (const char* type : {"int64", "float64", "bool", "string", "timestamp", "json"})
    CHECK(value_as(type, "null") == "null");
}

TEST_CASE("a pointer reaches into objects and arrays; what is not there is null") {
  const auto config =
      jsonl(R"([{"name":"m","from":"/p/m","type":"float64"},{"name":"d","from":"/g/c/2","type":"int64"},
                                {"name":"dot","from":"a.b"},{"name":"slash","from":"/x~1y~0"},{"name":"id"}])");
  const Parsed parsed =
      parse_text(config, R"({"id":"q","p":{"z":1,"m":2.5},"g":{"c":[1,2,3]},"a.b":"dotted","x/y~":"s"}
{"p":{},"g":{"c":[1]}}
{"p":5,"g":[],"id":null}
)");
  CHECK(parsed.rows ==
        Texts{"2.5 3 'dotted' 's' 'q'", "null null null null null", "null null null null null"});
  CHECK(parsed.faults.empty());
}

TEST_CASE("several columns may come from one value, also a value and its parts") {
  const auto config =
      jsonl(R"([{"name":"all","from":"/o","type":"json"},{"name":"a","from":"/o/a","type":"int64"},
                                {"name":"t","from":"/n"},{"name":"n","type":"int64"}])");
  CHECK(parse_text(config, "{\"o\":{\"a\":1,\"b\":[{}]},\"n\":7}\n").rows ==
        Texts{"'{\"a\":1,\"b\":[{}]}' 1 '7' 7"});
}

TEST_CASE("of a key that stands twice the first value counts") {
  CHECK(parse_text(jsonl(R"([{"name":"a","type":"int64"}])"), "{\"a\":1,\"a\":2}\n{\"a\":null,\"a\":2}\n")
            .rows == Texts{"1", "null"});
}

TEST_CASE("what is not one JSON object is a bad record, and the next one is read") {
  const auto config = jsonl(R"([{"name":"a","type":"int64"}])");
  for (const std::string bad : {"{", "{\"a\":1", "[1]", "1", "\"a\"", "{\"a\":1}}", "{\"a\":1} x",
                                "{\"a\":1}{\"a\":2}", "{\"a\" 1}", "{\"a\":01}", "{\"a\":tru}", "{\"a\":nul}",
                                "{a:1}", "nonsense", "{\"a\":1 2}", "{\"a\":\"\\x\"}", "{\"a\":\"\xFF\"}"}) {
    CAPTURE(bad);
    const Parsed parsed = parse_text(config, bad + "\n{\"a\":5}\n");
    CHECK(parsed.rows == Texts{"5"});
    REQUIRE(parsed.faults.size() == 1);
    CHECK(parsed.faults[0].substr(0, 25) == "line 1 [malformed_record]");
  }
}

TEST_CASE("blank lines are no records") {
  CHECK(parse_text(jsonl(R"([{"name":"a"}])"), "\n  \n{\"a\":\"x\"}\r\n\r\n").rows == Texts{"'x'"});
}

TEST_CASE("100,000 nested brackets are a bad record, named or not") {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const std::string objects = [] {
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += "{\"a\":";
    return text + "1" + std::string(50'000, '}');
  }();
  for (const auto& config : {jsonl(R"([{"name":"a","type":"json"}])"), jsonl(R"([{"name":"b"}])")}) {
    for (const std::string& record : {deep, objects, "{\"a\":" + deep + "}", std::string(100'000, '['),
                                      "{\"a\":" + std::string(100'000, '[')}) {
      const Parsed parsed = parse_text(config, record + "\n{\"b\":\"x\"}\n");
      CHECK(parsed.rows.size() == 1);
      CHECK(parsed.faults.size() == 1);
    }
  }
}

TEST_CASE("brackets inside strings do not nest") {
  CHECK(parse_text(jsonl(R"([{"name":"b"}])"), "{\"a\":\"" + std::string(5000, '[') + "\",\"b\":\"x\"}\n")
            .rows == Texts{"'x'"});
}

TEST_CASE("columns are inferred from the records, in the order of first appearance") {
  const auto columns = [](const std::vector<std::string>& records) {
    std::string text;
    for (const ColumnSpec& spec : infer_json_columns(records))
      text += spec.name + ":" + std::string(type_name(*spec.type)) + " ";
    return text;
  };
  CHECK(columns({R"({"i":1,"f":1.5,"s":"2015-05-17T10:05:00Z","b":true,"o":{},"l":[1],"n":null})"}) ==
        "i:int64 f:float64 s:string b:bool o:json l:json n:string ");
  CHECK(columns({R"({"a":1})", R"({"a":1.5,"z":1})", R"({"a":null})"}) == "a:float64 z:int64 ");
  CHECK(columns({R"({"a":1})", R"({"a":"x"})"}) == "a:string ");
  CHECK(columns({R"({"a":1})", R"({"a":[]})"}) == "a:json ");
  CHECK(columns({R"({"a":18446744073709551615})"}) == "a:string ");
  CHECK(columns({"broken", R"({"a":1})"}) == "a:int64 ");
  CHECK(parse_text(jsonl(), "{\"a/b\":1,\"~\":2,\"/c\":3}\n").rows == Texts{"1 2 3"});
}

TEST_CASE("mistakes in a jsonl format are found while the graph is checked") {
  CHECK(format_problems(jsonl(), "") == Texts{"/format [missing_field]"});
  CHECK(format_problems(jsonl(), "[1]\n") == Texts{"/format [missing_field]"});
  CHECK(format_problems(jsonl(), "{\"$a\":1}\n") == Texts{"/path [bad_name]"});
  CHECK(format_problems(jsonl(R"([{"name":"a","from":1}])"), "") == Texts{"/schema/0/from [wrong_type]"});
}

TEST_CASE("property: what the jsonl writer writes reads back the same") {
  CHECK(rc::check([] {
    const Schema schema({{"s", Type::string},
                         {"i", Type::int64},
                         {"f", Type::float64},
                         {"b", Type::boolean},
                         {"t", Type::timestamp}});
    const auto config = jsonl(
        R"([{"name":"s"},{"name":"i","type":"int64"},{"name":"f","type":"float64"},{"name":"b","type":"bool"},{"name":"t","type":"timestamp"}])");
    BatchStaging staging(schema);
    Texts wanted;
    for (int rows = *rc::gen::inRange(0, 8); rows > 0; --rows) {
      const auto ascii = rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
      Row row{Value(*ascii), Value(*rc::gen::arbitrary<std::int64_t>()), Value(*rc::gen::arbitrary<double>()),
              Value(*rc::gen::arbitrary<bool>()),
              Value(*rc::gen::inRange<std::int64_t>(-60'000'000'000'000'000, 200'000'000'000'000'000))};
      for (Value& value : row) {
        if (*rc::gen::inRange(0, 5) == 0) value = kNull;
      }
      append_row(staging, row);
      wanted.push_back(row_text(row));
    }
    std::string text;
    make_writer(OutputFormat::jsonl, schema)->write(staging.view(), text);
    const Parsed parsed = parse_text(config, text);
    RC_ASSERT(parsed.rows == wanted);
  }));
}

}  // namespace sluice::test
