// What every format must make of the same difficult values and files: limits of numbers and times, invalid
// UTF-8, line ends, byte order marks, empty and one-byte files. Bad records are counted, never guessed at.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/operators/format/format_harness.hpp"

namespace sluice::test {
namespace {

using Texts = std::vector<std::string>;

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string escaped(const std::string& value) {
  return replace_all(replace_all(replace_all(value, "\\", "\\\\"), "\"", "\\\""), "\n", "\\n");
}

// A format whose records hold one value, x.
struct OneValue {
  const char* format;
  std::function<std::string(const std::string& value)> text;    // the record that holds it as text
  std::function<std::string(const std::string& value)> number;  // and as a number
  const char* begin = "";
  const char* between = "\n";
  const char* end = "\n";
  bool demands_utf8 = false;
  bool line_ends_inside = false;  // a value may hold them

  std::string file(const Texts& records) const {
    return begin + fmt::format("{}", fmt::join(records, between)) + end;
  }
  Json config(const char* type) const {
    return {{"format", Json::parse(format)}, {"schema", {{{"name", "x"}, {"type", type}}}}};
  }
};

std::string as_is(const std::string& value) { return value; }
std::string json_text(const std::string& value) { return "{\"x\":\"" + escaped(value) + "\"}"; }
std::string json_number(const std::string& value) { return "{\"x\":" + value + "}"; }
std::string csv_text(const std::string& value) { return "\"" + replace_all(value, "\"", "\"\"") + "\""; }

const std::vector<OneValue>& formats() {
  static const std::vector<OneValue> all = {
      {.format = R"("lines")", .text = as_is, .number = as_is},
      {.format = R"("jsonl")",
       .text = json_text,
       .number = json_number,
       .demands_utf8 = true,
       .line_ends_inside = true},
      {.format = R"("json_array")",
       .text = json_text,
       .number = json_number,
       .begin = "[",
       .between = ",\n",
       .end = "]\n",
       .demands_utf8 = true,
       .line_ends_inside = true},
      {.format = R"("csv")", .text = csv_text, .number = as_is, .begin = "x\n", .line_ends_inside = true},
      {.format = R"("logfmt")",
       .text = [](const std::string& value) { return "x=\"" + escaped(value) + "\""; },
       .number = [](const std::string& value) { return "x=" + value; },
       .line_ends_inside = true},
      {.format = R"json({"type": "regex", "pattern": "(?P<x>.*)"})json", .text = as_is, .number = as_is}};
  return all;
}

// How a value reads: the row's text, or the fault's code.
std::string read(const OneValue& format, const char* type, const std::string& record) {
  const Parsed parsed = parse_text(format.config(type), format.file({record}));
  if (parsed.rows.size() + parsed.faults.size() != 1) return "not one record: " + parsed.error;
  if (!parsed.rows.empty()) return parsed.rows[0];
  const std::size_t open = parsed.faults[0].find('[');
  return parsed.faults[0].substr(open + 1, parsed.faults[0].find(']') - open - 1);
}

}  // namespace

TEST_CASE("numbers at their limits read exactly, or are refused, in every format") {
  const struct {
    const char* type;
    const char* value;
    const char* wanted;
  } table[] = {{"int64", "0", "0"},
               {"int64", "-0", "0"},
               {"int64", "9007199254740993", "9007199254740993"},
               {"int64", "-9007199254740993", "-9007199254740993"},
               {"int64", "9223372036854775807", "9223372036854775807"},
               {"int64", "-9223372036854775808", "-9223372036854775808"},
               {"int64", "9223372036854775808", "bad_field"},
               {"int64", "-9223372036854775809", "bad_field"},
               {"int64", "18446744073709551616", "bad_field"},
               {"int64", "1e400", "bad_field"},
               {"int64", "1.5", "bad_field"},
               {"float64", "9007199254740993", "9007199254740992.0"},
               {"float64", "1e308", "1.e+308"},
               {"float64", "1e309", "bad_field"},
               {"float64", "-1e400", "bad_field"},
               {"float64", "5e-324", "5.e-324"},
               {"float64", "1e-400", "0.0"},
               {"string", "9007199254740993", "'9007199254740993'"},
               {"string", "1e400", "'1e400'"}};
  for (const OneValue& format : formats()) {
    for (const auto& row : table) {
      CAPTURE(format.format);
      CAPTURE(row.type);
      CAPTURE(row.value);
      CHECK(read(format, row.type, format.number(row.value)) == row.wanted);
    }
  }
}

TEST_CASE("NaN and infinities are float64 where text is read, and no JSON numbers") {
  const std::vector<std::pair<std::string, std::string>> table = {{"nan", "nan"},      {"NaN", "nan"},
                                                                  {"inf", "inf"},      {"-inf", "-inf"},
                                                                  {"Infinity", "inf"}, {"-Infinity", "-inf"}};
  for (const OneValue& format : formats()) {
    for (const auto& [value, wanted] : table) {
      CAPTURE(format.format);
      CAPTURE(value);
      CHECK(read(format, "float64", format.text(value)) == wanted);
      CHECK(read(format, "float64", format.number(value)) ==
            (format.demands_utf8 ? "malformed_record" : wanted));
      CHECK(read(format, "int64", format.text(value)) == "bad_field");
    }
  }
}

TEST_CASE("times before 1970, of year 1 and of year 9999 are exact, and other years refused") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"1969-12-31T23:59:59.999999Z", "-1"},
      {"1969-12-31T23:59:59Z", "-1000000"},
      {"0001-01-01T00:00:00Z", "-62135596800000000"},
      {"0001-01-01T00:00:00.000001Z", "-62135596799999999"},
      {"9999-12-31T23:59:59.999999Z", "253402300799999999"},
      {"2016-02-29T12:00:00+02:00", "1456740000000000"},
      {"0000-01-01T00:00:00Z", "bad_field"},
      {"10000-01-01T00:00:00Z", "bad_field"},
      {"2015-02-29T00:00:00Z", "bad_field"},
      {"2015-05-17T24:00:01Z", "bad_field"}};
  for (const OneValue& format : formats()) {
    for (const auto& [value, wanted] : table) {
      CAPTURE(format.format);
      CAPTURE(value);
      CHECK(read(format, "timestamp", format.text(value)) == wanted);
    }
    Json config = format.config("timestamp");
    config["schema"][0]["format"] = "epoch_ms";
    CHECK(parse_text(config,
                     format.file({format.number("-1"), format.number("-62135596800000"),
                                  format.number("253402300799999"), format.number("9223372036854775807")}))
              .rows == Texts{"-1000", "-62135596800000000", "253402300799999000"});
  }
}

TEST_CASE(
    "bytes that are not UTF-8 stay as they are, but in JSON they are a bad record, and others are read") {
  for (const std::string& bytes :
       {std::string("\xff"), std::string("\xc3\x28"), std::string("\xc0\xaf"), std::string("\xed\xa0\x80"),
        std::string("\xf4\x90\x80\x80"), std::string("\xe4\xb8")}) {
    for (const OneValue& format : formats()) {
      CAPTURE(format.format);
      Texts records(1000, format.text("line"));
      records[500] = format.text("a" + bytes + "b");
      const Parsed parsed = parse_text(format.config("string"), format.file(records));
      CHECK(parsed.error == "");
      if (format.demands_utf8) {
        CHECK(parsed.rows == Texts(999, "'line'"));
        REQUIRE(parsed.faults.size() == 1);
        CHECK(parsed.faults[0].starts_with("line 501 [malformed_record]"));
      } else {
        CHECK(parsed.faults.empty());
        REQUIRE(parsed.rows.size() == 1000);
        CHECK(parsed.rows[500] == "'a" + bytes + "b'");
      }
    }
  }
}

TEST_CASE("a NUL byte is data, but in JSON only where it is escaped") {
  const std::string value("a\0b", 3);
  for (const OneValue& format : formats()) {
    CAPTURE(format.format);
    CHECK(read(format, "string", format.text(value)) ==
          (format.demands_utf8 ? "malformed_record" : "'" + value + "'"));
    if (format.demands_utf8) CHECK(read(format, "string", "{\"x\":\"a\\u0000b\"}") == "'" + value + "'");
  }
}

TEST_CASE("a byte order mark and CR LF leave no trace in any format") {
  for (const OneValue& format : formats()) {
    CAPTURE(format.format);
    const std::string file = format.file({format.text("first"), format.text("last")});
    const std::string windows = "\xEF\xBB\xBF" + replace_all(file, "\n", "\r\n");
    CHECK(parse_text(format.config("string"), windows).rows == Texts{"'first'", "'last'"});
    // Nor does a last line without its end.
    CHECK(parse_text(format.config("string"), file.substr(0, file.size() - 1)).rows ==
          Texts{"'first'", "'last'"});
  }
}

TEST_CASE("a line end inside of quotes is part of the value") {
  for (const OneValue& format : formats()) {
    if (!format.line_ends_inside) continue;
    CAPTURE(format.format);
    const Parsed parsed = parse_text(
        format.config("string"), format.file({format.text("a\nb\n"), format.text("\n"), format.text("c")}));
    CHECK(parsed.rows == Texts{"'a\nb\n'", "'\n'", "'c'"});
    CHECK(parsed.faults.empty());
  }
  const std::string windows = "x\r\n\"a\r\nb\"\r\n";
  CHECK(parse_text({{"format", "csv"}, {"schema", {{{"name", "x"}}}}}, windows).rows == Texts{"'a\r\nb'"});
}

TEST_CASE("an empty file holds no records, except that it is no JSON document") {
  for (const OneValue& format : formats()) {
    for (const char* empty : {"", "\xEF\xBB\xBF"}) {
      CAPTURE(format.format);
      const Parsed parsed = parse_text(format.config("string"), std::string(empty));
      CHECK(parsed.rows.empty());
      CHECK(parsed.faults.empty());
      CHECK(parsed.header_error == "");
      const bool document = std::string(format.format) == "\"json_array\"";
      CHECK(parsed.error ==
            (document ? "doc:1: the document is empty; a JSON array is expected; the records in front "
                        "of it have been read"
                      : ""));
    }
  }
  const Parsed log = parse_text({{"format", "apache_combined"}}, std::string());
  CHECK(log.rows.empty());
  CHECK(log.faults.empty());
}

TEST_CASE("a file of one byte, whichever it is") {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  const struct {
    const char* format;
    std::function<std::string(char)> wanted;  // "row", "fault", "error" or "nothing"
  } table[] = {
      {R"("lines")", [](char) { return "row"; }},
      {R"("jsonl")", [&](char c) { return blank(c) ? "nothing" : "fault"; }},
      {R"("json_array")", [](char) { return "error"; }},
      {R"({"type": "csv", "header": false})",
       [](char c) { return c == '"'   ? "fault"
                           : c == ',' ? "fault"
                                      : "row"; }},
      {R"("logfmt")", [&](char c) { return blank(c)               ? "nothing"
                                           : c == '=' || c == '"' ? "fault"
                                                                  : "row"; }},
      {R"json({"type": "regex", "pattern": "(?P<x>.)"})json",
       [](char c) { return c == '\n' || c == '\r' ? "fault" : "row"; }}};
  for (const auto& row : table) {
    for (int byte = 0; byte < 256; ++byte) {
      CAPTURE(row.format);
      CAPTURE(byte);
      const std::string text(1, static_cast<char>(byte));
      const Parsed parsed =
          parse_text({{"format", Json::parse(row.format)}, {"schema", {{{"name", "x"}}}}}, text);
      const std::string got = !parsed.error.empty()    ? "error"
                              : !parsed.faults.empty() ? "fault"
                              : !parsed.rows.empty()   ? "row"
                                                       : "nothing";
      CHECK(got == row.wanted(text[0]));
      CHECK(parsed.rows.size() + parsed.faults.size() <= 1);
    }
  }
  for (int byte = 0; byte < 256; ++byte) {
    CAPTURE(byte);
    const Parsed log = parse_text({{"format", "apache_common"}}, std::string(1, static_cast<char>(byte)));
    CHECK(log.rows.empty());
    CHECK(log.faults.size() == 1);
  }
}

TEST_CASE("records of the limit pass, longer ones are one bad record each, and the next is read") {
  for (const OneValue& format : formats()) {
    CAPTURE(format.format);
    const std::size_t around = format.text("").size();
    const auto record = [&](std::size_t size) { return format.text(std::string(size - around, 'v')); };
    Texts records = {record(99),    record(100),       record(101),
                     record(5'000), record(1'000'000), format.text("normal")};
    const Parsed parsed =
        parse_text(format.config("string"), bytes_in_memory(format.file(records)), /*max_record=*/100);
    REQUIRE(parsed.rows.size() == 3);
    CHECK(parsed.rows.back() == "'normal'");
    REQUIRE(parsed.faults.size() == 3);
    for (const std::string& fault : parsed.faults)
      CHECK(fault.find("[record_too_large]") != std::string::npos);
  }
}

}  // namespace sluice::test
