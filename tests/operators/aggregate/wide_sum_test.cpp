#include "operators/aggregate/wide_sum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace sluice {
namespace {

WideSum sum_of(const std::vector<double>& values) {
  WideSum sum;
  for (const double v : values) sum.add(v);
  return sum;
}

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

TEST_CASE("A wide sum loses nothing, however far apart the addends are") {
  CHECK(sum_of({}).value() == 0);
  CHECK(sum_of({-0.0}).value() == 0);
  CHECK(sum_of({1e300, 1, 1e-300, -1e300, -1}).value() == 1e-300);
  CHECK(sum_of({kLargest, kLargest, kSmallest, -kLargest, -kLargest}).value() == kSmallest);
  CHECK(sum_of({kLargest, kLargest}).value() == std::numeric_limits<double>::infinity());
  CHECK(sum_of({-kLargest, -kLargest}).value() == -std::numeric_limits<double>::infinity());
  CHECK(sum_of({-1, -2, -3}).value() == -6);
  CHECK(sum_of({kSmallest, kSmallest, kSmallest}).value() == 3 * kSmallest);
  CHECK(sum_of({0x1p63, 0x1p63, -0x1p64, -1}).value() == -1);
}

TEST_CASE("A wide sum is rounded once, ties to even") {
  CHECK(sum_of({0x1p53, 1}).value() == 0x1p53);
  CHECK(sum_of({0x1p53, 1, kSmallest}).value() == 0x1p53 + 2);
  CHECK(sum_of({0x1p53, 1, -kSmallest}).value() == 0x1p53);
  CHECK(sum_of({0x1p53 + 2, 1}).value() == 0x1p53 + 4);
  CHECK(sum_of({-0x1p53, -1, -kSmallest}).value() == -0x1p53 - 2);
  CHECK(sum_of({0x1p54 - 2, 1, 0.5}).value() == 0x1p54);
}

TEST_CASE("A single double comes back as it was") {
  std::mt19937_64 random(20240611);
  for (int i = 0; i < 10'000; ++i) {
    const double v =
        std::ldexp(static_cast<double>(random() >> 11) - 0x1p52, static_cast<int>(random() % 2050) - 1080);
    if (!std::isfinite(v)) continue;
    CAPTURE(v);
    CHECK(sum_of({v}).value() == v);
  }
}

TEST_CASE("Neither order nor grouping changes a wide sum, and its words stay few") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<double> values;
    for (int i = 0; i < 2000; ++i) {
      values.push_back(
          std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 1900) - 1050));
    }
    const double once = sum_of(values).value();
    std::shuffle(values.begin(), values.end(), random);
    WideSum parts[7], all;
    for (const double v : values) parts[random() % 7].add(v);
    for (const WideSum& part : parts) all.add(part);
    CHECK(all.value() == once);
    CHECK(all.heap_bytes() <= 2 * 35 * 8);
    for (const double v : values) all.add(-v);
    CHECK(all.value() == 0);
  }
}

TEST_CASE("Wide sums agree with integers of 128 bits") {
  __extension__ using Int128 = __int128;
  std::mt19937_64 random(77);
  Int128 plain = 0;
  WideSum wide;
  for (int i = 0; i < 20'000; ++i) {
    const auto v = static_cast<std::int64_t>(random()) >> 11 >> (random() % 50);
    plain += v;
    wide.add(static_cast<double>(v));
    if (i % 100 == 0) CHECK(wide.value() == static_cast<double>(plain));
  }
  WideSum squares;
  UInt128 plain_squares = 0;
  for (std::uint64_t i = 1'000'000; i < 1'010'000; ++i) {
    squares.add_square(static_cast<double>(i));
    plain_squares += static_cast<UInt128>(i) * i;
  }
  CHECK(squares.value() == static_cast<double>(plain_squares));
}

TEST_CASE("Wide numbers multiply, subtract and show their leading bits") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t a = random() >> (random() % 64), b = random() >> (random() % 64);
    const UInt128 product = static_cast<UInt128>(a) * b;
    const WideNatural wide = WideNatural(a) * WideNatural(b);
    CHECK((wide - WideNatural(product)).zero());
    const ScaledPair pair = leading(wide);
    if (product == 0) continue;
    CHECK(pair.high >= 1);
    CHECK(pair.high < 2);
    // 106 bits: more than the 64 of a long double, so compare with the number itself.
    CHECK(std::ldexp(pair.high, pair.exponent) == static_cast<double>(product));
    const WideNatural back = WideNatural(product + 3) - WideNatural(3);
    CHECK(std::ldexp(leading(back).high, leading(back).exponent) == static_cast<double>(product));
  }
  CHECK(leading(WideNatural()).high == 0);
}

}  // namespace
}  // namespace sluice
