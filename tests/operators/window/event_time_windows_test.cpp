#include <doctest/doctest.h>
#include <fmt/format.h>

#include "operators/builtin/event_time.hpp"
#include "operators/window/window_aggregate.hpp"
#include "tests/operators/operator_harness.hpp"

// Tumbling, sliding and session windows by example: far times, the ends of time, late records, sessions that
// meet.
namespace sluice::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kYear1 = -62'135'596'800 * kSecond;
constexpr std::int64_t kYear9999 = 253'402'300'799 * kSecond;
const Schema kRaw({{"t", Type::timestamp}});
const Schema kTimed({{"t", Type::timestamp}}, true);

struct Windows {
  std::vector<std::string> out;   // "start end records"
  std::vector<std::string> late;  // their times
  std::size_t calls = 0;
};

// Records of these times through event_time, one a batch, and through the window. Times and bounds come in
// units of `unit_us`.
Windows windows_of(const std::string& window, const std::vector<std::int64_t>& times,
                   const char* out_of_orderness = "0s", std::int64_t unit_us = kSecond,
                   const std::string& more = "") {
  const auto time =
      bind_config(event_time_type(), {{"column", "t"}, {"max_out_of_orderness", out_of_orderness}}, {kRaw});
  const auto bound = bind_config(
      window_aggregate_type(),
      Json::parse(R"({"window": )" + window + more + R"(, "aggregates": [{"name": "n", "fn": "count"}]})"),
      {kTimed});
  std::vector<Row> rows;
  for (const std::int64_t t : times) rows.push_back({t * unit_us});
  const auto outcome = run(*bound, run(*time, stream_of(rows, 1), kRaw).out, kTimed);
  Windows windows;
  for (const Row& r : outcome.rows()) {
    windows.out.push_back(fmt::format("{} {} {}", std::get<std::int64_t>(r[0]) / unit_us,
                                      std::get<std::int64_t>(r[1]) / unit_us, std::get<std::int64_t>(r[2])));
  }
  for (const Row& r : outcome.rows(1))
    windows.late.push_back(std::to_string(std::get<std::int64_t>(r[0]) / unit_us));
  CHECK(outcome.late == windows.late.size());
  windows.calls = outcome.calls;
  return windows;
}

using Texts = std::vector<std::string>;

const std::string kMinutes = R"({"type": "tumbling", "size": "1m"})";

TEST_CASE("Between times that lie ten thousand years apart no window is made") {
  const Windows tumbling =
      windows_of(R"({"type": "tumbling", "size": "1s"})", {kYear1, 1, kYear9999}, "0s", 1);
  CHECK(tumbling.out == Texts{fmt::format("{} {} 1", kYear1, kYear1 + kSecond), "0 1000000 1",
                              fmt::format("{} {} 1", kYear9999, kYear9999 + kSecond)});
  CHECK(tumbling.calls < 20);
  const Windows sliding =
      windows_of(R"({"type": "sliding", "size": "1h", "slide": "1s"})", {1, kYear9999 + 1}, "0s", 1);
  REQUIRE(sliding.out.size() == 2 * 3600);
  CHECK(sliding.out.front() == fmt::format("{} {} 1", -3599 * kSecond, kSecond));
  CHECK(sliding.out[3599] == fmt::format("0 {} 1", 3600 * kSecond));
  CHECK(sliding.out[3600] == fmt::format("{} {} 1", kYear9999 - 3599 * kSecond, kYear9999 + kSecond));
  CHECK(sliding.calls < 50);
  const Windows session = windows_of(R"({"type": "session", "gap": "1s"})", {kYear1, 1, kYear9999}, "0s", 1);
  CHECK(session.out.size() == 3);
  CHECK(session.calls < 20);
}

TEST_CASE("Before 1970 a window starts at the multiple of its size that is not after the record") {
  const Windows windows = windows_of(kMinutes, {-60'001, -60'000, -1, 0, 59'999}, "0s", 1000);
  CHECK(windows.out == Texts{"-120000 -60000 1", "-60000 0 2", "0 60000 2"});
  CHECK(windows_of(R"({"type": "sliding", "size": "1m", "slide": "40s"})", {-1}).out == Texts{"-40 20 1"});
  CHECK(windows_of(R"({"type": "sliding", "size": "1m", "slide": "40s"})", {-30}).out ==
        Texts{"-80 -20 1", "-40 20 1"});
}

TEST_CASE("Windows that would go beyond the ends of int64 end there, and none wraps") {
  struct Ends {
    std::string window;
    Texts at_first, at_last;
  };
  const Ends all[] = {
      {kMinutes,
       {"-9223372036854775808 -9223372036800000000 2"},
       {"9223372036800000000 9223372036854775807 2"}},
      {R"({"type": "sliding", "size": "1m", "slide": "40s"})",
       {"-9223372036854775808 -9223372036820000000 2"},
       {"9223372036800000000 9223372036854775807 2", "9223372036840000000 9223372036854775807 2"}},
      {R"({"type": "session", "gap": "1m"})",
       {"-9223372036854775808 -9223372036794775807 2"},
       {"9223372036854775805 9223372036854775807 2"}},
  };
  for (const Ends& ends : all) {
    CAPTURE(ends.window);
    const std::vector<std::int64_t> first = {INT64_MIN, INT64_MIN + 1}, last = {INT64_MAX - 2, INT64_MAX - 1};
    CHECK(windows_of(ends.window, first, "1s", 1).out == ends.at_first);
    CHECK(windows_of(ends.window, last, "1s", 1).out == ends.at_last);
    Texts both = ends.at_first;
    both.insert(both.end(), ends.at_last.begin(), ends.at_last.end());
    const Windows windows = windows_of(ends.window, {first[0], first[1], last[0], last[1]}, "1s", 1);
    CHECK(windows.out == both);
    CHECK(windows.late.empty());
  }
}

TEST_CASE("A record is late for a sliding window once that is complete, and late once all of its are") {
  const std::string sliding = R"({"type": "sliding", "size": "1m", "slide": "30s"})";
  // 20 comes after the end of the first of its windows, and then after the end of both.
  const Windows windows = windows_of(sliding, {10, 35, 20, 61, 20});
  CHECK(windows.out == Texts{"-30 30 1", "0 60 3", "30 90 2", "60 120 1"});
  CHECK(windows.late == Texts{"20"});
  const Windows lenient =
      windows_of(sliding, {10, 35, 20, 61, 20, 71, 20}, "0s", kSecond, R"(, "allowed_lateness": "10s")");
  CHECK(lenient.out == Texts{"-30 30 2", "0 60 4", "30 90 3", "60 120 2"});
  CHECK(lenient.late == Texts{"20"});
}

const std::string kSessions = R"({"type": "session", "gap": "10s"})";

TEST_CASE("A record between two sessions makes them one, and one at the gap still belongs") {
  CHECK(windows_of(kSessions, {0, 20, 10}, "1m").out == Texts{"0 30 3"});
  CHECK(windows_of(kSessions, {0, 21, 10}, "1m").out == Texts{"0 20 2", "21 31 1"});
  CHECK(windows_of(kSessions, {0, 40, 20, 30, 10}, "1m").out == Texts{"0 50 5"});
  CHECK(windows_of(kSessions, {5, 0, 2}, "1m").out == Texts{"0 15 3"});
}

TEST_CASE("A late record belongs to no session, neither to its own nor to the next") {
  const Windows windows = windows_of(kSessions, {0, 5, 30, 8});
  CHECK(windows.out == Texts{"0 15 2", "30 40 1"});
  CHECK(windows.late == Texts{"8"});
  // With 14 the session would have ended at 24: late at 30, and on time until then.
  CHECK(windows_of(kSessions, {0, 5, 14, 30}).out == Texts{"0 24 3", "30 40 1"});
  CHECK(windows_of(kSessions, {0, 5, 30, 14}).late == Texts{"14"});
}

TEST_CASE("With allowed lateness a session takes records until its end is passed by that much") {
  const std::string lateness = R"(, "allowed_lateness": "20s")";
  const Windows windows = windows_of(kSessions, {0, 5, 30, 8, 38, 7}, "0s", kSecond, lateness);
  CHECK(windows.out == Texts{"0 18 3", "30 48 2"});
  CHECK(windows.late == Texts{"7"});
}

TEST_CASE("A session of max_length ends there, and the next record starts another") {
  std::vector<std::int64_t> times;
  for (std::int64_t t = 0; t < 180; ++t) times.push_back(t);
  const Windows windows = windows_of(R"({"type": "session", "gap": "5s", "max_length": "1m"})", times);
  CHECK(windows.out == Texts{"0 60 60", "60 120 60", "120 180 60"});
  CHECK(windows.late.empty());
}

}  // namespace
}  // namespace sluice::test
