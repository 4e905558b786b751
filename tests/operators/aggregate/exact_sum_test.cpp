#include "operators/aggregate/exact_sum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace sluice {
namespace {

FloatSum sum_of(const std::vector<double>& values) {
  FloatSum sum;
  for (const double v : values) sum.add(v);
  return sum;
}

TEST_CASE("A small number between two large ones that cancel is not lost") {
  CHECK(sum_of({1e16, 1.0, -1e16}).sum() == 1.0);
  CHECK(sum_of({1.0, 1e16, -1e16}).sum() == 1.0);
  CHECK(sum_of({1e16, -1e16, 1.0}).sum() == 1.0);
}

TEST_CASE("A million tenths are a hundred thousand") {
  FloatSum sum;
  for (int i = 0; i < 1'000'000; ++i) sum.add(0.1);
  CHECK(sum.sum() == 100000.0);
  CHECK(sum.average() == 0.1);
}

TEST_CASE("Infinities and NaN give what IEEE 754 gives, in every order") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(sum_of({1, inf, 2}).sum() == inf);
  CHECK(sum_of({inf, 1, inf}).average() == inf);
  CHECK(sum_of({-inf, 1}).sum() == -inf);
  CHECK(std::isnan(sum_of({inf, -inf}).sum()));
  CHECK(std::isnan(sum_of({-inf, 3, inf}).sum()));
  CHECK(std::isnan(sum_of({nan, inf}).sum()));
  CHECK(sum_of({1e308, 1e308}).sum() == inf);
  FloatSum merged = sum_of({1, inf});
  merged.merge(sum_of({2, -inf}));
  CHECK(std::isnan(merged.sum()));
  merged = sum_of({1});
  merged.merge(sum_of({nan}));
  CHECK(std::isnan(merged.average()));
}

constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kMin = std::numeric_limits<double>::denorm_min();

TEST_CASE("A sum may leave the range of double on its way and come back") {
  CHECK(sum_of({1e308, 1e308, -1e308}).sum() == 1e308);
  CHECK(sum_of({-1e308, 1e308, 1e308}).sum() == 1e308);
  CHECK(sum_of({-kMax, -kMax, -kMax, kMax, kMax, kMin}).sum() == -kMax);
  CHECK(sum_of({kMax, kMax, kMin, -kMax, -kMax}).sum() == kMin);
  // Half a unit of the last place above the largest double is where infinity begins.
  CHECK(sum_of({kMax, 0x1p970}).sum() == std::numeric_limits<double>::infinity());
  CHECK(sum_of({kMax, 0x1p970, -kMin}).sum() == kMax);
}

TEST_CASE("The average of integers is the double nearest to it, at the ends of int64 too") {
  std::mt19937_64 random(20'261'130);
  for (int trial = 0; trial < 5'000; ++trial) {
    IntegerSum sum;
    const int count = 1 + static_cast<int>(random() % 9);
    // Large, so that doubles next to the average are integers and can be compared exactly.
    const auto base = static_cast<std::int64_t>(random() >> 2 | std::uint64_t{1} << 61);
    for (int i = 0; i < count; ++i) {
      const auto v = base + static_cast<std::int64_t>(random() % 100'000);
      sum.add(trial % 2 == 0 ? v : -v);
    }
    const double average = sum.average();
    const auto distance = [&](double d) {
      const Int128 off = static_cast<Int128>(d) * sum.count - sum.sum;
      return off < 0 ? -off : off;
    };
    CHECK(distance(average) <= distance(std::nextafter(average, INFINITY)));
    CHECK(distance(average) <= distance(std::nextafter(average, -INFINITY)));
  }
  IntegerSum ends;
  ends.add(INT64_MIN);
  CHECK(ends.average() == -0x1p63);
  ends.add(INT64_MAX);
  CHECK(ends.average() == -0.5);
  ends.add(INT64_MAX);
  CHECK(ends.average() == 0x1p63 / 3);
}

TEST_CASE("An average is right where the sum is beyond all doubles") {
  CHECK(sum_of({kMax, kMax}).average() == kMax);
  CHECK(sum_of({-kMax, -kMax, -kMax}).average() == -kMax);
  CHECK(sum_of({kMax, kMax, -kMax, kMax}).average() == kMax / 2);
  CHECK(sum_of({0x1p1023, 0x1p1023, 0x1p1022}).average() == 0x1p1022 * (5.0 / 3));
  CHECK(sum_of({kMax, 0x1p970}).average() == 0x1p1023);
  CHECK(sum_of({1e300, 1e-300, -1e300, 1e-300}).average() == 5e-301);
}

// The same sum by school arithmetic: digits of 32 bits from 2^-1152 on, rounded by looking at all of them.
class PlainSum {
 public:
  void add(double v) {
    int exponent = 0;
    auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(v, &exponent), 53));
    const int at = exponent - 53 + kPoint;
    const Int128 shifted = static_cast<Int128>(mantissa) * (std::int64_t{1} << at % 32);
    const Int128 sign = shifted < 0 ? -1 : 1;
    Int128 left = shifted * sign;
    for (auto i = static_cast<std::size_t>(at / 32); left != 0; ++i, left >>= 32) {
      digits_[i] += static_cast<std::int64_t>(sign * (left & 0xffff'ffff));
    }
  }

  double sum() const {
    std::array<std::int64_t, kDigits> digits = digits_;
    const bool negative = !carry(digits);
    if (negative) {
      for (std::int64_t& d : digits) d = -d;
      carry(digits);
    }
    const auto bit = [&](int i) {
      return i < 0 ? 0 : digits[static_cast<std::size_t>(i / 32)] >> i % 32 & 1;
    };
    int top = static_cast<int>(kDigits) * 32 - 1;
    while (top >= 0 && bit(top) == 0) --top;
    if (top < 0) return 0;
    const int last = std::max(top - 52, kPoint - 1074);
    std::int64_t kept = 0;
    for (int i = top; i >= last; --i) kept = 2 * kept + bit(i);
    bool rest = false;
    for (int i = 0; i < last - 1; ++i) rest |= bit(i) != 0;
    if (bit(last - 1) != 0 && (rest || kept % 2 != 0)) ++kept;
    const double rounded = std::ldexp(static_cast<double>(kept), last - kPoint);
    return negative ? -rounded : rounded;
  }

 private:
  static constexpr int kPoint = 1152;
  static constexpr std::size_t kDigits = 72;

  // Every digit to 0 … 2^32 − 1; false if the number is negative.
  static bool carry(std::array<std::int64_t, kDigits>& digits) {
    std::int64_t over = 0;
    for (std::int64_t& d : digits) {
      d += over;
      over = d >> 32;
      d &= 0xffff'ffff;
    }
    return over >= 0;
  }

  std::array<std::int64_t, kDigits> digits_{};
};

double plain_sum(const std::vector<double>& values) {
  PlainSum sum;
  for (const double v : values) sum.add(v);
  return sum.sum();
}

std::uint64_t bits(double v) { return std::bit_cast<std::uint64_t>(v); }

// How many ways there are to merge n states that lie side by side, and the one of a number.
std::size_t merge_trees(std::size_t n) {
  if (n == 1) return 1;
  std::size_t count = 0;
  for (std::size_t left = 1; left < n; ++left) count += merge_trees(left) * merge_trees(n - left);
  return count;
}
FloatSum merged(const double* values, std::size_t n, std::size_t tree) {
  FloatSum sum;
  if (n == 1) {
    sum.add(*values);
    return sum;
  }
  std::size_t left = 1;
  for (; tree >= merge_trees(left) * merge_trees(n - left); ++left) {
    tree -= merge_trees(left) * merge_trees(n - left);
  }
  sum = merged(values, left, tree / merge_trees(n - left));
  sum.merge(merged(values + left, n - left, tree % merge_trees(n - left)));
  return sum;
}

TEST_CASE("Every order and every tree of merges gives the same bits, whatever cancels") {
  const std::vector<double> all[] = {
      {1e16, 1, 1e-16, -1e16, 1e-30},
      {1e300, 1e150, 1, -1e300, -1e150},
      {1e308, 1e308, -1e308, 1, -1},
      {kMax, kMax, -kMax, -kMax, kMin},
      {kMax, 0x1p970, -kMin, kMin, 1},
      {0x1p53, 1, 0x1p-60, -0x1p-60, 0x1p-1074},
      {0x1p106, 0x1p53, 1, 0x1p-53, -0x1p-106},
      {0x1p200, -0x1p147, 0x1p94, -0x1p41, 0x1p-12},
      {-0.0, 0.0, -0.0, 3, -3},
      {0.1, 0.2, 0.3, -0.6, 1e-40},
  };
  for (const std::vector<double>& values : all) {
    CAPTURE(values[0]);
    CAPTURE(values[1]);
    const double expected = plain_sum(values);
    const double average = sum_of(values).average();
    std::vector<double> order = values;
    std::sort(order.begin(), order.end());
    std::size_t wrong = 0;
    do {
      const FloatSum in_order = sum_of(order);
      wrong += bits(in_order.sum()) != bits(expected) || bits(in_order.average()) != bits(average);
      for (std::size_t tree = 0; tree < merge_trees(order.size()); ++tree) {
        const FloatSum sum = merged(order.data(), order.size(), tree);
        wrong += bits(sum.sum()) != bits(expected) || bits(sum.average()) != bits(average);
      }
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(wrong == 0);
  }
}

// Values that mostly cancel: of any size, and most of them with a partner that leaves little.
std::vector<double> cancelling_values(std::mt19937_64& random) {
  std::vector<double> values;
  const int binades = std::array{3, 60, 120, 400, 2000}[random() % 5];
  while (values.size() < 200) {
    const int exponent = static_cast<int>(random() % static_cast<unsigned>(binades)) - binades / 2 - 52;
    const double v = std::ldexp(static_cast<double>(random() >> 11) - 0x1p52, exponent);
    values.push_back(v);
    if (random() % 4 != 0) values.push_back(-v);
    if (random() % 8 == 0) values.push_back(std::nextafter(-v, 0.0));
  }
  return values;
}

TEST_CASE("Random values that cancel: the sum of school arithmetic, in any order and any parts") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<double> values = cancelling_values(random);
    const double expected = plain_sum(values), average = sum_of(values).average();
    for (int round = 0; round < 5; ++round) {
      std::shuffle(values.begin(), values.end(), random);
      CHECK(bits(sum_of(values).sum()) == bits(expected));
      std::array<FloatSum, 7> parts;
      for (const double v : values) parts[random() % parts.size()].add(v);
      for (std::size_t left = parts.size(); left > 1; --left)
        parts[random() % (left - 1)].merge(parts[left - 1]);
      CHECK(bits(parts[0].sum()) == bits(expected));
      CHECK(bits(parts[0].average()) == bits(average));
      CHECK(parts[0].count() == static_cast<std::int64_t>(values.size()));
    }
  }
}

TEST_CASE("Values of like size need no heap; what others need is counted") {
  FloatSum sum;
  for (int i = 0; i < 100'000; ++i) sum.add(i * 0.01);
  CHECK(sum.heap_bytes() == 0);
  sum.add(1e-300);
  CHECK(sum.heap_bytes() > 0);
  CHECK(sum.heap_bytes() < 1024);
}

TEST_CASE("Integer averages are exact where the quotient is, and rounded once where it is not") {
  IntegerSum sum;
  for (const std::int64_t v : {INT64_MAX, INT64_MAX, INT64_MAX}) sum.add(v);
  CHECK_FALSE(sum.fits());
  CHECK(sum.average() == 9223372036854775807.0);
  IntegerSum thirds;
  for (const std::int64_t v : {1, 0, 0}) thirds.add(v);
  CHECK(thirds.average() == 1.0 / 3.0);
  IntegerSum negative;
  for (const std::int64_t v : {INT64_MIN, INT64_MIN}) negative.add(v);
  CHECK(negative.average() == -0x1p63);
}

}  // namespace
}  // namespace sluice
