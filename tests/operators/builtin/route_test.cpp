#include "operators/builtin/route.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kInput({{"n", Type::int64}, {"s", Type::string}}, true);

Row row(Value n, std::string s = "x") {
  return {std::move(n), std::move(s), std::int64_t{1}, std::int64_t{2}};
}

Json routes(const std::vector<std::pair<std::string, std::string>>& list) {
  Json config = {{"routes", Json::array()}};
  for (const auto& [port, where] : list) config["routes"].push_back({{"port", port}, {"where", where}});
  return config;
}

std::string problem_of(const Json& config) { return problems_of(route_type(), config, {kInput}).at(0); }

constexpr std::uint32_t kOtherwise = 0, kErrors = 1, kFirst = 2;

TEST_CASE("The first route that is true takes a record, the rest goes otherwise, null is not true") {
  const auto bound = bind_config(route_type(), routes({{"big", "n > 10"}, {"even", "n % 2 = 0"}}), {kInput});
  const auto outcome = run(*bound,
                           stream_of({row(std::int64_t{12}), row(std::int64_t{4}), row(std::int64_t{3}),
                                      row(kNull), row(std::int64_t{11})}),
                           kInput);
  CHECK(row_texts(outcome.rows(kFirst)) == row_texts({row(std::int64_t{12}), row(std::int64_t{11})}));
  CHECK(row_texts(outcome.rows(kFirst + 1)) == row_texts({row(std::int64_t{4})}));
  CHECK(row_texts(outcome.rows(kOtherwise)) == row_texts({row(std::int64_t{3}), row(kNull)}));
  CHECK(outcome.bad.empty());
}

TEST_CASE("A condition that fails makes a bad record, unless a route before it has taken the record") {
  const auto bound =
      bind_config(route_type(), routes({{"negative", "n < 0"}, {"half", "100 / n > 10"}}), {kInput});
  const auto outcome = run(
      *bound,
      stream_of({row(std::int64_t{0}), row(std::int64_t{-5}), row(std::int64_t{4}), row(std::int64_t{50})}),
      kInput);
  CHECK(outcome.bad == std::map<std::string, std::uint64_t>{{"division_by_zero", 1}});
  CHECK(outcome.rows(kErrors).size() == 1);
  CHECK(row_texts(outcome.rows(kFirst)) == row_texts({row(std::int64_t{-5})}));
  CHECK(row_texts(outcome.rows(kFirst + 1)) == row_texts({row(std::int64_t{4})}));
  CHECK(row_texts(outcome.rows(kOtherwise)) == row_texts({row(std::int64_t{50})}));

  // The same two the other way round: now the condition is asked of every record.
  const auto other =
      bind_config(route_type(), routes({{"half", "100 / n > 10"}, {"zero", "n = 0"}}), {kInput});
  const auto asked = run(*other, stream_of({row(std::int64_t{0})}), kInput);
  CHECK(asked.bad.at("division_by_zero") == 1);
  CHECK(asked.rows(kFirst + 1).empty());
}

TEST_CASE("Every record leaves by exactly one port, the one that a row-at-a-time model says") {
  CHECK(rc::check("routes against a model", [] {
    const auto bounds = *rc::gen::container<std::vector<int>>(
        static_cast<std::size_t>(*rc::gen::inRange(1, 8)), rc::gen::inRange(-20, 20));
    const auto numbers = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-25, 25));
    std::vector<std::pair<std::string, std::string>> list;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      list.emplace_back("p" + std::to_string(i),
                        "n >= " + std::to_string(bounds[i]) + " and n <= " + std::to_string(bounds[i] + 10));
    }
    std::vector<Row> rows;
    std::vector<std::vector<Row>> expected(list.size() + kFirst);
    for (const int n : numbers) {
      rows.push_back(row(n == 0 ? Value(kNull) : Value(std::int64_t{n}), std::to_string(rows.size())));
      std::size_t port = kOtherwise;
      for (std::size_t i = bounds.size(); i-- > 0 && n != 0;) {
        if (n >= bounds[i] && n <= bounds[i] + 10) port = kFirst + i;
      }
      expected[port].push_back(rows.back());
    }
    const auto bound = bind_config(route_type(), routes(list), {kInput});
    const auto batch = static_cast<std::size_t>(*rc::gen::element(1, 3, 64, 1000));
    const auto outcome = run(*bound, stream_of(rows, batch), kInput);
    for (std::uint32_t port = 0; port < expected.size(); ++port) {
      RC_ASSERT(row_texts(outcome.rows(port)) == row_texts(expected[port]));
    }
  }));
}

TEST_CASE("A batch that one route takes whole is passed on without a copy") {
  const auto bound = bind_config(route_type(), routes({{"all", "n > 0"}, {"none", "n > 1"}}), {kInput});
  const auto op = bound->create();
  OperatorCounters counters;
  REQUIRE(op->open({.counters = &counters}));
  BatchStaging staging(kInput);
  append_row(staging, row(std::int64_t{5}));
  const Batch batch = staging.view();
  struct Watch : Emitter {
    const void* values = nullptr;
    std::uint32_t port = 99;
    void emit(std::uint32_t p, const Batch& b) override { port = p, values = b.column(1).data; }
    void emit_watermark(EventTimeUs) override {}
    void emit_idle() override {}
  } watch;
  REQUIRE(op->process(0, batch, watch, 0));
  CHECK(watch.port == kFirst);
  CHECK(watch.values == batch.column(1).data);
}

TEST_CASE("Names of ports follow a rule, differ, and are not those that are there already") {
  CHECK(problem_of(routes({{"a b", "n > 0"}})).starts_with("/routes/0/port [bad_name]"));
  CHECK(problem_of(routes({{"", "n > 0"}})).starts_with("/routes/0/port [bad_name]"));
  CHECK(problem_of(routes({{"9a", "n > 0"}})).starts_with("/routes/0/port [bad_name]"));
  CHECK(problem_of(routes({{std::string(64, 'a'), "n > 0"}})).starts_with("/routes/0/port [bad_name]"));
  CHECK(problem_of(routes({{"otherwise", "n > 0"}})).starts_with("/routes/0/port [duplicate_name]"));
  CHECK(problem_of(routes({{"errors", "n > 0"}})).starts_with("/routes/0/port [duplicate_name]"));
  CHECK(problem_of(routes({{"a", "n > 0"}, {"a", "n > 1"}})).starts_with("/routes/1/port [duplicate_name]"));
  CHECK(problem_of(routes({{"a", "n"}})).starts_with("/routes/0/where [type_mismatch]"));
  CHECK(problem_of(routes({{"a", "m > 0"}})).starts_with("/routes/0/where [unknown_column]"));
  CHECK(problem_of(routes({})).starts_with("/routes [out_of_range]"));
}

TEST_CASE("29 routes are taken, 30 are refused") {
  std::vector<std::pair<std::string, std::string>> list;
  for (int i = 0; i < 29; ++i) list.emplace_back("p" + std::to_string(i), "n = " + std::to_string(i));
  const auto bound = bind_config(route_type(), routes(list), {kInput});
  const auto outcome = run(*bound, stream_of({row(std::int64_t{28}), row(std::int64_t{29})}), kInput);
  CHECK(outcome.rows(kFirst + 28).size() == 1);
  CHECK(outcome.rows(kOtherwise).size() == 1);
  list.emplace_back("one_more", "true");
  CHECK(problem_of(routes(list)).starts_with("/routes [out_of_range]"));
}

TEST_CASE("The ports of a config that nobody has checked are those that can be made out") {
  const auto names = [](const std::string& config) {
    std::vector<std::string> list;
    for (const PortSpec& port : route_type().more_outputs(Json::parse(config))) list.push_back(port.name);
    return list;
  };
  using Names = std::vector<std::string>;
  CHECK(names(R"({"routes": [{"port": "a", "where": "true"}, {"port": "b"}]})") == Names{"a", "b"});
  CHECK(names(R"({"routes": [1, null, {"port": 2}, {"where": "x"}, {"port": "c"}]})") == Names{"c"});
  for (const char* config : {"null", "[]", "{}", "7", R"({"routes": {}})", R"({"routes": null})"})
    CHECK(names(config).empty());
  CHECK(names(R"({"routes": [{"port": "errors"}, {"port": "a"}, {"port": "a"}]})") == Names{"a"});
}

}  // namespace
}  // namespace sluice::test
