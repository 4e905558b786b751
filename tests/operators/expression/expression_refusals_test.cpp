#include <doctest/doctest.h>

#include <string>

#include "tests/operators/expression/rows.hpp"

using sluice::ErrorCode;
using sluice::Expression;
using sluice::Schema;
using sluice::Type;

namespace {

const Schema& schema() {
  static const Schema fields({{"status", Type::int64},
                              {"bytes", Type::float64},
                              {"time", Type::timestamp},
                              {"msg", Type::string},
                              {"doc", Type::json},
                              {"odd \"name", Type::int64},
                              {"ok", Type::boolean}},
                             true);
  return fields;
}

struct Case {
  std::string_view expression;
  ErrorCode code;
  std::string_view message;  // sentence, expression and caret
};

template <std::size_t N>
void check(const Case (&cases)[N]) {
  for (const Case& c : cases) {
    CAPTURE(c.expression);
    const auto compiled = Expression::compile(c.expression, schema());
    REQUIRE_FALSE(compiled.ok());
    CHECK(compiled.error().message() == c.message);
    CHECK(error_name(compiled.error().code()) == error_name(c.code));
  }
}

std::string refused(const std::string& text) {
  const auto compiled = Expression::compile(text, schema());
  return compiled.ok() ? "" : compiled.error().message();
}

std::string repeated(std::string_view piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

}  // namespace

TEST_CASE("a refusal shows the sentence, the expression and a caret under the place") {
  check({
      {"", ErrorCode::bad_expression, "the expression is empty\n\n^"},
      {"1 +", ErrorCode::bad_expression,
       "a value is expected but the end of the expression stands here\n1 +\n   ^"},
      {"(1", ErrorCode::bad_expression,
       "\")\" is expected to close the bracket but the end of the expression stands here\n(1\n  ^"},
      {"1 2", ErrorCode::bad_expression, "\"2\" is not expected here\n1 2\n  ^"},
      {"'abc", ErrorCode::bad_expression, "the text that begins here has no closing '\n'abc\n^"},
      {"status = 12x", ErrorCode::bad_expression,
       "a number must not run into letters or a second point\nstatus = 12x\n         ^"},
      {"9223372036854775808", ErrorCode::bad_expression,
       "9223372036854775808 does not fit into an int64; write 9223372036854775808.0 for a "
       "float64\n9223372036854775808\n^"},
      {"1 < 2 < 3", ErrorCode::bad_expression,
       "comparisons cannot be chained; write a < b and b < c\n1 < 2 < 3\n      ^"},
      {"status = 1 && ok", ErrorCode::bad_expression,
       "\"&&\" is written \"and\" here\nstatus = 1 && ok\n           ^"},
      {"end = 1", ErrorCode::bad_expression,
       "a value is expected but the keyword \"end\" stands here; a column of that name is written in double "
       "quotes\nend = 1\n^"},
      {"status in ()", ErrorCode::bad_expression,
       "the list of \"in\" must not be empty\nstatus in ()\n           ^"},
      {"case ok when true then 1", ErrorCode::bad_expression,
       "\"end\" is expected at the end of \"case\" but the end of the expression stands here\ncase ok when "
       "true then "
       "1\n                        ^"},
  });
}

TEST_CASE("unknown names get the nearest known one") {
  check({
      {"1 + stauts", ErrorCode::unknown_column,
       "there is no column \"stauts\"; did you mean \"status\"?\n1 + stauts\n    ^"},
      {"zzzzzz = 1", ErrorCode::unknown_column,
       "there is no column \"zzzzzz\"; the input has status int64, bytes float64, time timestamp, msg "
       "string, doc json, "
       "odd \"name int64, ok bool\nzzzzzz = 1\n^"},
      {"\"$event_time\"", ErrorCode::unknown_column,
       "there is no column \"$event_time\"; the input has status int64, bytes float64, time timestamp, msg "
       "string, doc "
       "json, odd \"name int64, ok bool\n\"$event_time\"\n^"},
      {"lenght(msg)", ErrorCode::bad_expression,
       "there is no function \"lenght\"; did you mean \"length\"?\nlenght(msg)\n^"},
      {"cast(msg as int)", ErrorCode::bad_expression,
       "\"int\" is no type; did you mean \"int64\"? types are int64, float64, bool, string, timestamp and "
       "json\ncast(msg "
       "as int)\n            ^"},
      {"date_trunc('minit', time)", ErrorCode::bad_value,
       "\"minit\" is no unit of time; did you mean \"minute\"? they are microsecond millisecond second "
       "minute hour day week "
       "month quarter year\ndate_trunc('minit', time)\n           ^"},
  });
}

TEST_CASE("types that do not fit are refused where they stand") {
  check({
      {"status + msg", ErrorCode::type_mismatch,
       "\"+\" takes numbers, but this is a string; texts are joined with ||\nstatus + msg\n         ^"},
      {"time - 5", ErrorCode::type_mismatch,
       "\"-\" takes numbers, but this is a timestamp; epoch_ms(ts) makes it one, and from_epoch_ms(n) a time "
       "again\ntime "
       "- 5\n^"},
      {"status = 'x'", ErrorCode::type_mismatch,
       "a comparison needs values of one type, but this is a string and another is an int64; cast(x as type) "
       "converts\nstatus = 'x'\n         ^"},
      {"doc = 1", ErrorCode::type_mismatch,
       "a comparison needs values of one type, but this is an int64 and another is a json; take the value "
       "out of the json "
       "with json_text(j, pointer) and cast it\ndoc = 1\n      ^"},
      {"doc = doc", ErrorCode::type_mismatch,
       "json values cannot be compared; take the value out with json_text(j, pointer) and cast it\ndoc = "
       "doc\n^"},
      {"status and ok", ErrorCode::type_mismatch,
       "\"and\" takes a bool, but this is an int64\nstatus and ok\n^"},
      {"not status", ErrorCode::type_mismatch,
       "\"not\" takes a bool, but this is an int64\nnot status\n    ^"},
      {"case when status then 1 end", ErrorCode::type_mismatch,
       "the condition of \"when\" takes a bool, but this is an int64\ncase when status then 1 end\n          "
       "^"},
      {"case when ok then 1 else 'x' end", ErrorCode::type_mismatch,
       "\"case\" needs values of one type, but this is a string and another is an int64; cast(x as type) "
       "converts\ncase "
       "when ok then 1 else 'x' end\n                         ^"},
      {"lower(status)", ErrorCode::type_mismatch,
       "lower is called as lower(int64) but takes lower(string)\nlower(status)\n^"},
      {"round(1, 2, 3)", ErrorCode::bad_expression,
       "round is called as round(int64, int64, int64) but takes round(int64) or round(float64) or "
       "round(int64, int64) or "
       "round(float64, int64)\nround(1, 2, 3)\n^"},
      {"cast(time as int64)", ErrorCode::type_mismatch,
       "a timestamp cannot be cast to int64; epoch_ms(ts) and epoch_us(ts) give numbers\ncast(time as "
       "int64)\n^"},
      {"time > 'yesterday'", ErrorCode::type_mismatch,
       "a timestamp is wanted here, but 'yesterday' is no ISO 8601 time such as '2015-05-17T10:00:00Z'\ntime "
       "> "
       "'yesterday'\n       ^"},
      {"time > msg", ErrorCode::type_mismatch,
       "a comparison needs values of one type, but this is a string and another is a timestamp\ntime > msg\n "
       "      ^"},
      {"status || 1", ErrorCode::type_mismatch,
       "\"||\" joins texts, but none of its values is a string\nstatus || 1\n       ^"},
      {"nullif(1)", ErrorCode::bad_expression, "nullif takes 2 arguments, but one is given\nnullif(1)\n^"},
  });
}

TEST_CASE("constant arguments are checked when the expression is compiled") {
  check({
      {"regexp_match(msg, '(')", ErrorCode::bad_regex,
       "the regular expression is not valid: missing ): (\nregexp_match(msg, '(')\n                  ^"},
      {"regexp_match(msg, msg)", ErrorCode::bad_expression,
       "argument 2 of regexp_match must be a constant, because it is prepared once for all "
       "rows\nregexp_match(msg, "
       "msg)\n                  ^"},
      {"regexp_extract(msg, 'a(b)', 2)", ErrorCode::out_of_range,
       "the regular expression has the groups 0 (all of it) to 1; there is no group 2\nregexp_extract(msg, "
       "'a(b)', "
       "2)\n                            ^"},
      {"to_timestamp(msg, '%Q')", ErrorCode::bad_value,
       "the time format has the unknown conversion \"%Q\"; known are %Y %y %m %d %e %j %H %I %p %M %S %f %b "
       "%B %h %a %A %s "
       "%z %Z %T %D %F %R %r %n %t %%\nto_timestamp(msg, '%Q')\n                  ^"},
      {"time_bucket('0s', time)", ErrorCode::out_of_range,
       "the width of time_bucket must be more than 0\ntime_bucket('0s', time)\n            ^"},
      {"json_get(doc, 'a')", ErrorCode::bad_value,
       "\"a\" is no JSON pointer: it is empty or begins with \"/\", and ~ in a name is written ~0, / in a "
       "name "
       "~1\njson_get(doc, 'a')\n              ^"},
      {"msg like 'a\\'", ErrorCode::bad_value,
       "like: the pattern must not end with its escape character\nmsg like 'a\\'\n         ^"},
      {"msg like 'a' escape 'xy'", ErrorCode::bad_value,
       "like: the escape is one ASCII character, or '' for none\nmsg like 'a' escape 'xy'\n                  "
       "  ^"},
  });
}

TEST_CASE("the caret counts code points, and long expressions are cut around it") {
  CHECK(refused("'\xc3\xa9\xc3\xa9' = nope").ends_with("\n       ^"));
  const std::string message = refused(repeated("1 + ", 200) + "nope" + repeated(" + 1", 200));
  const std::size_t line = message.find('\n') + 1;
  const std::size_t caret = message.rfind('^');
  const std::size_t caret_line = message.rfind('\n') + 1;
  CHECK(message.substr(line, 3) == "...");
  CHECK(message.size() < 400);
  CHECK(message.substr(line + (caret - caret_line), 4) == "nope");
}

TEST_CASE("deep nesting is refused and does not exhaust the stack") {
  for (const std::string_view opening :
       {"(", "-", "not ", "case when ", "abs(", "1 + (", "coalesce(", "x in ("}) {
    CAPTURE(opening);
    CHECK(
        refused(repeated(opening, 20'000)).starts_with("the expression is nested deeper than 200 levels\n"));
  }
  CHECK(refused(repeated("(", 100'000)).starts_with("the expression is nested deeper than 200 levels\n"));
  CHECK(refused("ok" + repeated(" is null", 1'000))
            .starts_with("the expression is nested deeper than 200 levels\n"));
  CHECK(refused(repeated("1 + ", 100'000))
            .starts_with("the expression has 400000 bytes; at most 262144 are allowed\n"));
  CHECK(refused(repeated("(", 190) + "1" + repeated(")", 190)) == "");
}

TEST_CASE("long flat chains are compiled and evaluated") {
  using sluice::test::evaluate;
  sluice::test::Rows rows({{"n", Type::int64}, {"t", Type::string}});
  rows.add({"1", "x"}).add({"null", "y"});
  CHECK(evaluate("n" + repeated(" + n", 5'000), rows) == std::vector<std::string>{"5001", "null"});
  CHECK(evaluate("n = 2" + repeated(" or n = 2", 5'000), rows) == std::vector<std::string>{"false", "null"});
  CHECK(evaluate("n = 1" + repeated(" and length(t) = 1", 5'000), rows) ==
        std::vector<std::string>{"true", "null"});
  CHECK(evaluate("length(t" + repeated(" || t", 5'000) + ")", rows) ==
        std::vector<std::string>{"5001", "5001"});
  CHECK(evaluate("n in (5" + repeated(", 6", 5'000) + ", 1)", rows) ==
        std::vector<std::string>{"true", "null"});
  CHECK(evaluate("case" + repeated(" when n = 2 then 3", 5'000) + " else 4 end", rows) ==
        std::vector<std::string>{"4", "4"});
}

TEST_CASE("keywords and functions are known in any case, columns only in theirs") {
  CHECK(refused("NOT Ok") != "");
  CHECK(refused("CASE WHEN ok THEN Abs(status) ELSE NULL END") == "");
  CHECK(refused("\"odd \"\"name\" + 1") == "");
}

TEST_CASE("an expression that is nothing but a column says so") {
  const auto column = Expression::compile("(msg)", schema());
  CHECK(column->as_column() == 3u);
  CHECK(column->type() == Type::string);
  CHECK_FALSE(Expression::compile("msg || ''", schema())->as_column().has_value());
}
