#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "operators/format/logfmt_pairs.hpp"
#include "tests/operators/format/format_harness.hpp"

namespace sluice::test {
namespace {

using Texts = std::vector<std::string>;

Json logfmt(const char* schema = nullptr) {
  Json config{{"format", "logfmt"}};
  if (schema != nullptr) config["schema"] = Json::parse(schema);
  return config;
}

// The pairs of a record as "key=value", null as "key", or what is wrong at the end.
Texts pairs(const std::string& record) {
  Texts found;
  LogfmtPairs walk;
  walk.start(record);
  for (;;) {
    switch (walk.next()) {
      case LogfmtPairs::Next::kPair:
        found.push_back(std::string(walk.key()) +
                        (walk.form() == LogfmtPairs::Form::kNull ? "" : "=" + std::string(walk.value())));
        break;
      case LogfmtPairs::Next::kEnd:
        return found;
      case LogfmtPairs::Next::kBad:
        found.push_back("bad: " + walk.fault());
        return found;
    }
  }
}

std::string quoted(const std::string& inside) { return pairs("k=\"" + inside + "\"").at(0).substr(2); }

}  // namespace

TEST_CASE("a logfmt record is pairs between blanks") {
  CHECK(pairs("").empty());
  CHECK(pairs(" \t ").empty());
  CHECK(pairs("a=1 b=two\tc=\"x y\"  d") == Texts{"a=1", "b=two", "c=x y", "d=true"});
  CHECK(pairs("a= b=\"\" c=") == Texts{"a", "b=", "c"});
  CHECK(pairs("url=http://h/?q=1&r=\"x\" n=5\"") == Texts{"url=http://h/?q=1&r=\"x\"", "n=5\""});
  CHECK(pairs("a.b/c[0]=1 \xC3\xA4=\xFF") == Texts{"a.b/c[0]=1", "\xC3\xA4=\xFF"});
  CHECK(pairs("plain words") == Texts{"plain=true", "words=true"});
}

TEST_CASE("escapes in quotes are those of JSON and of Go") {
  CHECK(quoted(R"(say \"hi\" \\ \/)") == R"(say "hi" \ /)");
  CHECK(quoted(R"(\b\f\n\r\t\a\v\')") == "\b\f\n\r\t\a\v'");
  CHECK(quoted(R"(\u00e4\u20AC\ud83d\ude00\U0001F600)") ==
        "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xF0\x9F\x98\x80");
  CHECK(quoted(R"(\x41\xff)") == "A\xFF");
  CHECK(quoted("\\u0000") == std::string(1, '\0'));
}

TEST_CASE("what is no pair makes the record bad and says where") {
  CHECK(pairs("a=1 =2") == Texts{"a=1", "bad: \"=\" stands where a key is expected"});
  CHECK(pairs("\"a\"=1") == Texts{"bad: a quote stands where a key is expected"});
  CHECK(pairs("a\"b=1") == Texts{"bad: a quote stands in the key \"a\""});
  for (const char* open : {"a=\"", "a=\"x", "a=\"x\\", "a=\"x\\\""})
    CHECK(pairs(open) == Texts{"bad: the quote of \"a\" is not closed"});
  CHECK(pairs("a=\"x\"y") == Texts{"bad: something stands right behind the closing quote of \"a\""});
  for (const char* unknown : {"\\z", "\\x4", "\\xg0", "\\u12", "\\ud800", "\\ud800\\u0041", "\\udc00",
                              "\\U00110000", "\\U0000d800", "\\u+123"}) {
    CAPTURE(unknown);
    CHECK(pairs("a=\"" + std::string(unknown) + "\"") ==
          Texts{"bad: \"a\" holds an escape that is not known"});
  }
}

TEST_CASE("the schema picks keys and types; what is not there is null") {
  const auto config = logfmt(
      R"([{"name":"level"},{"name":"ms","from":"took.ms","type":"float64"},{"name":"n","type":"int64"},
          {"name":"ok","type":"bool"},{"name":"at","from":"ts","type":"timestamp"},{"name":"raw","from":"ts"}])");
  const Parsed parsed = parse_text(config,
                                   "ts=1970-01-01T00:00:01Z level=info ok n=5 took.ms=1.5 other=\"x\"\n"
                                   "n= level=\"\"\r\n"
                                   "\n"
                                   "ok=false n=+7\n");
  CHECK(parsed.rows == Texts{"'info' 1.5 5 true 1000000 '1970-01-01T00:00:01Z'",
                             "'' null null null null null", "null null 7 false null null"});
  CHECK(parsed.faults.empty());
}

TEST_CASE("a logfmt value that its column cannot take makes the record bad, and the next is read") {
  const auto config = logfmt(R"([{"name":"n","type":"int64"}])");
  const Parsed parsed =
      parse_text(config, "n=9223372036854775807\nn=9223372036854775808\nn\nn=\"x\nn=1e3\nn=-1\n");
  CHECK(parsed.rows == Texts{"9223372036854775807", "-1"});
  CHECK(parsed.faults == Texts{"line 2 [bad_field] column \"n\": \"9223372036854775808\" is not an int64",
                               "line 3 [bad_field] column \"n\": \"true\" is not an int64",
                               "line 4 [malformed_record] the quote of \"n\" is not closed",
                               "line 5 [bad_field] column \"n\": \"1e3\" is not an int64"});
}

TEST_CASE("of a logfmt key that stands twice the first value counts") {
  const auto config = logfmt(R"([{"name":"a","type":"int64"}])");
  CHECK(parse_text(config, "a=1 a=2\na= a=2\na=1 a=x\n").rows == Texts{"1", "null", "1"});
}

TEST_CASE("logfmt columns are inferred from the records, in the order of first appearance") {
  const auto columns = [](const Texts& records) {
    std::string text;
    for (const ColumnSpec& spec : infer_logfmt_columns(records))
      text += spec.name + ":" + std::string(type_name(*spec.type)) + " ";
    return text;
  };
  CHECK(columns({"i=1 f=1.5 s=x b=true bare n="}) == "i:int64 f:float64 s:string b:bool bare:bool n:string ");
  CHECK(columns({"a=1", "a=2.5 z=1", "a="}) == "a:float64 z:int64 ");
  CHECK(columns({"a=1", "a=x"}) == "a:string ");
  CHECK(columns({"a=1", "a"}) == "a:string ");
  CHECK(columns({"quoted=\"1\" zeros=007 large=9223372036854775808 huge=1e400 nan=nan plus=+1"}) ==
        "quoted:string zeros:string large:string huge:string nan:string plus:string ");
  CHECK(columns({"=broken", "a=1 \"", "a=2"}) == "a:int64 ");
  CHECK(parse_text(logfmt(), "at=x n=1\nn=2 extra=3\n").rows == Texts{"'x' 1 null", "null 2 3"});
}

TEST_CASE("mistakes in a logfmt format are found while the graph is checked") {
  CHECK(format_problems(logfmt(), "") == Texts{"/format [missing_field]"});
  CHECK(format_problems(logfmt(), "$a=1\n") == Texts{"/path [bad_name]"});
  CHECK(format_problems(logfmt(R"([{"name":"a","from":1}])"), "") == Texts{"/schema/0/from [wrong_type]"});
  CHECK(format_problems(logfmt(R"([{"name":"a b"}])"), "") == Texts{"/schema/0/name [bad_value]"});
  CHECK(format_problems(logfmt(R"([{"name":"a","from":"x=y"}])"), "") == Texts{"/schema/0/from [bad_value]"});
}

TEST_CASE("property: quoted text reads back the same, whatever it holds") {
  CHECK(rc::check([](const std::string& value) {
    std::string text = "k=\"";
    for (const char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    RC_ASSERT(pairs(text + "\" z") == Texts({"k=" + value, "z=true"}));
  }));
}

TEST_CASE("property: any bytes are pairs or a fault, and end") {
  CHECK(rc::check([] {
    const auto record = *rc::gen::container<std::string>(rc::gen::weightedElement<char>(
        {{4, 'a'}, {3, '='}, {3, '"'}, {2, '\\'}, {3, ' '}, {1, 'u'}, {1, '\0'}}));
    RC_ASSERT(pairs(record).size() <= record.size() + 1);
  }));
}

}  // namespace sluice::test
