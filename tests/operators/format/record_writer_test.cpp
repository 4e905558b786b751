#include "operators/format/record_writer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "operators/format/row_json.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

std::string written(OutputFormat format, const Schema& schema, const std::vector<Row>& rows,
                    std::uint64_t* lost = nullptr) {
  BatchStaging staging(schema);
  for (const Row& row : rows) append_row(staging, row);
  std::string out;
  const auto writer = make_writer(format, schema);
  writer->begin(out);
  writer->write(staging.view(), out);
  writer->end(out);
  if (lost != nullptr) *lost = writer->not_representable();
  return out;
}

const Schema kAll({{"i", Type::int64},
                   {"f", Type::float64},
                   {"b", Type::boolean},
                   {"s", Type::string},
                   {"t", Type::timestamp},
                   {"j", Type::json}});

}  // namespace

TEST_CASE("csv: a header, ISO timestamps, shortest floats, empty nulls, quotes where they are needed") {
  CHECK(written(OutputFormat::csv, kAll,
                {{-5l, 0.1, true, std::string("x"), 1431857103000000l, std::string("[1]")},
                 {kNull, kNull, kNull, kNull, kNull, kNull},
                 {0l, 1e300, false, std::string(""), 500000l, std::string("{\"a\":1}")}}) ==
        "i,f,b,s,t,j\n"
        "-5,0.1,true,x,2015-05-17T10:05:03Z,[1]\n"
        ",,,,,\n"
        "0,1e+300,false,\"\",1970-01-01T00:00:00.5Z,\"{\"\"a\"\":1}\"\n");
  const Schema text({{"a,b", Type::string}});
  CHECK(written(OutputFormat::csv, text,
                {{std::string("q\"q")},
                 {std::string("l\nl")},
                 {std::string("c\rc")},
                 {std::string(" s ")},
                 {std::string("\xFFz")}}) == "\"a,b\"\n\"q\"\"q\"\n\"l\nl\"\n\"c\rc\"\n s \n\xEF\xBF\xBDz\n");
  CHECK(written(OutputFormat::csv, Schema({{"f", Type::float64}}), {{1.0}, {-0.0}, {kNan}, {-kInfinity}}) ==
        "f\n1\n-0\nnan\n-inf\n");
}

TEST_CASE("jsonl: keys in the order of the columns, escapes, raw json, null for what JSON has not") {
  std::uint64_t lost = 0;
  CHECK(written(OutputFormat::jsonl, kAll,
                {{1l, kNan, true, std::string("a\"\\\n\x01\xFF"), 0l, std::string("{\"a\":\n1}")},
                 {kNull, kInfinity, kNull, kNull, kNull, kNull}},
                &lost) ==
        "{\"i\":1,\"f\":null,\"b\":true,\"s\":\"a\\\"\\\\\\n\\u0001\xEF\xBF\xBD\",\"t\":\"1970-01-01T00:00:"
        "00Z\",\"j\":{\"a\": 1}}\n"
        "{\"i\":null,\"f\":null,\"b\":null,\"s\":null,\"t\":null,\"j\":null}\n");
  CHECK(lost == 2);
  CHECK(written(OutputFormat::jsonl, Schema({{"a\"b", Type::int64}}), {{1l}}) == "{\"a\\\"b\":1}\n");
}

TEST_CASE("lines: the one string column as it is") {
  const Schema line({{"line", Type::string}});
  CHECK(written(OutputFormat::lines, line, {{std::string("a\"\xFF")}, {kNull}, {std::string("")}}) ==
        "a\"\xFF\n\n\n");
  CHECK(lines_fault(line).empty());
  CHECK(!lines_fault(kAll).empty());
  CHECK(!lines_fault(Schema({{"n", Type::int64}})).empty());
}

TEST_CASE("table: columns as wide as their widest value, numbers to the right, one row a line") {
  const Schema schema({{"name", Type::string}, {"n", Type::int64}, {"last", Type::string}});
  CHECK(written(OutputFormat::table, schema,
                {{std::string("\xC3\xA4 b"), 5l, std::string("x")},
                 {std::string("abcdef"), 12345l, std::string("l\nl")},
                 {kNull, kNull, kNull}}) ==
        "name        n  last\n"
        "------  -----  ----\n"
        "\xC3\xA4 b         5  x\n"
        "abcdef  12345  l\\nl\n"
        "\n");
  CHECK(written(OutputFormat::table, schema, {}) == "name  n  last\n----  -  ----\n");
}

TEST_CASE("table: rows behind the measured ones are written as they come") {
  const Schema schema({{"s", Type::string}, {"t", Type::string}});
  std::vector<Row> rows(1000, {std::string("ab"), std::string("c")});
  rows.push_back({std::string("much wider"), std::string("c")});
  const std::string out = written(OutputFormat::table, schema, rows);
  CHECK(out.ends_with("ab  c\nmuch wider  c\n"));
}

TEST_CASE("event-time columns are not written") {
  const Schema schema({{"a", Type::int64}}, true);
  CHECK(written(OutputFormat::csv, schema, {{1l, 2l, 3l}}) == "a\n1\n");
  CHECK(written(OutputFormat::jsonl, schema, {{1l, 2l, 3l}}) == "{\"a\":1}\n");
  BatchStaging staging(schema);
  append_row(staging, {1l, 2l, 3l});
  CHECK(row_as_json(staging.view(), 0) == "{\"a\":1}");
}

}  // namespace sluice::test
