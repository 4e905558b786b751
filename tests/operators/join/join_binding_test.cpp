#include <doctest/doctest.h>

#include "operators/join/join.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kLeftSide({{"k", Type::string}, {"n", Type::int64}, {"v", Type::float64}}, true);
const Schema kRightSide({{"k", Type::string}, {"n", Type::float64}, {"w", Type::float64}}, true);

Json config(const std::string& text) { return Json::parse(text); }

std::vector<std::string> problems(const std::string& text, const Schema& left = kLeftSide,
                                  const Schema& right = kRightSide) {
  return problems_of(join_type(), config(text), {left, right});
}

constexpr const char* kInterval = R"({"type": "interval", "on": [["k", "k"]], "within": ["-5m", "0s"]})";

TEST_CASE("The output has left's columns, then right's, with right_ before names that left has") {
  const auto bound = bind_config(join_type(), config(kInterval), {kLeftSide, kRightSide});
  CHECK(bound->output_schemas()[0] == Schema({{"k", Type::string},
                                              {"n", Type::int64},
                                              {"v", Type::float64},
                                              {"right_k", Type::string},
                                              {"right_n", Type::float64},
                                              {"w", Type::float64}},
                                             true));
  CHECK(bound->output_schemas()[1] == kLeftSide);
  CHECK(bound->output_schemas()[2] == kRightSide);
}

TEST_CASE("A join tells the planner its keys of both sides, and a lookup that it waits for the table") {
  const auto bound = bind_config(join_type(), config(R"({"type": "lookup", "on": [["v", "w"], ["k", "k"]]})"),
                                 {kLeftSide, kRightSide});
  CHECK(bound->traits().keys == std::vector<std::string>{"v", "k"});
  CHECK(bound->traits().right_keys == std::vector<std::string>{"w", "k"});
  CHECK(bound->traits().waits_for_right);
  CHECK(bound->traits().order_sensitive);
  const auto all =
      bind_config(join_type(), config(R"({"type": "lookup", "on": [["k", "k"]], "matches": "all"})"),
                  {kLeftSide, kRightSide});
  CHECK_FALSE(all->traits().order_sensitive);
  const auto interval = bind_config(join_type(), config(kInterval), {kLeftSide, kRightSide});
  CHECK_FALSE(interval->traits().order_sensitive);
  CHECK_FALSE(interval->traits().waits_for_right);
}

TEST_CASE("What a join cannot be is refused with where and why") {
  struct Refused {
    const char* text;
    std::vector<std::string> lines;
  };
  const Refused table[] = {
      {R"({"type": "asof", "on": [["n", "n"]]})",
       {"/on/0 [type_mismatch] left \"n\" is int64 and right \"n\" is float64, but a pair must be of one "
        "type "
        "(make the types the same in a map before, for example cast(n as int64))"}},
      {R"({"type": "asof", "on": [["x", "k"], ["k", "wk"]]})",
       {"/on/0/0 [unknown_column] the left input has no column \"x\" (the left input has k, n, v)",
        "/on/1/1 [unknown_column] the right input has no column \"wk\" (did you mean \"k\"?)"}},
      {R"({"type": "asof", "on": [["k", "k"], ["k", "k"]]})",
       {"/on/1 [duplicate_name] the pair of \"k\" and \"k\" is written twice (leave one out)"}},
      {R"({"type": "asof", "on": [["k"]]})",
       {"/on/0 [out_of_range] \"on\" has 1 item, but needs at least 2"}},
      {R"({"type": "asof", "on": [["k", "k", "k"]]})",
       {"/on/0 [out_of_range] \"on\" has 3 items, but takes at most 2"}},
      {R"({"type": "interval", "on": [["k", "k"]]})",
       {" [missing_field] an interval join needs \"within\": how far the right row's time may be from the "
        "left row's (for example \"within\": [\"-5m\", \"0s\"])"}},
      {R"({"type": "interval", "on": [["k", "k"]], "within": ["1s", "-1s"]})",
       {"/within [out_of_range] \"within\" begins at 1s and ends before that, at -1s (write the lower bound "
        "first)"}},
      {R"({"type": "asof", "on": [["k", "k"]], "within": ["0s", "1s"]})",
       {"/within [bad_value] \"within\" is for joins of type interval alone (leave \"within\" out, or write "
        "\"type\": \"interval\")"}},
      {R"({"type": "asof", "on": [["k", "k"]], "matches": "all"})",
       {"/matches [bad_value] \"matches\" is for joins of type lookup alone (leave \"matches\" out)"}},
  };
  for (const Refused& refused : table) CHECK(problems(refused.text) == refused.lines);
}

TEST_CASE("Interval and as-of joins need event time on both sides, a lookup on none") {
  const Schema plain({{"k", Type::string}});
  const Schema plain_right({{"k", Type::string}, {"w", Type::int64}});
  CHECK(problems(kInterval, plain, plain_right).size() == 2);
  CHECK(problems(R"({"type": "asof", "on": [["k", "k"]]})", kLeftSide, plain_right) ==
        std::vector<std::string>{
            "/type [event_time_missing] an asof join needs event time on both sides, and no event_time "
            "operator "
            "precedes the right input (put an event_time operator in front of it, or use a join of type "
            "lookup)"});
  CHECK(problems(R"({"type": "lookup", "on": [["k", "k"]]})", plain, plain_right).empty());
}

TEST_CASE("A name that is taken with its prefix too is refused") {
  const Schema left({{"k", Type::string}, {"right_k", Type::string}}, true);
  const Schema right({{"k", Type::string}}, true);
  const std::vector<std::string> line = {
      " [duplicate_name] the output would have two columns \"right_k\": a right name that left has too gets "
      "the "
      "prefix right_, and here that name is taken (rename a column in a map before)"};
  CHECK(problems(kInterval, left, right) == line);
  const Schema both({{"right_k", Type::string}, {"k", Type::string}}, true);
  CHECK(problems(kInterval, Schema({{"k", Type::string}}, true), both) == line);
}

}  // namespace
}  // namespace sluice::test
