#include "operators/builtin/top_n.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <map>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kInput({{"g", Type::string}, {"n", Type::int64}, {"x", Type::float64}});

std::unique_ptr<BoundOperator> bind_top(const std::string& config, const Schema& input = kInput) {
  return bind_config(top_n_type(), Json::parse(config), {input});
}

Row row(Value g, Value n, Value x = 0.0) { return {std::move(g), std::move(n), std::move(x)}; }

constexpr const char* kTop2 = R"({"n": 2, "by": [{"column": "n", "order": "desc"}]})";

TEST_CASE("The n first rows come in their order, at the end of the input") {
  const auto outcome =
      run(*bind_top(kTop2), stream_of({row("a", 1), row("b", 3), row("c", 2), row("d", 0)}, 2), kInput);
  CHECK(row_texts(outcome.rows()) == row_texts({row("b", 3), row("c", 2)}));
}

TEST_CASE("Nulls come last in both orders and NaN is above all numbers") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto rows = {row("a", 1, kNull), row("b", 1, nan), row("c", 1, 1.0), row("d", 1, -1.0)};
  const auto down =
      run(*bind_top(R"({"n": 4, "by": [{"column": "x", "order": "desc"}]})"), stream_of(rows), kInput);
  CHECK(row_texts(down.rows()) ==
        row_texts({row("b", 1, nan), row("c", 1, 1.0), row("d", 1, -1.0), row("a", 1, kNull)}));
  const auto up = run(*bind_top(R"({"n": 4, "by": [{"column": "x"}]})"), stream_of(rows), kInput);
  CHECK(row_texts(up.rows()) ==
        row_texts({row("d", 1, -1.0), row("c", 1, 1.0), row("b", 1, nan), row("a", 1, kNull)}));
}

TEST_CASE("Groups come ordered by their columns, null last, each with its own rows") {
  const auto outcome =
      run(*bind_top(R"({"n": 1, "by": [{"column": "n"}], "per": ["g"]})"),
          stream_of({row(kNull, 9), row("b", 2), row("a", 7), row("b", 1), row("a", 8)}), kInput);
  CHECK(row_texts(outcome.rows()) == row_texts({row("a", 7), row("b", 1), row(kNull, 9)}));
}

TEST_CASE("What is kept depends on what rows there are and not on their order") {
  CHECK(rc::check("top_n against sorting", [] {
    const auto seeds = *rc::gen::container<std::vector<std::tuple<int, int, int>>>(
        rc::gen::tuple(rc::gen::inRange(0, 4), rc::gen::inRange(0, 5), rc::gen::inRange(-2, 3)));
    const auto n = *rc::gen::inRange<std::size_t>(1, 6);
    std::vector<Row> rows;
    for (const auto& [g, v, x] : seeds) {
      rows.push_back(row(g == 0 ? Value(kNull) : Value(std::string(1, static_cast<char>('a' + g))),
                         v == 4 ? Value(kNull) : Value(static_cast<std::int64_t>(v)),
                         static_cast<double>(x)));
    }
    // The model: per group, sort by n descending with nulls last, then by all columns; variants order null
    // first, so turn it.
    const auto null_last = [](const Value& v) { return std::pair(v == Value(kNull), v); };
    const auto before = [&](const Row& a, const Row& b) {
      if (a[1] != b[1])
        return null_last(a[1]).first != null_last(b[1]).first ? b[1] == Value(kNull) : a[1] > b[1];
      return std::pair(null_last(a[0]), a[2]) < std::pair(null_last(b[0]), b[2]);
    };
    std::map<std::pair<bool, Value>, std::vector<Row>> groups;
    for (const Row& r : rows) groups[null_last(r[0])].push_back(r);
    std::vector<Row> expected;
    for (auto& [g, members] : groups) {
      std::sort(members.begin(), members.end(), before);
      for (std::size_t i = 0; i < std::min(n, members.size()); ++i) expected.push_back(members[i]);
    }
    const auto top = bind_config(
        top_n_type(), {{"n", n}, {"by", {{{"column", "n"}, {"order", "desc"}}}}, {"per", {"g"}}}, {kInput});
    const auto cut = static_cast<std::size_t>(*rc::gen::inRange(1, 9));
    RC_ASSERT(row_texts(run(*top, stream_of(rows, cut), kInput).rows()) == row_texts(expected));
  }));
}

TEST_CASE("With window_start among the groups each is emitted when event time has passed it") {
  const Schema windows({{"window_start", Type::timestamp}, {"k", Type::string}, {"n", Type::int64}}, true);
  const auto top =
      bind_top(R"({"n": 1, "by": [{"column": "n", "order": "desc"}], "per": ["window_start"]})", windows);
  const auto result = [](std::int64_t start, std::string k, std::int64_t n) {
    return Row{start, std::move(k), n, start + 9, start + 9};
  };
  Driver driver(*top);
  driver.rows(windows, {result(0, "a", 1), result(0, "b", 2), result(10, "c", 1)});
  driver.watermark(9);
  CHECK(rows_of(driver.out()).empty());
  driver.watermark(10);
  CHECK(row_texts(rows_of(driver.out())) == row_texts({result(0, "b", 2)}));
  CHECK(driver.out().back().watermark == 10);
  driver.rows(windows, {result(10, "d", 5), result(20, "e", 1)});
  driver.take();
  driver.watermark(25);
  CHECK(row_texts(rows_of(driver.take())) == row_texts({result(10, "d", 5)}));
  driver.finish();
  CHECK(row_texts(rows_of(driver.take())) == row_texts({result(20, "e", 1)}));
}

TEST_CASE("Without windows no event-time watermark is passed on before the end") {
  CHECK(bind_top(kTop2, Schema({{"n", Type::int64}}, true))->create()->passed_on(5) == kWatermarkNone);
  CHECK(bind_top(kTop2)->traits().max_parallelism == 1);
  CHECK(bind_top(R"({"n": 1, "by": [{"column": "n"}], "per": ["g"]})")->traits().keys ==
        std::vector<std::string>{"g"});
}

TEST_CASE("More rows than a batch holds come in several") {
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < 3000; ++i) rows.push_back(row("g", i * 7919 % 3000));
  const auto outcome = run(*bind_top(R"({"n": 2500, "by": [{"column": "n"}]})"), stream_of(rows), kInput);
  CHECK(outcome.out.size() == 3);
  CHECK(outcome.rows().size() == 2500);
  const auto kept = outcome.rows();
  for (std::size_t i = 0; i < 2500; ++i) REQUIRE(kept[i][1] == Value(static_cast<std::int64_t>(i)));
}

TEST_CASE("Orders that make no sense are refused") {
  const auto problem = [](const char* config) {
    return problems_of(top_n_type(), Json::parse(config), {kInput}).at(0);
  };
  CHECK(problem(R"({"n": 0, "by": [{"column": "n"}]})").starts_with("/n [out_of_range]"));
  CHECK(problem(R"({"n": 1, "by": []})").starts_with("/by [out_of_range]"));
  CHECK(problem(R"({"n": 1, "by": [{"column": "zz"}]})").starts_with("/by/0/column [unknown_column]"));
  CHECK(problem(R"({"n": 1, "by": [{"column": "n"}, {"column": "n"}]})")
            .starts_with("/by/1/column [duplicate_name]"));
  CHECK(problem(R"({"n": 1, "by": [{"column": "n", "order": "down"}]})")
            .starts_with("/by/0/order [bad_value]"));
  CHECK(problem(R"({"n": 1, "by": [{"column": "n"}], "per": ["q"]})").starts_with("/per/0 [unknown_column]"));
}

}  // namespace
}  // namespace sluice::test
