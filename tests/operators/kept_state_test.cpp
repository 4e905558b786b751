#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "operators/builtin/dedup.hpp"
#include "operators/builtin/top_n.hpp"
#include "operators/join/join.hpp"
#include "operators/window/over.hpp"
#include "operators/window/window_aggregate.hpp"
#include "tests/operators/operator_harness.hpp"

// What all operators that keep something between calls have in common: it is counted against the limit, and
// given back when it is needed no more.
namespace sluice::test {
namespace {

constexpr std::int64_t kHour = 3'600'000'000;
const Schema kRows({{"window_start", Type::timestamp}, {"k", Type::string}, {"v", Type::float64}}, true);

// Rows of many keys into one operator.
class Feed {
 public:
  explicit Feed(const BoundOperator& bound, RunOptions options = {}) : driver_(bound, options) {}

  // A row each of keys 0 … count − 1, all of one time; the watermark stands an hour before it.
  void keys(std::int64_t count, EventTimeUs time, std::uint32_t port = 0) {
    for (std::int64_t first = 0; first < count && !driver_.failed(); first += 1000) {
      std::vector<Row> rows;
      for (std::int64_t i = first; i < std::min(first + 1000, count); ++i) {
        rows.push_back({time, fmt::format("a key too long to lie in place {}", i), 0.5, time, time - kHour});
      }
      driver_.rows(kRows, rows, port);
      driver_.take();
    }
  }
  void watermark(EventTimeUs time) {
    driver_.watermark(time);
    driver_.take();
  }
  void ended(std::uint32_t port) { driver_.input_ended(port); }
  RunOutcome outcome() { return driver_.outcome(); }

 private:
  Driver driver_;
};

struct Keeper {
  const char* name;
  OperatorType (*type)();
  const char* config;
  std::uint32_t inputs = 1;
  // Brings so many keys at `time`; then makes the operator need none of them.
  std::function<void(Feed&, std::int64_t keys, EventTimeUs time)> burst;
  std::function<void(Feed&, std::int64_t keys, EventTimeUs time)> close;  // none: they are kept for good
};

std::string windowed(const std::string& window) {
  return R"({"keys": ["k"], "window": )" + window + R"(, "aggregates": [{"name": "n", "fn": "count"},
      {"name": "s", "fn": "sum", "expr": "v"}, {"name": "last", "fn": "last", "expr": "k"}]})";
}

std::vector<Keeper> keepers() {
  static const std::string tumbling = windowed(R"({"type": "tumbling", "size": "1h"})"),
                           sliding = windowed(R"({"type": "sliding", "size": "1h", "slide": "5m"})"),
                           session = windowed(R"({"type": "session", "gap": "10m"})"),
                           count = windowed(R"({"type": "count", "size": 2})"),
                           global = windowed(R"({"type": "global"})"),
                           emitting = windowed(R"({"type": "global", "emit_every": "10m"})");
  const auto at_once = [](Feed& feed, std::int64_t keys, EventTimeUs time) { feed.keys(keys, time); };
  const auto on_port = [](std::uint32_t port) {
    return [port](Feed& feed, std::int64_t keys, EventTimeUs time) { feed.keys(keys, time, port); };
  };
  const auto pass = [](Feed& feed, std::int64_t, EventTimeUs time) { feed.watermark(time + 5 * kHour); };
  return {
      {"tumbling windows", window_aggregate_type, tumbling.c_str(), 1, at_once, pass},
      {"sliding windows", window_aggregate_type, sliding.c_str(), 1, at_once, pass},
      {"sessions", window_aggregate_type, session.c_str(), 1, at_once, pass},
      {"count windows", window_aggregate_type, count.c_str(), 1, at_once, at_once},
      {"a global window", window_aggregate_type, global.c_str(), 1, at_once, nullptr},
      {"a global window that emits", window_aggregate_type, emitting.c_str(), 1, at_once, nullptr},
      {"over", over_type,
       R"({"keys": ["k"], "range": "1h", "aggregates": [{"name": "n", "fn": "count"},
           {"name": "last", "fn": "last", "expr": "k"}]})",
       1, at_once, pass},
      {"dedup", dedup_type, R"({"keys": ["k"], "within": "1h"})", 1, at_once, pass},
      {"top_n per window", top_n_type, R"({"n": 2, "by": [{"column": "v"}], "per": ["window_start", "k"]})",
       1, at_once, pass},
      {"top_n of all", top_n_type, R"({"n": 1000000, "by": [{"column": "v"}]})", 1, at_once, nullptr},
      {"interval join", join_type, R"({"type": "interval", "on": [["k", "k"]], "within": ["-1h", "1h"]})", 2,
       on_port(1), pass},
      {"left interval join", join_type,
       R"({"type": "interval", "kind": "left", "on": [["k", "k"]], "within": ["-1h", "1h"]})", 2, on_port(0),
       pass},
      {"asof join, left rows", join_type, R"({"type": "asof", "on": [["k", "k"]]})", 2, on_port(0), pass},
      {"asof join, right rows", join_type, R"({"type": "asof", "on": [["k", "k"]]})", 2, on_port(1), nullptr},
      {"lookup join", join_type, R"({"type": "lookup", "on": [["k", "k"]]})", 2, on_port(1), nullptr},
  };
}

std::unique_ptr<BoundOperator> bind_keeper(const Keeper& keeper) {
  return bind_config(keeper.type(), Json::parse(keeper.config), std::vector<Schema>(keeper.inputs, kRows));
}

TEST_CASE("Every operator that keeps anything ends the job at the limit, and says for how many keys") {
  RunOptions options;
  options.state_limit_bytes = 1 << 20;
  for (const Keeper& keeper : keepers()) {
    CAPTURE(std::string(keeper.name));
    const auto bound = bind_keeper(keeper);
    Feed feed(*bound, options);
    keeper.burst(feed, 50'000, 10 * kHour);
    const RunOutcome outcome = feed.outcome();
    REQUIRE(outcome.error.has_value());
    CHECK(outcome.error->code() == ErrorCode::state_limit);
    CHECK(outcome.state_keys > 0);
    CHECK(outcome.error->message().starts_with("holds "));
    CHECK(outcome.error->message().find(fmt::format(" of state for {} keys", outcome.state_keys)) !=
          std::string::npos);
    // It was counted about right: not long before the limit, nor long after.
    CHECK(outcome.state_bytes > options.state_limit_bytes);
    CHECK(outcome.state_bytes < 4 * options.state_limit_bytes);
  }
}

// Room that it would not be worth to give back.
constexpr std::uint64_t kLittle = 256 * 1024;

TEST_CASE("What a burst of keys needed is given back once they are needed no more") {
  constexpr std::int64_t kBurst = 100'000, kFew = 20;
  for (const Keeper& keeper : keepers()) {
    if (keeper.close == nullptr) continue;
    CAPTURE(std::string(keeper.name));
    const auto bound = bind_keeper(keeper);
    Feed feed(*bound);
    keeper.burst(feed, kFew, 10 * kHour);
    const std::uint64_t few = feed.outcome().state_bytes;
    keeper.close(feed, kFew, 10 * kHour);
    keeper.burst(feed, kBurst, 20 * kHour);
    CHECK(feed.outcome().state_bytes > kBurst * 64);
    keeper.close(feed, kBurst, 20 * kHour);
    CHECK(feed.outcome().state_bytes <= few + kLittle);
    CHECK(feed.outcome().state_keys == 0);
    keeper.burst(feed, kFew, 30 * kHour);
    CHECK(feed.outcome().state_bytes <= 2 * few + kLittle);
    CHECK(feed.outcome().state_keys == kFew);
  }
}

TEST_CASE("Of a global window that emits the totals stay, and what its slices needed is given back") {
  constexpr std::int64_t kKeys = 20'000, kMinute = kHour / 60;
  const auto bound = bind_config(window_aggregate_type(),
                                 Json::parse(windowed(R"({"type": "global", "emit_every": "1m"})")), {kRows});
  Feed feed(*bound);
  feed.keys(kKeys, kHour);
  feed.watermark(2 * kHour);
  const std::uint64_t totals = feed.outcome().state_bytes;
  for (std::int64_t slice = 0; slice < 10; ++slice) feed.keys(kKeys, 4 * kHour + slice * kMinute);
  CHECK(feed.outcome().state_bytes > 5 * totals);
  feed.watermark(5 * kHour);
  CHECK(feed.outcome().state_bytes < totals + totals / 2);
  CHECK(feed.outcome().state_keys == kKeys);
}

}  // namespace
}  // namespace sluice::test
