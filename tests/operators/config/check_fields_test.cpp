#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "operators/config/catalogue.hpp"

namespace sluice {
namespace {

FieldSpec field(std::string name, FieldType type) {
  FieldSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  return spec;
}

FieldSpec ranged(FieldSpec spec, double minimum, double maximum) {
  spec.minimum = minimum;
  spec.maximum = maximum;
  return spec;
}

FieldSpec with(FieldSpec spec, std::vector<FieldSpec> members) {
  return spec.members = std::move(members), spec;
}
FieldSpec choice(FieldSpec spec, std::vector<std::string> values) {
  return spec.values = std::move(values), spec;
}
FieldSpec required(FieldSpec spec) { return spec.required = true, spec; }
FieldSpec at_least(FieldSpec spec, std::size_t items) { return spec.min_items = items, spec; }

FieldSpec window_form(const char* type, const char* other) {
  return with(field("", FieldType::object), {required(choice(field("type", FieldType::string), {type})),
                                             required(field(other, FieldType::duration))});
}

const std::vector<FieldSpec>& fields() {
  static const std::vector<FieldSpec> table = {
      field("flag", FieldType::boolean),
      ranged(field("n", FieldType::integer), 1, 1024),
      field("id", FieldType::integer),
      ranged(field("share", FieldType::number), 0, 1),
      choice(field("order", FieldType::string), {"asc", "desc"}),
      ranged(field("gap", FieldType::duration), 1, 86'400e6),
      ranged(field("offset", FieldType::duration), -3600e6, 3600e6),
      ranged(field("size", FieldType::size), 4096, 1 << 20),
      field("rate", FieldType::rate),
      field("where", FieldType::expression),
      at_least(field("keys", FieldType::columns), 1),
      field("type", FieldType::type),
      with(field("items", FieldType::list),
           {with(field("", FieldType::object), {required(field("name", FieldType::string))})}),
      with(field("by", FieldType::any_of), {field("", FieldType::string), field("", FieldType::integer)}),
      with(field("window", FieldType::any_of),
           {window_form("tumbling", "size"), window_form("session", "gap")}),
      field("anything", FieldType::any)};
  return table;
}

Problems check(const char* config) {
  Problems problems;
  check_fields(fields(), Json::parse(config), "/config", problems);
  return problems;
}

struct Row {
  const char* config;
  ErrorCode code;
  const char* pointer;
  const char* message;  // part of it
  const char* hint;     // part of it
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a config that follows the table has no problems") {
  CHECK(check(R"({})").empty());
  CHECK(
      check(
          R"({"flag": true, "n": 1024, "id": -5, "share": 1, "order": "asc", "gap": "1d", "offset": "-5m", "size": "4KiB",
                  "rate": "max", "where": "a < 1", "keys": ["a", "b"], "type": "int64", "items": [{"name": "x"}], "by": 3,
                  "window": {"type": "session", "gap": "5s"}, "anything": [1, {"x": null}]})")
          .empty());
}

TEST_CASE(
    "each field that does not follow the table is one problem with its code, pointer, sentence and hint") {
  const std::vector<Row> table = {
      {R"([])", ErrorCode::wrong_type, "/config", "an object is needed", ""},
      {R"({"flga": true})", ErrorCode::unknown_field, "/config/flga", "\"flga\"", "did you mean \"flag\"?"},
      {R"({"a/b~c": 1})", ErrorCode::unknown_field, "/config/a~1b~0c", "a/b~c", "known here"},
      {R"({"flag": "true"})", ErrorCode::wrong_type, "/config/flag", "true or false", ""},
      {R"({"flag": null})", ErrorCode::wrong_type, "/config/flag", "null", ""},
      {R"({"n": 0})", ErrorCode::out_of_range, "/config/n", "1 to 1024", ""},
      {R"({"n": 1025})", ErrorCode::out_of_range, "/config/n", "1 to 1024", ""},
      {R"({"n": 18446744073709551615})", ErrorCode::out_of_range, "/config/n", "18446744073709551615", ""},
      {R"({"n": 1.5})", ErrorCode::wrong_type, "/config/n", "1.5", ""},
      {R"({"n": 1e3})", ErrorCode::wrong_type, "/config/n", "1000.0", "digits alone"},
      {R"({"n": "10"})", ErrorCode::wrong_type, "/config/n", "\"10\"", "write 10 without quotes"},
      {R"({"id": 9223372036854775808})", ErrorCode::out_of_range, "/config/id", "9223372036854775807", ""},
      {R"({"share": 1.01})", ErrorCode::out_of_range, "/config/share", "0 to 1", ""},
      {R"({"order": "ascending"})", ErrorCode::bad_value, "/config/order", "\"asc\" or \"desc\"", ""},
      {R"({"order": "dsec"})", ErrorCode::bad_value, "/config/order", "\"dsec\"", "did you mean \"desc\"?"},
      {R"({"gap": 5})", ErrorCode::wrong_type, "/config/gap", "duration", "write a unit"},
      {R"({"gap": "5"})", ErrorCode::wrong_unit, "/config/gap", "us ms s m h d", ""},
      {R"({"gap": "2d"})", ErrorCode::out_of_range, "/config/gap", "1us to 1d", ""},
      {R"({"gap": "-1s"})", ErrorCode::wrong_unit, "/config/gap", "-1s", ""},
      {R"({"offset": "-2h"})", ErrorCode::out_of_range, "/config/offset", "-1h to 1h", ""},
      {R"({"size": "1KiB"})", ErrorCode::out_of_range, "/config/size", "4 KiB to 1 MiB", ""},
      {R"({"rate": 1000})", ErrorCode::wrong_type, "/config/rate", "rate", "1000/s"},
      {R"({"rate": "0/s"})", ErrorCode::out_of_range, "/config/rate", "above 0", ""},
      {R"({"where": 1})", ErrorCode::wrong_type, "/config/where", "expression", ""},
      {R"({"keys": []})", ErrorCode::out_of_range, "/config/keys", "at least 1", ""},
      {R"({"keys": "a"})", ErrorCode::wrong_type, "/config/keys", "a list", "brackets"},
      {R"({"keys": ["a", 1]})", ErrorCode::wrong_type, "/config/keys/1", "names of columns", ""},
      {R"({"keys": ["a", "a"]})", ErrorCode::duplicate_name, "/config/keys/1", "twice", ""},
      {R"({"type": "in64"})", ErrorCode::bad_value, "/config/type", "\"int64\"", "did you mean \"int64\"?"},
      {R"({"items": [{"name": "x"}, {}]})", ErrorCode::missing_field, "/config/items/1", "\"name\"", ""},
      {R"({"items": [{"name": "x", "nmae": 1}]})", ErrorCode::unknown_field, "/config/items/0/nmae", "",
       "\"name\""},
      {R"({"items": [1]})", ErrorCode::wrong_type, "/config/items/0", "an object", ""},
      {R"({"by": true})", ErrorCode::wrong_type, "/config/by", "a string or an integer", ""},
      {R"({"window": {"type": "sesion", "gap": "5s"}})", ErrorCode::bad_value, "/config/window/type",
       "\"tumbling\" or \"session\"", "did you mean \"session\"?"},
      {R"({"window": {"gap": "5s"}})", ErrorCode::missing_field, "/config/window", "\"type\"", ""},
      {R"({"window": {"type": "session", "gap": "5"}})", ErrorCode::wrong_unit, "/config/window/gap", "", ""},
      {R"({"window": {"type": "session"}})", ErrorCode::missing_field, "/config/window", "\"gap\"", ""},
  };
  for (const Row& row : table) {
    CAPTURE(std::string(row.config));
    const Problems problems = check(row.config);
    REQUIRE(problems.size() == 1);
    CAPTURE(problems[0].message);
    CAPTURE(problems[0].hint);
    CHECK(error_name(problems[0].code) == error_name(row.code));
    CHECK(problems[0].pointer == row.pointer);
    CHECK(contains(problems[0].message, row.message));
    CHECK(contains(problems[0].hint, row.hint));
  }
}

TEST_CASE("all problems of a config are found, not only the first") {
  CHECK(check(R"({"n": 0, "flga": 1, "keys": [], "items": [{}, {"name": 1}]})").size() == 5);
}

TEST_CASE("an integer field with a maximum above int64 takes all of uint64") {
  Problems problems;
  check_fields({ranged(field("seed", FieldType::integer), 0, 18446744073709551615.0)},
               Json::parse(R"({"seed": 18446744073709551615})"), "", problems);
  CHECK(problems.empty());
}

TEST_CASE("a maximum below the minimum leaves the range open") {
  Problems problems;
  check_fields({ranged(field("n", FieldType::integer), 1, 0)}, Json::parse(R"({"n": 0})"), "", problems);
  REQUIRE(problems.size() == 1);
  CHECK(contains(problems[0].message, "at least 1"));
  problems.clear();
  check_fields({ranged(field("n", FieldType::integer), 1, 0)}, Json::parse(R"({"n": 4611686018427387904})"),
               "", problems);
  CHECK(problems.empty());
}

TEST_CASE("text that is not ASCII or is very long is quoted safely") {
  const std::string text(1000, '\x07');
  Problems problems;
  check_fields(fields(), Json{{"order", text}}, "", problems);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message.size() < 500);
  CHECK(problems[0].message.find('\x07') == std::string::npos);
}

TEST_CASE("the schema of fields says what the checks say") {
  const Json schema = fields_schema(fields());
  CHECK(schema["additionalProperties"] == false);
  const Json& properties = schema["properties"];
  CHECK(properties["n"]["type"] == "integer");
  CHECK(properties["n"]["minimum"] == 1);
  CHECK(properties["n"]["maximum"] == 1024);
  CHECK(properties["order"]["enum"] == Json({"asc", "desc"}));
  CHECK(properties["gap"].contains("pattern"));
  CHECK(properties["keys"]["minItems"] == 1);
  CHECK(properties["items"]["items"]["required"] == Json({"name"}));
  CHECK(properties["by"]["anyOf"].size() == 2);
  CHECK_FALSE(schema.contains("required"));
}

TEST_CASE("defaults stand in the schema as the JSON that a user would write") {
  FieldSpec flag = field("flag", FieldType::boolean);
  flag.default_text = "false";
  FieldSpec number = field("n", FieldType::integer);
  number.default_text = "16";
  FieldSpec digits = field("text", FieldType::string);
  digits.default_text = "16";
  const Json properties = fields_schema({flag, number, digits, on_error_field()})["properties"];
  CHECK(properties["flag"]["default"] == false);
  CHECK(properties["n"]["default"] == 16);
  CHECK(properties["text"]["default"] == "16");
  CHECK(properties["on_error"]["default"] == "dead_letter");
}

TEST_CASE("a catalogue finds its types by name") {
  Catalogue catalogue;
  OperatorType type;
  type.type = "one";
  type.bind = [](const BindInput&, Problems&) { return nullptr; };
  catalogue.add(type);
  CHECK(catalogue.find("one") == &catalogue.types().front());
  CHECK(catalogue.find("two") == nullptr);
}

TEST_CASE("a step of a JSON pointer is escaped") {
  CHECK(pointer_step("a/b~c") == "a~1b~0c");
  CHECK(pointer_step("") == "");
}

}  // namespace sluice
