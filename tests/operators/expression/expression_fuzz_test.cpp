#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <simdjson.h>

#include <random>
#include <string>
#include <vector>

#include "operators/expression/json_text.hpp"
#include "tests/operators/expression/rows.hpp"

using namespace sluice;

namespace {

std::string any_of(const std::vector<std::string>& words, std::mt19937_64& random) {
  return words[random() % words.size()];
}

std::mt19937_64 any_random() {
  return std::mt19937_64(*rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()));
}

const std::vector<std::string> kWords = {"1",
                                         "2.5",
                                         "'a'",
                                         "null",
                                         "true",
                                         "n",
                                         "s",
                                         "(",
                                         ")",
                                         "(",
                                         ")",
                                         ",",
                                         "+",
                                         "-",
                                         "*",
                                         "/",
                                         "%",
                                         "=",
                                         "<",
                                         "||",
                                         "and",
                                         "or",
                                         "not",
                                         "in",
                                         "like",
                                         "is",
                                         "case",
                                         "when",
                                         "then",
                                         "else",
                                         "end",
                                         "cast",
                                         "as",
                                         "int64",
                                         "string",
                                         "abs(",
                                         "substr(",
                                         "between",
                                         "'2015-01-01'",
                                         "\"n\"",
                                         "coalesce(",
                                         "concat(",
                                         "'",
                                         "\"",
                                         "\xff",
                                         "\xc3\xa9",
                                         "escape",
                                         "json_get(",
                                         "'/a'",
                                         "round(",
                                         "1e5",
                                         "\n",
                                         "regexp_match(",
                                         "'('"};

// A JSON text of random shape, not nested deeply.
std::string random_json(std::mt19937_64& random, int depth) {
  const auto kind = random() % (depth > 0 ? 8 : 6);
  switch (kind) {
    case 0:
      return any_of({"0", "-1", "12.50", "1e3", "-0.1E-2", "100"}, random);
    case 1:
      return any_of({"true", "false", "null"}, random);
    case 2:
    case 3:
      return any_of({"\"\"", "\"a\"", "\"\\n\\u00e9\\ud83d\\ude00\"", "\"x\\\\y\\\"\"", "\"caf\xc3\xa9\""},
                    random);
    case 4:
      return any_of({"[]", "{}", " [ ] ", "{ }"}, random);
    case 5:
      return "7";
    default:
      break;
  }
  std::string text(1, kind == 6 ? '[' : '{');
  const auto count = 1 + random() % 4;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0) text += any_of({",", " ,", ", "}, random);
    if (kind == 7) text += any_of({"\"a\":", "\"b\" : ", "\"\\u0061\":", "\"\": "}, random);
    text += random_json(random, depth - 1);
  }
  return text + (kind == 6 ? ']' : '}');
}

std::string damaged(std::string text, std::mt19937_64& random) {
  const std::string bytes = "{}[],:\"\\ 0123456789.eE+-truefalsn\n\tu";
  for (auto edits = random() % 3; edits > 0 && !text.empty(); --edits) {
    const auto at = random() % text.size();
    switch (random() % 3) {
      case 0:
        text.erase(at, 1);
        break;
      case 1:
        text.insert(at, 1, bytes[random() % bytes.size()]);
        break;
      default:
        text[at] = bytes[random() % bytes.size()];
    }
  }
  return text;
}

}  // namespace

TEST_CASE("no sequence of words does worse than being refused with a caret") {
  CHECK(rc::check("compiles or is refused", [] {
    auto random = any_random();
    test::Rows rows({{"n", Type::int64}, {"s", Type::string}});
    rows.add({"1", "a"}).add({"null", "null"});
    for (int i = 0; i < 50; ++i) {
      std::string text;
      for (auto words = random() % 14; words > 0; --words) text += any_of(kWords, random) + ' ';
      const auto compiled = Expression::compile(text, rows.schema());
      if (compiled.ok()) {
        Evaluator(*compiled).evaluate(rows.view());
      } else {
        RC_ASSERT(compiled.error().message().back() == '^');
      }
    }
  }));
}

TEST_CASE("json is well formed exactly where simdjson finds it so") {
  CHECK(rc::check("json against simdjson", [] {
    auto random = any_random();
    simdjson::dom::parser parser;
    for (int i = 0; i < 50; ++i) {
      const std::string text = damaged(random_json(random, 4), random);
      const auto error = parser.parse(text).error();
      // simdjson refuses numbers beyond 64 bits, which are JSON all the same.
      if (error == simdjson::NUMBER_ERROR) continue;
      // A text that is not UTF-8 is kept as it is everywhere in Sluice.
      if (error == simdjson::UTF8_ERROR) continue;
      // It also refuses halves of surrogate pairs, which are JSON and are read as U+FFFD here.
      if (error == simdjson::STRING_ERROR && text.find("\\u") != std::string::npos) continue;
      RC_LOG() << text << "\n";
      RC_ASSERT(expression::find_json(text, {}).well_formed == (error == simdjson::SUCCESS));
    }
  }));
}

TEST_CASE("json nested without end is refused by a limit and does not exhaust the stack") {
  using expression::find_json;
  for (const std::string_view opening : {"[", "{\"a\":"}) {
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += opening;
    CHECK_FALSE(find_json(deep, {}).well_formed);
  }
  const std::string at_limit = std::string(1024, '[') + "1" + std::string(1024, ']');
  CHECK(find_json(at_limit, {}).well_formed);
  CHECK_FALSE(find_json('[' + at_limit + ']', {}).well_formed);
  const std::vector<std::string> steps(1024, "0");
  CHECK(find_json(at_limit, steps).raw == "1");
}
