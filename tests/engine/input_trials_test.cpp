// Files in which readers have failed elsewhere, and values at the ends of their ranges, each as a whole run
// from a file to a csv, a jsonl and, for bad records, a csv file.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/engine/cli/command_line_run.hpp"
#include "tests/engine/graph_run.hpp"

namespace sluice {
namespace {

using Lines = std::vector<std::string>;

// Sanitizers keep what was freed, and more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr const char* kTextX = R"([{"name": "x", "type": "string"}])";

// `path` to out.csv and out.jsonl, its bad records to bad.csv; `more` are further fields of the source, with
// a comma in front.
std::string input_graph(const TemporaryFolder& folder, const std::string& path, const std::string& format,
                        const std::string& schema, const std::string& more = "") {
  return fmt::format(
      R"({{"name": "input", "operators": [
    {{"id": "in", "type": "file_source", "config": {{"path": "{0}", "format": {1}, "schema": {2}{3}}}}},
    {{"id": "csv", "type": "file_sink", "config": {{"path": "{4}", "format": "csv"}}}},
    {{"id": "jsonl", "type": "file_sink", "config": {{"path": "{5}", "format": "jsonl"}}}},
    {{"id": "bad", "type": "file_sink", "config": {{"path": "{6}", "format": "csv"}}}}],
    "edges": [{{"from": "in", "to": "csv"}}, {{"from": "in", "to": "jsonl"}}, {{"from": "in.errors", "to": "bad"}}]}})",
      path, format, schema, more, folder.path("out.csv"), folder.path("out.jsonl"), folder.path("bad.csv"));
}

GraphRun run_input(const TemporaryFolder& folder, const std::string& format, const std::string& schema,
                   const std::string& more = "") {
  GraphRun run = run_graph_text(input_graph(folder, folder.path("in"), format, schema, more));
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.differences == Lines{});
  return run;
}

// A format whose records hold one value x, as text.
struct InputFormat {
  const char* config;
  const char* begin;
  const char* before;
  const char* behind;
  const char* between = "\n";
  const char* end = "\n";

  std::string file(const Lines& values, const char* last_end) const {
    std::string text = begin;
    for (std::size_t i = 0; i < values.size(); ++i)
      text += (i > 0 ? between : "") + std::string(before) + values[i] + behind;
    return text + last_end;
  }
  std::string file(const Lines& values) const { return file(values, end); }
  bool json() const { return std::string(config).starts_with("\"json"); }
  bool document() const { return config == std::string("\"json_array\""); }
};

const InputFormat kInputFormats[] = {
    {R"("lines")", "", "", ""},
    {R"json({"type": "regex", "pattern": "(?P<x>.*)"})json", "", "", ""},
    {R"("csv")", "x\n", "", ""},
    {R"("logfmt")", "", "x=\"", "\""},
    {R"("jsonl")", "", "{\"x\":\"", "\"}"},
    {R"("json_array")", "[", "{\"x\":\"", "\"}", ",\n", "]\n"},
};

std::string gzip_of(const std::string& bytes) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Lines numbered(int count, const std::string& what = "line") {
  Lines lines;
  for (int i = 0; i < count; ++i) lines.push_back(fmt::format("{} {}", what, i));
  return lines;
}

std::string csv_of(const Lines& values) {
  std::string text = "x\n";
  for (const std::string& value : values) text += value + "\n";
  return text;
}

std::string joined_lines(const Lines& values) {
  std::string text;
  for (const std::string& value : values) text += value + "\n";
  return text;
}

}  // namespace

// D01
TEST_CASE("2,000 records whose last line has no end are read, each once, in every format, plain and gzip") {
  const Lines values = numbered(2'000);
  for (const InputFormat& format : kInputFormats) {
    for (const bool compressed : {false, true}) {
      CAPTURE(format.config);
      const TemporaryFolder folder;
      const std::string text = format.file(values, format.document() ? "]" : "");
      folder.write("in", compressed ? gzip_of(text) : text);
      run_input(folder, format.config, kTextX);
      CHECK(folder.read("out.csv") == csv_of(values));
      CHECK(folder.read("bad.csv") == "input,operator,code,message\n");
    }
  }
}

// D03
TEST_CASE("a log that was rotated while nothing ran: a pattern reads the old file and the new one") {
  const TemporaryFolder folder;
  const auto run = [&] {
    const GraphRun done = run_graph_text(input_graph(folder, folder.path("app.log*"), R"("lines")", kTextX));
    CHECK(done.problems == "");
    CHECK(done.error == "");
    return folder.sorted_lines("out.csv");
  };
  folder.write("app.log", "a\nb\n");
  CHECK(run() == Lines{"a", "b", "x"});
  // What came after the run, then the rotation, then the new file.
  folder.write("app.log.1", "a\nb\nc\nd");
  folder.write("app.log", "e\nf\n");
  CHECK(run() == Lines{"a", "b", "c", "d", "e", "f", "x"});
}

// D04
TEST_CASE(
    "lines around the limit and one of 100 MiB: too long ones are a bad record each, the next is read") {
  constexpr std::size_t kLimit = 1'024;
  constexpr std::size_t kHuge = 100u << 20;
  for (const InputFormat& format : kInputFormats) {
    CAPTURE(format.config);
    const TemporaryFolder folder;
    const std::size_t around = std::string(format.before).size() + std::string(format.behind).size();
    const auto value = [&](std::size_t size) { return std::string(size - around, 'v'); };
    {
      std::ofstream out(folder.path("in"), std::ios::binary);
      out << format.begin;
      for (const std::size_t size : {kLimit - 1, kLimit, kLimit + 1})
        out << format.before << value(size) << format.behind << format.between;
      out << format.before << "huge";
      out.seekp(kHuge, std::ios::cur);  // a hole: zeros that take no room on the disk
      out << format.behind << format.between << format.before << "normal" << format.behind << format.end;
    }
    const std::uint64_t before = peak_memory_bytes();
    const GraphRun run = run_input(folder, format.config, kTextX, R"(, "max_record": "1KiB")");
    CHECK(folder.read("out.csv") == csv_of({value(kLimit - 1), value(kLimit), "normal"}));
    CHECK(run.op("in").bad == std::map<std::string, std::uint64_t>{{"record_too_large", 2}});
    CHECK(folder.sorted_lines("bad.csv").size() == 3);
    if (!kSanitized) CHECK(peak_memory_bytes() - before < 48u << 20);
  }
}

// D05
TEST_CASE("several gzip members are read to the end; a truncated one is an error behind the good part") {
  const Lines first = numbered(30'000, "first");
  const Lines second = numbered(30'000, "second");
  const TemporaryFolder folder;
  folder.write("in", gzip_of(joined_lines(first)) + gzip_of(joined_lines(second)));
  run_input(folder, R"("lines")", kTextX);
  CHECK(folder.read("out.csv") == csv_of(first) + joined_lines(second));

  const std::string cut = gzip_of(joined_lines(second));
  folder.write("in", gzip_of(joined_lines(first)) + cut.substr(0, cut.size() / 2));
  const GraphRun run = run_graph_text(input_graph(folder, folder.path("in"), R"("lines")", kTextX));
  CHECK(run.cancelled);
  CHECK(run.error.find("in: the gzip stream is cut off") != std::string::npos);
  CHECK(run.differences == Lines{});
  CHECK(run.totals.read >= 30'000);
  CHECK(run.totals.read < 60'000);
}

// D06
TEST_CASE("a byte order mark and CR LF leave no trace, in the header, the first or the last field") {
  const TemporaryFolder folder;
  folder.write("in",
               "\xEF\xBB\xBF"
               "first,last\r\n1,one\r\n2,two\r\n");
  run_input(folder, R"("csv")",
            R"([{"name": "last", "type": "string"}, {"name": "first", "type": "int64"}])");
  CHECK(folder.read("out.csv") == "last,first\none,1\ntwo,2\n");
  folder.write("in",
               "\xEF\xBB\xBF"
               "\"first\",\"last\"\r\n1,\"one\"\r\n");
  run_input(folder, R"("csv")",
            R"([{"name": "first", "type": "int64"}, {"name": "last", "type": "string"}])");
  CHECK(folder.read("out.csv") == "first,last\n1,one\n");
  for (const InputFormat& format : kInputFormats) {
    CAPTURE(format.config);
    std::string text = "\xEF\xBB\xBF";
    for (const char c : format.file({"a", "b"})) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    folder.write("in", text);
    const GraphRun run = run_input(folder, format.config, kTextX);
    CHECK(folder.read("out.csv") == "x\na\nb\n");
    CHECK(run.totals.bad == 0);
  }
}

// D07
TEST_CASE(
    "bytes that are not UTF-8 in the middle of 1,000 lines: U+FFFD where it is written, or a bad record") {
  const struct {
    std::string bytes;
    std::string written;
  } trials[] = {{"\xff", "\uFFFD"},
                {"\xc3\x28", "\uFFFD("},
                {"\xc0\xaf", "\uFFFD\uFFFD"},
                {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
                {"\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
                {std::string(1, '\0'), std::string(1, '\0')}};
  for (const InputFormat& format : kInputFormats) {
    for (const auto& trial : trials) {
      CAPTURE(format.config);
      CAPTURE(trial.bytes);
      const TemporaryFolder folder;
      Lines values = numbered(1'000), expected = values;
      values[500] = "a" + trial.bytes + "b";
      expected[500] = "a" + trial.written + "b";
      if (format.json()) expected.erase(expected.begin() + 500);
      folder.write("in", format.file(values));
      const GraphRun run = run_input(folder, format.config, kTextX);
      CHECK(folder.read("out.csv") == csv_of(expected));
      std::string jsonl;
      for (const std::string& value : expected) {
        jsonl += "{\"x\":\"";
        for (const char c : value) jsonl += c == '\0' ? std::string("\\u0000") : std::string(1, c);
        jsonl += "\"}\n";
      }
      CHECK(folder.read("out.jsonl") == jsonl);
      CHECK(run.totals.bad == (format.json() ? 1 : 0));
      // A dead letter is written as any text is.
      if (format.json()) CHECK(folder.read("bad.csv").find("a" + trial.written + "b") != std::string::npos);
    }
  }
}

// D09
TEST_CASE("a stray quote costs its own line alone, and a quoted line end is part of one record") {
  const TemporaryFolder folder;
  const std::string format = R"({"type": "csv", "delimiter": ";", "header": false})";
  const std::string schema =
      R"([{"name": "n", "type": "int64"}, {"name": "s", "type": "string"}, {"name": "m", "type": "int64"}])";
  std::string text, expected = "n,s,m\n";
  for (int i = 1; i <= 100; ++i) {
    const bool stray = i == 5;
    text += stray ? "1;\"abc;2\n" : fmt::format("{};text;{}\n", i, i * 2);
    if (!stray) expected += fmt::format("{},text,{}\n", i, i * 2);
  }
  folder.write("in", text);
  GraphRun run = run_input(folder, format, schema);
  CHECK(folder.read("out.csv") == expected);
  CHECK(run.totals.bad == 1);
  CHECK(folder.read("bad.csv").find("in:5: ") != std::string::npos);

  folder.write("in", "1;\"two\r\nlines; \"\"one\"\" record\";2\n3;x;4\n");
  run = run_input(folder, format, schema);
  CHECK(folder.read("out.csv") == "n,s,m\n1,\"two\r\nlines; \"\"one\"\" record\",2\n3,x,4\n");
  CHECK(folder.read("out.jsonl") ==
        "{\"n\":1,\"s\":\"two\\r\\nlines; \\\"one\\\" record\",\"m\":2}\n{\"n\":3,\"s\":\"x\",\"m\":4}\n");
  CHECK(run.totals.bad == 0);
}

// D11
TEST_CASE("100,000 brackets are refused by a limit of depth: as a record, as a value and as a graph") {
  const TemporaryFolder folder;
  const std::string open(100'000, '[');
  const std::string closed = open + std::string(100'000, ']');
  const char* schema = R"([{"name": "x", "type": "json"}])";
  folder.write("in", open + "\n{\"x\":" + open + "}\n{\"x\":" + closed + "}\n" + closed + "\n{\"x\":[1]}\n");
  GraphRun run = run_input(folder, R"("jsonl")", schema);
  CHECK(folder.read("out.jsonl") == "{\"x\":[1]}\n");
  CHECK(run.op("in").bad == std::map<std::string, std::uint64_t>{{"malformed_record", 4}});

  folder.write("in", "[" + closed + ",{\"x\":" + closed + "},{\"x\":[1]}]");
  run = run_input(folder, R"("json_array")", schema);
  CHECK(folder.read("out.jsonl") == "{\"x\":[1]}\n");
  CHECK(run.op("in").bad == std::map<std::string, std::uint64_t>{{"malformed_record", 2}});

  folder.write("in", "x\n" + open + "\n" + closed + "\n[1]\n");
  run = run_input(folder, R"("csv")", schema);
  CHECK(folder.read("out.jsonl") == "{\"x\":[1]}\n");
  CHECK(run.totals.bad == 2);

  for (const std::string& graph : {open, closed, "{\"operators\": " + closed + "}"}) {
    folder.write("graph.json", graph);
    for (const char* verb : {"run", "validate", "plan"}) {
      const CommandLineResult result = run_sluice({verb, folder.path("graph.json")});
      CHECK(result.exit_code == 2);
      CHECK(result.err.find("64") != std::string::npos);
    }
  }
}

TEST_CASE("NaN and infinities are written as text in csv, and as null and a bad record in jsonl") {
  const TemporaryFolder folder;
  for (const InputFormat& format : kInputFormats) {
    CAPTURE(format.config);
    folder.write("in", format.file({"nan", "inf", "-inf", "-0.0", "1.5"}));
    const GraphRun run = run_input(folder, format.config, R"([{"name": "x", "type": "float64"}])");
    CHECK(folder.read("out.csv") == "x\nnan\ninf\n-inf\n-0\n1.5\n");
    CHECK(folder.read("out.jsonl") == "{\"x\":null}\n{\"x\":null}\n{\"x\":null}\n{\"x\":-0}\n{\"x\":1.5}\n");
    CHECK(run.op("jsonl").bad == std::map<std::string, std::uint64_t>{{"not_representable", 3}});
    CHECK(run.op("csv").bad.empty());
  }
}

TEST_CASE("the ends of int64 and numbers beyond 2^53 go through exactly, and beyond int64 is a bad record") {
  const TemporaryFolder folder;
  for (const InputFormat& format : kInputFormats) {
    CAPTURE(format.config);
    folder.write("in", format.file({"9223372036854775807", "-9223372036854775808", "9007199254740993", "-0",
                                    "9223372036854775808", "-9223372036854775809", "1e400"}));
    const GraphRun run = run_input(folder, format.config, R"([{"name": "x", "type": "int64"}])");
    CHECK(folder.read("out.csv") == "x\n9223372036854775807\n-9223372036854775808\n9007199254740993\n0\n");
    CHECK(run.op("in").bad == std::map<std::string, std::uint64_t>{{"bad_field", 3}});
  }
}

TEST_CASE("times before 1970, of year 1 and of year 9999 go through, and other years are a bad record") {
  const TemporaryFolder folder;
  const Lines times = {"1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59Z", "0001-01-01T00:00:00Z",
                       "9999-12-31T23:59:59.999999Z", "1582-10-10T00:00:00Z"};
  for (const InputFormat& format : kInputFormats) {
    CAPTURE(format.config);
    Lines with_bad = times;
    for (const char* bad : {"0000-12-31T23:59:59Z", "10000-01-01T00:00:00Z", "2015-02-29T00:00:00Z"})
      with_bad.push_back(bad);
    folder.write("in", format.file(with_bad));
    const GraphRun run = run_input(folder, format.config, R"([{"name": "x", "type": "timestamp"}])");
    CHECK(folder.read("out.csv") == csv_of(times));
    CHECK(run.op("in").bad == std::map<std::string, std::uint64_t>{{"bad_field", 3}});
    // And what was written reads back.
    std::filesystem::copy_file(folder.path("out.jsonl"), folder.path("in"),
                               std::filesystem::copy_options::overwrite_existing);
    run_input(folder, R"("jsonl")", R"([{"name": "x", "type": "timestamp"}])");
    CHECK(folder.read("out.csv") == csv_of(times));
  }
}

TEST_CASE("empty files, and files of a header alone, give empty results, but nothing is no JSON document") {
  for (const InputFormat& format : kInputFormats) {
    for (const std::string empty : {"", "\xEF\xBB\xBF"}) {
      CAPTURE(format.config);
      const TemporaryFolder folder;
      folder.write("in", empty);
      const GraphRun run = run_graph_text(input_graph(folder, folder.path("in"), format.config, kTextX));
      CHECK(run.problems == "");
      CHECK(run.differences == Lines{});
      CHECK(run.totals.read == 0);
      CHECK(run.totals.bad == 0);
      if (format.document()) {
        CHECK(run.error.find("the document is empty") != std::string::npos);
      } else {
        CHECK(run.error == "");
        CHECK(folder.read("out.csv") == "x\n");
        CHECK(folder.read("out.jsonl") == "");
      }
    }
  }
  const TemporaryFolder folder;
  for (const char* header : {"x", "x\n", "x\r\n", "\xEF\xBB\xBFx\n", "\n\nx\n"}) {
    folder.write("in", header);
    const GraphRun run = run_input(folder, R"("csv")", kTextX);
    CHECK(folder.read("out.csv") == "x\n");
    CHECK(run.totals.read + run.totals.bad == 0);
  }
  folder.write("in", "[]");
  run_input(folder, R"("json_array")", kTextX);
  CHECK(folder.read("out.csv") == "x\n");
}

TEST_CASE("a file of one byte is a record, a bad record, nothing, or an error of the document") {
  struct OneByte {
    const char* format;
    char byte;
    const char* csv;  // the rows; "bad", or "error: " and what it says
  };
  const char* no_header = R"({"type": "csv", "header": false})";
  const OneByte trials[] = {
      {R"("lines")", 'a', "a\n"},
      {R"("lines")", '\n', "\"\"\n"},
      {R"("lines")", '\r', "\"\"\n"},
      {R"("lines")", '\xef', "\uFFFD\n"},
      {R"("lines")", '\x1f', "\x1f\n"},
      {R"("csv")", 'x', ""},
      {no_header, 'a', "a\n"},
      {no_header, '"', "bad"},
      {no_header, ',', "bad"},
      {no_header, '\n', "\n"},
      {no_header, '\xef', "\uFFFD\n"},
      {R"("jsonl")", '{', "bad"},
      {R"("jsonl")", '1', "bad"},
      {R"("jsonl")", '\n', ""},
      {R"("jsonl")", '\xef', "bad"},
      {R"("json_array")", '[', "error: in:1: the document ends before its array is closed"},
      {R"("json_array")", ']', "error: in:1: \"]\" begins no JSON value"},
      {R"("json_array")", '1', "error: in:1: the document is a number and no array"},
      {R"("json_array")", '\xef', "error: in:1: "},
      {R"("json_array")", '\n', "error: in:2: the document is empty"},
      {R"("logfmt")", 'x', "true\n"},
      {R"("logfmt")", 'a', "\n"},
      {R"("logfmt")", '=', "bad"},
      {R"("logfmt")", '"', "bad"},
      {R"("logfmt")", '\n', ""},
      {R"json({"type": "regex", "pattern": "(?P<x>.)"})json", 'a', "a\n"},
      {R"json({"type": "regex", "pattern": "(?P<x>.)"})json", '\n', "bad"},
      {R"("apache_common")", 'a', "bad"},
  };
  for (const OneByte& trial : trials) {
    CAPTURE(trial.format);
    CAPTURE(static_cast<int>(trial.byte));
    const TemporaryFolder folder;
    folder.write("in", std::string(1, trial.byte));
    const std::string schema = std::string(trial.format).find("apache") == std::string::npos
                                   ? kTextX
                                   : R"([{"name": "x", "from": "path"}])";
    const GraphRun run = run_graph_text(input_graph(folder, folder.path("in"), trial.format, schema));
    CHECK(run.problems == "");
    CHECK(run.differences == Lines{});
    const std::string wanted = trial.csv;
    if (wanted.starts_with("error: ")) {
      CHECK(run.error.find(wanted.substr(7)) != std::string::npos);
    } else {
      CHECK(run.error == "");
      CHECK(folder.read("out.csv") == "x\n" + (wanted == "bad" ? "" : wanted));
      CHECK(run.totals.bad == (wanted == "bad" ? 1 : 0));
    }
  }
}

TEST_CASE("line ends and quotes inside of values go through csv, jsonl, json_array and logfmt") {
  const struct {
    const char* format;
    const char* text;
  } trials[] = {
      {R"("csv")", "x\n\"a\nb\"\n\"\n\"\n\"say \"\"hi\"\", twice\"\n\"\"\n"},
      {R"("logfmt")", "x=\"a\\nb\"\nx=\"\\n\"\nx=\"say \\\"hi\\\", twice\"\nx=\"\"\n"},
      {R"("jsonl")", "{\"x\":\"a\\nb\"}\n{\"x\":\"\\n\"}\n{\"x\":\"say \\\"hi\\\", twice\"}\n{\"x\":\"\"}\n"},
      {R"("json_array")",
       "[{\"x\":\"a\\nb\"},{\"x\":\"\\n\"},\n{\"x\":\n\"say \\\"hi\\\", twice\"},{\"x\":\"\"}\n]"}};
  for (const auto& trial : trials) {
    CAPTURE(trial.format);
    const TemporaryFolder folder;
    folder.write("in", trial.text);
    const GraphRun run = run_input(folder, trial.format, kTextX);
    CHECK(folder.read("out.csv") == "x\n\"a\nb\"\n\"\n\"\n\"say \"\"hi\"\", twice\"\n\"\"\n");
    CHECK(folder.read("out.jsonl") ==
          "{\"x\":\"a\\nb\"}\n{\"x\":\"\\n\"}\n{\"x\":\"say \\\"hi\\\", twice\"}\n{\"x\":\"\"}\n");
    CHECK(run.totals.bad == 0);
  }
}

TEST_CASE("a json_array document gives its elements, bad ones aside, and an error where it cannot go on") {
  const std::string huge = "{\"x\":\"" + std::string(100'000, 'x') + "\"}";
  const struct {
    std::string text;
    const char* csv;
    std::uint64_t bad;
    const char* error = "";
    const char* format = R"("json_array")";
  } trials[] = {
      {R"([{"x":"a"},])", "a\n", 1},
      {R"([{"x":"a"},,{"x":"b"}])", "a\nb\n", 1},
      {R"([[{"x":"a"}],{"x":"b"},"c",1,null])", "b\n", 4},
      {R"([{"x":"]"},{"x":"\"}"}])", "]\n\"\"\"}\"\n", 0},
      {"[" + huge + ",{\"x\":\"b\"}]", "b\n", 1},
      {R"([{'x':"a"},{"x":"b"}])", "b\n", 1},
      {R"([{"x":"a"} {"x":"b"}])", "", 1},
      {"\xEF\xBB\xBF [{\"x\":\"a\"}] \r\n", "a\n", 0},
      {R"([{"x":"a"},{"x":"b"})", "a\n", 0, "in:1: the document ends inside the element"},
      {"[{\"x\":\"a\"}]\n[{\"x\":\"b\"}]\n", "a\n", 0, "in:2: \"[\" follows the end of the document"},
      {R"([{"x":"a"},{"x":"b"]])", "a\n", 0, "closes another bracket"},
      {R"({"x":"a"})", "", 0, "the document is an object and no array"},
      {R"({"r":[{"x":"a"}],"r":[{"x":"b"}],"s":[{"r":[1]}]})", "a\n", 0, "",
       R"({"type": "json_array", "records": "/r"})"},
      {R"({"s":[{"r":[{"x":"c"}]}],"\u0072":[{"x":"a"}]})", "a\n", 0, "",
       R"({"type": "json_array", "records": "/r"})"},
      {R"({"r":[{"x":"a"}],})", "a\n", 0, "where a key is expected",
       R"({"type": "json_array", "records": "/r"})"},
      {R"({"s":[]})", "", 0, "the document holds no /r", R"({"type": "json_array", "records": "/r"})"},
  };
  for (const auto& trial : trials) {
    CAPTURE(trial.text.substr(0, 100));
    const TemporaryFolder folder;
    folder.write("in", trial.text);
    const GraphRun run = run_graph_text(
        input_graph(folder, folder.path("in"), trial.format, kTextX, R"(, "max_record": "64KiB")"));
    CHECK(run.problems == "");
    CHECK(run.differences == Lines{});
    CHECK(run.totals.bad == trial.bad);
    CHECK(run.totals.read ==
          static_cast<std::uint64_t>(std::count(trial.csv, trial.csv + std::strlen(trial.csv), '\n')));
    if (*trial.error == '\0') {
      CHECK(run.error == "");
      CHECK(folder.read("out.csv") == std::string("x\n") + trial.csv);
    } else {
      CHECK(run.error.find(trial.error) != std::string::npos);
    }
  }
}

TEST_CASE("logfmt: quotes, escapes, keys without value and keys that stand twice") {
  const TemporaryFolder folder;
  folder.write("in",
               "x=plain y=1\n"
               "x=\"two words, \\\"quoted\\\"\" y=2\n"
               "y=3 x\n"
               "x= y=4\n"
               "x=\"\" y=5\n"
               "x=first x=second y=6 y=66\n"
               "x==\"a\"=b y=7\n"
               "x=\"\\u00e9\\x41\\n\" y=8\n"
               "x=\"\\\\\" y=9\n"
               "\ty=10   x=a\t\n"
               "x=\"open y=11\n"
               "x=\"a\"b y=12\n"
               "x=\"\\q\" y=13\n"
               "=a y=14\n"
               "x=a y=0x15\n"
               "x=end y=16");
  const GraphRun run = run_input(folder, R"("logfmt")",
                                 R"([{"name": "y", "type": "int64"}, {"name": "x", "type": "string"}])");
  CHECK(folder.read("out.jsonl") ==
        "{\"y\":1,\"x\":\"plain\"}\n"
        "{\"y\":2,\"x\":\"two words, \\\"quoted\\\"\"}\n"
        "{\"y\":3,\"x\":\"true\"}\n"
        "{\"y\":4,\"x\":null}\n"
        "{\"y\":5,\"x\":\"\"}\n"
        "{\"y\":6,\"x\":\"first\"}\n"
        "{\"y\":7,\"x\":\"=\\\"a\\\"=b\"}\n"
        "{\"y\":8,\"x\":\"\u00e9A\\n\"}\n"
        "{\"y\":9,\"x\":\"\\\\\"}\n"
        "{\"y\":10,\"x\":\"a\"}\n"
        "{\"y\":16,\"x\":\"end\"}\n");
  CHECK(run.op("in").bad == std::map<std::string, std::uint64_t>{{"bad_field", 1}, {"malformed_record", 4}});
  for (const char* line : {"in:11: ", "in:12: ", "in:13: ", "in:14: ", "in:15: "})
    CHECK(folder.read("bad.csv").find(line) != std::string::npos);
}

}  // namespace sluice
