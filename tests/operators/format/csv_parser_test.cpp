#include "operators/format/csv_parser.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "operators/format/record_writer.hpp"
#include "tests/operators/format/format_harness.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

using Texts = std::vector<std::string>;

Json csv(const char* options = "{}", const char* schema = nullptr) {
  Json format = Json::parse(options);
  format["type"] = "csv";
  Json config{{"format", format}};
  if (schema != nullptr) config["schema"] = Json::parse(schema);
  return config;
}

}  // namespace

TEST_CASE("csv without a schema has string columns named by the header") {
  const Parsed parsed = parse_text(csv(), "a,b\n1,x\n,\"\"\n\"q\"\"q\",\"1,2\n3\"\n");
  CHECK(parsed.rows == Texts{"'1' 'x'", "null ''", "'q\"q' '1,2\n3'"});
  CHECK(parsed.faults.empty());
}

TEST_CASE("csv columns are found by header name or position and converted") {
  const auto config = csv(
      "{}",
      R"([{"name":"n","from":"b","type":"int64"},{"name":"c","type":"float64"},{"name":"first","from":1}])");
  CHECK(parse_text(config, "a,b,c\nx,1,2.5\ny,,\n").rows == Texts{"1 2.5 'x'", "null null 'y'"});
  CHECK(parse_text(config, "c,x,b\n1,2,3\n").rows == Texts{"3 1.0 '1'"});
}

TEST_CASE("a byte order mark and CR LF leave no trace in names and values") {
  const Parsed parsed = parse_text(csv("{}", R"([{"name":"a"},{"name":"b"}])"),
                                   "\xEF\xBB\xBF"
                                   "a,b\r\n1,2\r\n3,4");
  CHECK(parsed.rows == Texts{"'1' '2'", "'3' '4'"});
}

TEST_CASE("a stray quote takes its own row out, with its line, and 99 of 100 are good") {
  std::string text = "a;b\n";
  for (int row = 1; row <= 100; ++row) text += row == 5 ? "1;\"abc;2\n" : std::to_string(row) + ";x\n";
  const Parsed parsed = parse_text(csv(R"({"delimiter":";"})"), text);
  CHECK(parsed.rows.size() == 99);
  CHECK(parsed.faults == Texts{"line 6 [broken quote]"});
}

TEST_CASE("a row with another number of fields than the header is bad, with both numbers") {
  const Parsed parsed = parse_text(csv(), "a,b\n1\n1,2\n1,2,3\n\"1\n1\"\n4,5\n");
  CHECK(parsed.rows == Texts{"'1' '2'", "'4' '5'"});
  CHECK(parsed.faults == Texts{"line 2 [malformed_record] the record has 1 fields instead of 2",
                               "line 4 [malformed_record] the record has 3 fields instead of 2",
                               "line 5 [broken quote]",
                               "line 6 [malformed_record] the record has 1 fields instead of 2"});
}

TEST_CASE("a field that is no value of its column's type makes the row bad, with column and text") {
  const Parsed parsed =
      parse_text(csv("{}", R"([{"name":"a","type":"int64"},{"name":"b"}])"), "a,b\n1,x\noops,y\n3,z\n");
  CHECK(parsed.rows == Texts{"1 'x'", "3 'z'"});
  CHECK(parsed.faults == Texts{"line 3 [bad_field] column \"a\": \"oops\" is not an int64"});
  const std::string long_text(500, 'x');
  const Parsed cut = parse_text(csv("{}", R"([{"name":"a","type":"int64"}])"), "a\n" + long_text + "\n");
  CHECK(cut.faults.at(0).size() < 150);
}

TEST_CASE("a row with wrong fields and a wrong number of them is told for the number") {
  const auto config = csv("{}", R"([{"name":"a","type":"int64"}])");
  CHECK(parse_text(config, "a,b\nx\n").faults ==
        Texts{"line 2 [malformed_record] the record has 1 fields instead of 2"});
  CHECK(parse_text(config, "a,b\nx,2\n").faults ==
        Texts{"line 2 [bad_field] column \"a\": \"x\" is not an int64"});
}

TEST_CASE("null_values name what is null; quotes keep it from being null") {
  const auto config = csv(R"({"null_values":["NA","-200"]})");
  CHECK(parse_text(config, "a,b\nNA,\"NA\"\n-200,\n").rows == Texts{"null 'NA'", "null ''"});
}

TEST_CASE("delimiter, quote, decimal and comment are the user's") {
  const auto config = csv(R"({"delimiter":";","quote":"'","decimal":",","comment":"#"})",
                          R"([{"name":"a"},{"name":"b","type":"float64"}])");
  CHECK(parse_text(config, "# made by hand\na;b\n'x;y';2,5\n# 'quote\n'it''s';3\n").rows ==
        Texts{"'x;y' 2.5", "'it's' 3.0"});
  CHECK(parse_text(csv(R"({"delimiter":"\t"})"), "a\tb\n1\t2\n").rows == Texts{"'1' '2'"});
}

TEST_CASE("blank lines are no records, but in a file of one column they are nulls") {
  CHECK(parse_text(csv(), "a,b\n\n1,2\n\r\n").rows == Texts{"'1' '2'"});
  CHECK(parse_text(csv(), "a\n1\n\n2\n").rows == Texts{"'1'", "null", "'2'"});
}

TEST_CASE("without a header columns are c1, c2, … or take the places in the schema") {
  CHECK(parse_text(csv(R"({"header":false})"), "1,2\n3,4\n").rows == Texts{"'1' '2'", "'3' '4'"});
  const auto ordered = csv(R"({"header":false})", R"([{"name":"a","type":"int64"},{"name":"b"}])");
  CHECK(parse_text(ordered, "1,2\n3,4,5\n").faults ==
        Texts{"line 2 [malformed_record] the record has 3 fields instead of 2"});
  const auto chosen = csv(R"({"header":false})", R"([{"name":"b","from":3},{"name":"a","from":"c1"}])");
  const Parsed parsed = parse_text(chosen, "1,2,3,4\n1,2\n");
  CHECK(parsed.rows == Texts{"'3' '1'"});
  CHECK(parsed.faults == Texts{"line 2 [malformed_record] the record has 2 fields instead of 3 or more"});
}

TEST_CASE("a header that lacks a column ends the job with the nearest name") {
  const auto config = csv("{}", R"([{"name":"status"}])");
  Problems problems;
  const auto format = bind_to(config, "status,b\n", problems);
  REQUIRE(format);
  const auto parser = format->create();
  const auto read = parser->read_header("statsu,b");
  REQUIRE(!read.ok());
  CHECK(read.error().message() == "the header has no column \"status\"; did you mean \"statsu\"?");
  CHECK(!parser->read_header("status,status").ok());
}

TEST_CASE("mistakes in a csv format are found while the graph is checked") {
  CHECK(format_problems(csv("{}", R"([{"name":"statsu"}])"), "status,b\n") ==
        Texts{"/schema/0/name [unknown_column]"});
  CHECK(format_problems(csv("{}", R"([{"name":"a","from":"x"}])"), "status,b\n") ==
        Texts{"/schema/0/from [unknown_column]"});
  CHECK(format_problems(csv("{}", R"([{"name":"a","from":3}])"), "status,b\n") ==
        Texts{"/schema/0/from [out_of_range]"});
  CHECK(format_problems(csv("{}", R"([{"name":"a"}])"), "a,a\n") == Texts{"/schema/0 [duplicate_name]"});
  CHECK(format_problems(csv(), "a,a\n") == Texts{"/path [duplicate_name]"});
  CHECK(format_problems(csv(), "a,$event_time\n") == Texts{"/path [bad_name]"});
  CHECK(format_problems(csv(), "") == Texts{"/format [missing_field]"});
  CHECK(format_problems(csv(R"({"delimiter":",,"})"), "a\n") == Texts{"/format/delimiter [bad_value]"});
  CHECK(format_problems(csv(R"({"delimiter":"\n"})"), "a\n") == Texts{"/format/delimiter [bad_value]"});
  CHECK(format_problems(csv(R"({"quote":","})"), "a\n") == Texts{"/format [bad_value]"});
  CHECK(format_problems(csv(R"({"decimal":";"})"), "a\n") == Texts{"/format/decimal [bad_value]"});
  CHECK(format_problems(csv(R"({"pattern":"x"})"), "a\n") == Texts{"/format/pattern [unknown_field]"});
  CHECK(format_problems(csv(R"({"header":false})", R"([{"name":"a","from":"x"}])"), "a\n") ==
        Texts{"/schema/0/from [bad_value]"});
  CHECK(format_problems(Json{{"format", "csvv"}}, "") == Texts{"/format [bad_value]"});
}

TEST_CASE("an empty header name is called by its position") {
  CHECK(parse_text(csv("{}", R"([{"name":"x","from":"c2"}])"), "a,,b\n1,2,3\n").rows == Texts{"'2'"});
}

TEST_CASE("property: what the csv writer writes reads back the same, empty strings and nulls apart") {
  CHECK(rc::check([] {
    const Schema schema({{"a", Type::string}, {"b b", Type::string}});
    BatchStaging staging(schema);
    const auto cell = rc::gen::container<std::string>(rc::gen::element('a', ',', '"', '\n', '\r', ' ', '#'));
    Texts wanted;
    for (int rows = *rc::gen::inRange(0, 8); rows > 0; --rows) {
      Row row;
      for (int c = 0; c < 2; ++c) row.push_back(*rc::gen::arbitrary<bool>() ? Value(*cell) : Value(kNull));
      append_row(staging, row);
      wanted.push_back(row_text(row));
    }
    std::string text;
    const auto writer = make_writer(OutputFormat::csv, schema);
    writer->begin(text);
    writer->write(staging.view(), text);
    const Parsed parsed = parse_text(csv(), text);
    RC_ASSERT(parsed.rows == wanted);
    RC_ASSERT(parsed.faults.empty());
  }));
}

}  // namespace sluice::test
