#include "engine/graph/json_document.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/graph/load.hpp"

namespace sluice {
namespace {

JsonDocument parse(std::string_view text) { return parse_json_document(text, kMaxDocumentDepth); }

rc::Gen<Json> arbitrary_json(int depth) {
  using rc::gen::arbitrary;
  auto leaf =
      rc::gen::oneOf(rc::gen::map(arbitrary<std::int64_t>(), [](std::int64_t v) { return Json(v); }),
                     rc::gen::map(arbitrary<std::uint64_t>(), [](std::uint64_t v) { return Json(v); }),
                     rc::gen::map(arbitrary<double>(), [](double v) { return Json(v); }),
                     rc::gen::map(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)),
                                  [](std::string v) { return Json(std::move(v)); }),
                     rc::gen::map(arbitrary<bool>(), [](bool v) { return Json(v); }), rc::gen::just(Json()));
  if (depth == 0) return leaf;
  auto list = rc::gen::map(rc::gen::container<std::vector<Json>>(arbitrary_json(depth - 1)),
                           [](const std::vector<Json>& items) { return Json(items); });
  auto object = rc::gen::map(rc::gen::container<std::map<std::string, Json>>(rc::gen::string<std::string>(),
                                                                             arbitrary_json(depth - 1)),
                             [](const std::map<std::string, Json>& members) {
                               Json value = Json::object();
                               for (const auto& [key, member] : members)
                                 value[Json(key).dump(-1, ' ', true, Json::error_handler_t::replace)] =
                                     member;
                               return value;
                             });
  return rc::gen::oneOf(leaf, list, object);
}

}  // namespace

TEST_CASE("a document is read as a well-tested parser reads it") {
  CHECK(rc::check([] {
    const Json value = *rc::gen::resize(12, arbitrary_json(2));
    const JsonDocument document = parse(value.dump(*rc::gen::element(-1, 0, 2)));
    RC_ASSERT(document.complete);
    RC_ASSERT(document.problems.empty());
    RC_ASSERT(document.root == Json::parse(value.dump()));
  }));
}

TEST_CASE("any bytes are accepted or refused exactly as by a well-tested parser") {
  CHECK(rc::check([] {
    // From few characters, so that many texts are nearly JSON. Not "e": what overflows a double is refused
    // here alone.
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("{}[]:,\"\"\"\\u00d8 tr-0129.nulfase\n\xc3\xa9\xff")));
    const bool expected = Json::accept(text);
    const JsonDocument document = parse(text);
    if (document.problems.empty()) {
      RC_ASSERT(document.complete == expected);
    } else if (document.problems[0].problem.code == ErrorCode::malformed_json) {
      RC_ASSERT(!expected);
    }
  }));
}

TEST_CASE("what is not JSON is refused at its byte") {
  const std::vector<std::pair<std::string, std::size_t>> table = {{"", 0},
                                                                  {"  ", 2},
                                                                  {"{", 1},
                                                                  {"[1,]", 3},
                                                                  {"{\"a\":1,}", 7},
                                                                  {"[1 2]", 3},
                                                                  {"{\"a\" 1}", 5},
                                                                  {"{a:1}", 1},
                                                                  {"'a'", 0},
                                                                  {"\"a", 0},
                                                                  {"\"a\nb\"", 2},
                                                                  {"\"\\x\"", 1},
                                                                  {"\"\\u12g4\"", 5},
                                                                  {"\"\\ud800\"", 1},
                                                                  {"\"\\udc00\"", 1},
                                                                  {"01", 0},
                                                                  {"-", 1},
                                                                  {"1.", 2},
                                                                  {"1e", 2},
                                                                  {"+1", 0},
                                                                  {".5", 0},
                                                                  {"tru", 0},
                                                                  {"nul", 0},
                                                                  {"NaN", 0},
                                                                  {"1 2", 2},
                                                                  {"{}}", 2},
                                                                  {"[}", 1},
                                                                  {"\"\xff\"", 1},
                                                                  {"\"\xc0\xaf\"", 1},
                                                                  {"\"\xed\xa0\x80\"", 1},
                                                                  {"\"\xf4\x90\x80\x80\"", 1},
                                                                  {std::string("\"a\0b\"", 5), 2},
                                                                  {std::string("\0", 1), 0},
                                                                  {"// x\n{}", 0}};
  for (const auto& [text, offset] : table) {
    CAPTURE(text);
    const JsonDocument document = parse(text);
    CHECK_FALSE(document.complete);
    REQUIRE(document.problems.size() == 1);
    CHECK(error_name(document.problems[0].problem.code) == "malformed_json");
    CHECK(document.problems[0].offset == offset);
  }
}

TEST_CASE("escapes and surrogate pairs are resolved") {
  CHECK(parse(R"("\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00")").root == "\"\\/\b\f\n\r\t\u00e9\U0001F600");
}

TEST_CASE("a byte order mark is passed over") { CHECK(parse("\xEF\xBB\xBF{}").complete); }

TEST_CASE("64 levels are read, 65 are refused, and 100,000 are refused without a crash") {
  CHECK(parse(std::string(64, '[') + std::string(64, ']')).complete);
  for (const std::string& open : std::vector<std::string>{"[", "{\"a\":"}) {
    for (const std::size_t depth : {std::size_t{65}, std::size_t{100'000}}) {
      std::string text;
      for (std::size_t i = 0; i < depth; ++i) text += open;
      const JsonDocument document = parse(text);
      REQUIRE(document.problems.size() == 1);
      CHECK(error_name(document.problems[0].problem.code) == "too_deep");
      CHECK(document.problems[0].offset == 64 * open.size());
    }
  }
}

TEST_CASE("a key that is written twice is refused, and the first one counts") {
  const JsonDocument document = parse(R"({"a": 1, "b": {"c": 1, "c": {"d": 2}}, "a": 3})");
  CHECK(document.complete);
  REQUIRE(document.problems.size() == 2);
  CHECK(document.problems[0].problem.pointer == "/b/c");
  CHECK(document.problems[1].problem.pointer == "/a");
  CHECK(document.problems[1].offset == 39);
  CHECK(document.root == Json::parse(R"({"a": 1, "b": {"c": 1}})"));
}

TEST_CASE("integers are exact to 64 bits and refused beyond; nothing wraps or loses digits") {
  CHECK(parse("9007199254740993").root == 9007199254740993);
  CHECK(parse("-9223372036854775808").root == INT64_MIN);
  CHECK(parse("18446744073709551615").root == UINT64_MAX);
  CHECK(parse("1e3").root.is_number_float());
  CHECK(parse("1e-999").root == 0.0);
  for (const std::string& text :
       std::vector<std::string>{"18446744073709551616", "-9223372036854775809", "1e400", "-1e400"}) {
    CAPTURE(text);
    const JsonDocument document = parse("{\"a\": [" + text + "]}");
    REQUIRE(document.problems.size() == 1);
    CHECK(error_name(document.problems[0].problem.code) == "out_of_range");
    CHECK(document.problems[0].problem.pointer == "/a/0");
    CHECK(document.unreliable.contains("/a/0"));
  }
}

}  // namespace sluice
