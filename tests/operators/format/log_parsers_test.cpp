// The formats lines, regex, apache_common and apache_combined.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/operators/format/format_harness.hpp"

namespace sluice::test {
namespace {

using Texts = std::vector<std::string>;

Json config_of(const char* format, const char* schema = nullptr) {
  Json config{{"format", Json::parse(format)}};
  if (schema != nullptr) config["schema"] = Json::parse(schema);
  return config;
}

const char* const kCombined = "\"apache_combined\"";
const std::string kLine =
    R"(1.2.3.4 - bob [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/1.1" 200 512 "http://r/" "Agent 1.0")";

}  // namespace

TEST_CASE("format lines gives each line as it is, empty ones too") {
  CHECK(parse_text(config_of("\"lines\""), "a b\n\n c\r\nd").rows == Texts{"'a b'", "''", "' c'", "'d'"});
  CHECK(parse_text(config_of("\"lines\"", R"([{"name":"n","type":"int64"}])"), "1\nx\n").rows == Texts{"1"});
  CHECK(format_problems(config_of("\"lines\"", R"([{"name":"a"},{"name":"b"}])"), "") ==
        Texts{"/schema/1 [bad_value]"});
  CHECK(format_problems(config_of("\"lines\"", R"([{"name":"a","from":"b"}])"), "") ==
        Texts{"/schema/0/from [unknown_column]"});
}

TEST_CASE("a combined log line falls into its twelve columns") {
  CHECK(parse_text(config_of(kCombined), kLine + "\n").rows ==
        Texts{"'1.2.3.4' null 'bob' 1431857103000000 'GET /a?b=c HTTP/1.1' 'GET' '/a?b=c' 'HTTP/1.1' 200 512 "
              "'http://r/' 'Agent 1.0'"});
  CHECK(parse_text(config_of("\"apache_common\""),
                   R"(h i u [17/May/2015:10:05:03 +0200] "GET / HTTP/1.0" 304 -)"
                   "\n")
            .rows == Texts{"'h' 'i' 'u' 1431849903000000 'GET / HTTP/1.0' 'GET' '/' 'HTTP/1.0' 304 null"});
}

TEST_CASE("a schema picks, renames and converts parts of a log line") {
  const auto config = config_of(
      kCombined,
      R"([{"name":"code","from":"status","type":"string"},{"name":"time"},{"name":"bytes","type":"float64"},{"name":"t","from":"time","type":"string"}])");
  CHECK(parse_text(config, kLine).rows == Texts{"'200' 1431857103000000 512.0 '17/May/2015:10:05:03 +0000'"});
  CHECK(format_problems(config_of(kCombined, R"([{"name":"stauts"}])"), "") ==
        Texts{"/schema/0/name [unknown_column]"});
  CHECK(format_problems(config_of("\"apache_common\"", R"([{"name":"agent"}])"), "") ==
        Texts{"/schema/0/name [unknown_column]"});
}

TEST_CASE("quotes, backslashes and blanks inside a log line's parts are understood") {
  const auto config = config_of(
      kCombined,
      R"([{"name":"user"},{"name":"request"},{"name":"method"},{"name":"referer"},{"name":"agent"}])");
  const auto rows = [&](const std::string& line) { return parse_text(config, line + "\n").rows; };
  CHECK(rows(R"(h - a b [17/May/2015:10:05:03 +0000] "GET /\"q\" HTTP/1.1" 200 1 "-" "say \"hi\" \\")") ==
        Texts{R"('a b' 'GET /"q" HTTP/1.1' 'GET' null 'say "hi" \')"});
  CHECK(rows(R"(h - - [17/May/2015:10:05:03 +0000] "\x16\x03" 400 0 "" "a\tb")") ==
        Texts{R"(null '\x16\x03' null '' 'a\tb')"});
  CHECK(rows(R"(h - - [17/May/2015:10:05:03 +0000] "-" 408 - "-" "-")") == Texts{"null null null null null"});
  CHECK(rows(R"(h - - [17/May/2015:10:05:03 +0000] "GET /a b HTTP/1.1" 200 1 "-" "-")") ==
        Texts{"null 'GET /a b HTTP/1.1' null null null"});
}

TEST_CASE("a line that is no log line is bad and says what it lacks") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "client"},
      {"nonsense", "client"},
      {"a b", "ident"},
      {"a b c", "user and time in brackets"},
      {R"(h - - [17/May/2015:10:05:03 +0000] GET)", "quoted request"},
      {R"(h - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1)", "quoted request"},
      {R"(h - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1\" 200 1 - -)", "quoted request"},
      {R"(h - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200)", "status"},
      {R"(h - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1 "-")", "quoted referer"},
      {R"(h - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1 "-" "cut)", "quoted agent"},
      {kLine + " more", "end behind the agent"}};
  for (const auto& [line, missing] : table) {
    CAPTURE(line);
    CHECK(parse_text(config_of(kCombined), line + "\n").faults ==
          Texts{"line 1 [malformed_record] the line has no " + missing + " where one is expected"});
  }
}

TEST_CASE("a log line's time and numbers must be right") {
  const auto fault = [](const std::string& time, const std::string& status) {
    const Parsed parsed = parse_text(
        config_of(kCombined), "h - - [" + time + "] \"GET / HTTP/1.1\" " + status + " 1 \"-\" \"-\"\n");
    return parsed.faults.empty() ? "good" : parsed.faults[0].substr(7, 18);
  };
  CHECK(fault("29/Feb/2016:23:59:60 -0130", "200") == "good");
  for (const std::string bad :
       {"30/Feb/2016:00:00:00 +0000", "00/May/2015:10:05:03 +0000", "17/Mai/2015:10:05:03 +0000",
        "17/May/2015:24:05:03 +0000", "17/May/2015:10:60:03 +0000", "17/May/2015:10:05:61 +0000",
        "17/May/2015:10:05:03", "17/May/2015 10:05:03 +0000", "x"}) {
    CAPTURE(bad);
    CHECK(fault(bad, "200") == "[bad_field] column");
  }
  CHECK(fault("17/May/2015:10:05:03 +0000", "2x0") == "[bad_field] column");
}

TEST_CASE("regex: named groups are columns, and the whole line must match") {
  const auto config = config_of(R"j({"type":"regex","pattern":"(?P<k>\\w+)=(?P<v>\\d+)?"})j");
  const Parsed parsed = parse_text(config, "a=1\nb=\nc=3 \n\n");
  CHECK(parsed.rows == Texts{"'a' '1'", "'b' null"});
  CHECK(parsed.faults == Texts{"line 3 [malformed_record] the record does not match the pattern",
                               "line 4 [malformed_record] the record does not match the pattern"});
  const auto typed = config_of(R"j({"type":"regex","pattern":"(?P<k>\\w+)=(\\d+)"})j",
                               R"([{"name":"n","from":2,"type":"int64"},{"name":"k"}])");
  CHECK(parse_text(typed, "a=1\n").rows == Texts{"1 'a'"});
}

TEST_CASE("regex reads records that are not valid UTF-8, and characters where they are") {
  const auto config = config_of(R"j({"type":"regex","pattern":"(?P<a>.)-(?P<b>.*)"})j");
  CHECK(parse_text(config, "\xC3\xA4-x\n\xFF-\xC3\x28\n").rows ==
        Texts{"'\xC3\xA4' 'x'", "'\xFF' '\xC3\x28'"});
}

TEST_CASE("mistakes in a regex format are found while the graph is checked") {
  CHECK(format_problems(config_of("\"regex\""), "") == Texts{"/format [missing_field]"});
  CHECK(format_problems(config_of(R"j({"type":"regex","pattern":"("})j"), "") ==
        Texts{"/format/pattern [bad_regex]"});
  CHECK(format_problems(config_of(R"j({"type":"regex","pattern":"(a)"})j"), "") ==
        Texts{"/format/pattern [bad_value]"});
  CHECK(format_problems(config_of(R"j({"type":"regex","pattern":"(?P<a>.)"})j", R"([{"name":"b"}])"), "") ==
        Texts{"/schema/0/name [unknown_column]"});
  CHECK(format_problems(config_of(R"j({"type":"regex","pattern":"(?P<a>.)"})j", R"([{"name":"b","from":2}])"),
                        "") == Texts{"/schema/0/from [out_of_range]"});
  CHECK(format_problems(config_of(R"j({"type":"regex","pattern":"(?P<a>.)","delimiter":","})j"), "") ==
        Texts{"/format/delimiter [unknown_field]"});
}

}  // namespace sluice::test
