#include "runtime/base/units.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

}  // namespace

TEST_CASE("durations are exact, fractions included") {
  const std::vector<std::pair<std::string, std::int64_t>> table = {{"0s", 0},
                                                                   {"250ms", 250'000},
                                                                   {"1.5s", 1'500'000},
                                                                   {"0.1s", 100'000},
                                                                   {"1.000001s", 1'000'001},
                                                                   {"0.000001s", 1},
                                                                   {"2h", 7'200'000'000},
                                                                   {"1d", 86'400'000'000},
                                                                   {"0.5us", -1},
                                                                   {"1.50us", -1},
                                                                   {"2.0us", 2},
                                                                   {"9223372036854775807us", kMax},
                                                                   {"00090s", 90'000'000},
                                                                   {"0.00000000001157407407407407407d", -1}};
  for (const auto& [text, us] : table) {
    CAPTURE(text);
    const auto parsed = parse_duration_us(text);
    REQUIRE(parsed.ok() == (us >= 0));
    if (parsed.ok()) CHECK(parsed.value() == us);
    if (!parsed.ok()) CHECK(parsed.error().code() == ErrorCode::wrong_unit);
  }
}

TEST_CASE("what is not one number and one unit is refused as wrong_unit") {
  for (const std::string& text :
       std::vector<std::string>{"",    "5",   "0",  "s",    "-5s",   "+5s",   " 5s",  "5 s", "5s ", "5e3s",
                                ".5s", "5.s", "5S", "5sec", "1m30s", "0x10s", "5,5s", "١s",  "nan", "inf"}) {
    CAPTURE(text);
    const auto parsed = parse_duration_us(text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().code() == ErrorCode::wrong_unit);
    CHECK(parsed.error().message().find("250ms") != std::string::npos);
  }
  for (const std::string& text : std::vector<std::string>{"64", "64kib", "64 KiB", "-1B", "1TiBx", "1.5B"})
    CHECK_FALSE(parse_size_bytes(text).ok());
  for (const std::string& text :
       std::vector<std::string>{"1000", "1000/", "/s", "1000/sec", "-1/s", "1e3/s", "MAX", "1000 /s"}) {
    CHECK_FALSE(parse_rate_per_second(text).ok());
  }
}

TEST_CASE("what does not fit is out_of_range and never wraps") {
  for (const std::string& text :
       std::vector<std::string>{"9223372036854775808us", "9223372036855s", "99999999999d", "106751992d",
                                "18446744073709551616us", "99999999999999999999999999999999999999us"}) {
    CAPTURE(text);
    const auto parsed = parse_duration_us(text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().code() == ErrorCode::out_of_range);
  }
  CHECK(parse_size_bytes("18446744073709551616B").error().code() == ErrorCode::out_of_range);
  CHECK(parse_size_bytes("17179869184GiB").error().code() == ErrorCode::out_of_range);
  CHECK(parse_size_bytes("17179869183GiB").value() == 17179869183ULL << 30U);
  CHECK(parse_rate_per_second("0/s").error().code() == ErrorCode::out_of_range);
}

TEST_CASE("signed durations take a leading minus") {
  CHECK(parse_signed_duration_us("-5m").value() == -300'000'000);
  CHECK(parse_signed_duration_us("0s").value() == 0);
  CHECK(parse_signed_duration_us("-9223372036854775808us").value() == kMin);
  CHECK_FALSE(parse_signed_duration_us("9223372036854775808us").ok());
  CHECK_FALSE(parse_signed_duration_us("--5m").ok());
}

TEST_CASE("sizes know powers of two and of ten") {
  CHECK(parse_size_bytes("64KiB").value() == 65536);
  CHECK(parse_size_bytes("1.5MiB").value() == 1572864);
  CHECK(parse_size_bytes("1MB").value() == 1'000'000);
  CHECK(parse_size_bytes("0.000000000931322574615478515625GiB").value() == 1);
  CHECK_FALSE(parse_size_bytes("0.0000000009313225746154785156GiB").ok());
}

TEST_CASE("rates are per second, max is without limit") {
  CHECK(parse_rate_per_second("1000/s").value() == 1000.0);
  CHECK(parse_rate_per_second("60/m").value() == 1.0);
  CHECK(parse_rate_per_second("10/ms").value() == 10000.0);
  CHECK(parse_rate_per_second("0.5/s").value() == 0.5);
  CHECK(parse_rate_per_second("1/d").value() == doctest::Approx(1.0 / 86400));
  CHECK(std::isinf(parse_rate_per_second("max").value()));
}

TEST_CASE("a duration is written in its shortest exact form") {
  const std::vector<std::pair<std::int64_t, std::string>> table = {{0, "0s"},
                                                                   {1, "1us"},
                                                                   {1000, "1ms"},
                                                                   {1500, "1.5ms"},
                                                                   {500'000, "500ms"},
                                                                   {1'500'000, "1.5s"},
                                                                   {60'000'000, "1m"},
                                                                   {90'000'000, "90s"},
                                                                   {5'400'000'000, "90m"},
                                                                   {86'400'000'000, "1d"},
                                                                   {-60'000'000, "-1m"},
                                                                   {1'234'567, "1.234567s"},
                                                                   {kMin, "-9223372036854775808us"}};
  for (const auto& [us, text] : table) {
    CAPTURE(us);
    if (us != kMin) CHECK(format_duration_us(us) == text);
    CHECK(parse_signed_duration_us(format_duration_us(us)).value() == us);
  }
}

TEST_CASE("every duration reads back as it was written") {
  CHECK(rc::check(
      [](std::int64_t us) { RC_ASSERT(parse_signed_duration_us(format_duration_us(us)).value() == us); }));
}

TEST_CASE("a decimal fraction of a unit is exact or refused, as in integer arithmetic") {
  CHECK(rc::check([] {
    const auto milli = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
    const std::string text =
        std::to_string(milli / 1000) + "." + std::to_string(1000 + milli % 1000).substr(1);
    RC_ASSERT(parse_duration_us(text + "s").value() == milli * 1000);
    RC_ASSERT(parse_duration_us(text + "us").ok() == (milli % 1000 == 0));
  }));
}

TEST_CASE("bytes and counts are written for people") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1024) == "1 KiB");
  CHECK(format_bytes(1'572'864) == "1.5 MiB");
  CHECK(format_bytes(256ULL << 20U) == "256 MiB");
  CHECK(format_bytes((1ULL << 20U) - 1) == "1 MiB");
  CHECK(format_bytes(std::numeric_limits<std::uint64_t>::max()) == "16 EiB");
  CHECK(format_count(0) == "0");
  CHECK(format_count(12'345) == "12,345");
  CHECK(format_count(999'999) == "999,999");
  CHECK(format_count(4'823'000) == "4.82 million");
  CHECK(format_count(999'999'999) == "1 billion");
  CHECK(format_count(std::numeric_limits<std::uint64_t>::max()) == "18.4 quintillion");
}

}  // namespace sluice
