#include "operators/builtin/map.hpp"

#include <doctest/doctest.h>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kInput({{"n", Type::int64}, {"s", Type::string}});

std::unique_ptr<BoundOperator> bind_map(const std::string& config, const Schema& input = kInput) {
  return bind_config(map_type(), Json::parse(config), {input});
}

Row row(Value n, Value s) { return {std::move(n), std::move(s)}; }

TEST_CASE("Columns are computed, renamed and kept in the order of the config, the kept ones in front") {
  const auto bound = bind_map(
      R"({"keep": ["s"], "columns": [{"name": "next", "expr": "n + 1"}, {"name": "again", "expr": "s"}]})");
  CHECK(bound->output_schemas()[0].to_string() == "s string, next int64, again string");
  const auto outcome = run(*bound, stream_of({row(1, "a"), row(kNull, kNull)}), kInput);
  CHECK(row_texts(outcome.rows()) == row_texts({{"a", std::int64_t{2}, "a"}, {kNull, kNull, kNull}}));
}

TEST_CASE("keep true keeps all, false none") {
  CHECK(bind_map(R"({"keep": true, "columns": []})")->output_schemas()[0] == kInput);
  CHECK(bind_map(R"({"keep": false, "columns": [{"name": "x", "expr": "n"}]})")
            ->output_schemas()[0]
            .to_string() == "x int64");
}

TEST_CASE("The event time travels along unseen") {
  const Schema timed({{"n", Type::int64}}, true);
  const auto bound = bind_map(R"({"columns": [{"name": "x", "expr": "n * 2"}]})", timed);
  CHECK(bound->output_schemas()[0] == Schema({{"x", Type::int64}}, true));
  const auto outcome =
      run(*bound, {{0, {{std::int64_t{3}, std::int64_t{10}, std::int64_t{9}}}, {}}, {0, {}, 20}}, timed);
  CHECK(row_texts(outcome.rows()) == std::vector<std::string>{"6 10 9"});
  CHECK(outcome.out[1].watermark == 20);
}

TEST_CASE("A record in which several expressions fail is one bad record, with the first error") {
  const auto bound = bind_map(
      R"({"keep": true, "columns": [{"name": "a", "expr": "n * 4"}, {"name": "b", "expr": "n + 1"}]})");
  const std::vector<Row> rows = {row(1, "x"), row(INT64_MAX, "bad"), row(2, "y"), row(INT64_MAX / 2, "worse"),
                                 row(3, "z")};
  const auto outcome = run(*bound, stream_of(rows), kInput);
  CHECK(row_texts(outcome.rows()) == std::vector<std::string>{"1 'x' 4 2", "2 'y' 8 3", "3 'z' 12 4"});
  CHECK(outcome.bad.at("integer_overflow") == 2);
  REQUIRE(outcome.rows(1).size() == 2);
  CHECK(std::get<std::string>(outcome.rows(1)[0][0]).find("bad") != std::string::npos);
  CHECK(std::get<std::string>(outcome.rows(1)[1][0]).find("worse") != std::string::npos);
}

TEST_CASE("A batch of bad records alone emits no empty batch") {
  const auto bound = bind_map(R"({"columns": [{"name": "b", "expr": "n + 1"}]})");
  const auto outcome = run(*bound, stream_of({row(INT64_MAX, "x")}), kInput);
  CHECK(outcome.rows().empty());
  CHECK(outcome.rows(1).size() == 1);
}

TEST_CASE("Name clashes, unknown columns and expressions that do not compile are all reported") {
  const auto problems = problems_of(map_type(), Json::parse(R"({"keep": ["n", "zz"], "columns": [
      {"name": "a", "expr": "n"}, {"name": "a", "expr": "s"}, {"name": "b", "expr": "nope"}, {"name": "$c", "expr": "n"}]})"),
                                    {kInput});
  REQUIRE(problems.size() == 4);
  CHECK(problems[0].starts_with("/keep/1 [unknown_column]"));
  CHECK(problems[1].starts_with("/columns/1/name [duplicate_name]"));
  CHECK(problems[2].starts_with("/columns/2/expr [unknown_column]"));
  CHECK(problems[3].starts_with("/columns/3/name [bad_name]"));
  CHECK(problems_of(map_type(), Json::parse(R"({"keep": true, "columns": [{"name": "n", "expr": "n"}]})"),
                    {kInput})
            .at(0)
            .starts_with("/columns/0/name [duplicate_name]"));
  CHECK(problems_of(map_type(), Json::parse(R"({"columns": []})"), {kInput})
            .at(0)
            .starts_with("/columns [bad_value]"));
}

}  // namespace
}  // namespace sluice::test
