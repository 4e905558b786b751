#include "operators/aggregate/exact_moments.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace sluice {
namespace {

template <typename Moments, typename Value>
Moments moments_of(const std::vector<Value>& values) {
  Moments moments;
  for (const Value v : values) moments.add(v);
  return moments;
}

double variance(const std::vector<double>& values) {
  return moments_of<FloatMoments>(values).variance()->value();
}
double deviation(const std::vector<double>& values) {
  return moments_of<FloatMoments>(values).variance()->root();
}
double variance_of_integers(const std::vector<std::int64_t>& values) {
  return moments_of<IntegerMoments>(values).variance()->value();
}

TEST_CASE("Below two values there is no sample variance") {
  CHECK_FALSE(FloatMoments().variance());
  CHECK_FALSE(moments_of<FloatMoments>(std::vector<double>{3}).variance());
  CHECK_FALSE(moments_of<IntegerMoments>(std::vector<std::int64_t>{3}).variance());
  CHECK(variance({3, 3}) == 0);
  CHECK(deviation({3, 3}) == 0);
}

TEST_CASE("A small variance about a large mean is exact") {
  CHECK(variance({1e9 + 1, 1e9 + 2, 1e9 + 3}) == 1);
  CHECK(variance({1e15 + 1, 1e15 + 2, 1e15 + 3, 1e15 + 4}) == 5.0 / 3);
  CHECK(variance({1125899906842625.5, 1125899906842624.5}) == 0.5);
  CHECK(variance({-1e9, -1e9, -1e9 - 1}) == 1.0 / 3);
  CHECK(variance_of_integers({1'000'000'001, 1'000'000'002, 1'000'000'003}) == 1);
  CHECK(variance_of_integers({INT64_MAX, INT64_MAX - 1, INT64_MAX - 2}) == 1);
  CHECK(variance_of_integers({INT64_MIN, INT64_MIN + 1, INT64_MIN + 5}) == 7);
  CHECK(deviation({2, 4, 4, 4, 5, 5, 7, 9}) == std::sqrt(32.0 / 7));
}

TEST_CASE("The ends of the range: no overflow on the way, and the root may fit where the variance does not") {
  CHECK(variance_of_integers({INT64_MIN, INT64_MAX}) == 0x1p127);
  CHECK(variance({1e308, -1e308}) == std::numeric_limits<double>::infinity());
  CHECK(deviation({1e308, -1e308}) == doctest::Approx(std::sqrt(2.0) * 1e308).epsilon(1e-15));
  CHECK(deviation({3e-300, 1e-300}) == doctest::Approx(std::sqrt(2.0) * 1e-300).epsilon(1e-15));
  CHECK(variance({3e-300, 1e-300}) == 0);
  CHECK(variance({0x1p-536, 0}) == 0x1p-1073);
  CHECK(deviation({1e300, 1e-300}) == doctest::Approx(1e300 / std::sqrt(2.0)).epsilon(1e-15));
}

TEST_CASE("With a NaN or an infinity the variance is NaN, also after merging") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double special : {inf, -inf, nan}) {
    CHECK(std::isnan(variance({1, special})));
    CHECK(std::isnan(deviation({special, special, 2})));
    CHECK_FALSE(moments_of<FloatMoments>(std::vector<double>{special}).variance());
    FloatMoments all = moments_of<FloatMoments>(std::vector<double>{1, 2});
    all.merge(moments_of<FloatMoments>(std::vector<double>{special}));
    CHECK(std::isnan(all.variance()->value()));
  }
}

// Two passes in long double, for values of like size.
long double plain_variance(const std::vector<double>& values) {
  long double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  const long double mean = sum / static_cast<long double>(values.size());
  for (const double v : values) squares += (v - mean) * (v - mean);
  return squares / static_cast<long double>(values.size() - 1);
}

TEST_CASE("Random doubles: what two passes give, to the last digits that they have") {
  for (const std::uint64_t seed : {11, 12, 13, 14}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(static_cast<double>(seed) * 100, 3);
    std::vector<double> values(1 + seed * 300);
    for (double& v : values) v = normal(random);
    const auto plain = static_cast<double>(plain_variance(values));
    CHECK(std::abs(variance(values) - plain) <= plain * 1e-14);
    CHECK(deviation(values) == doctest::Approx(std::sqrt(plain)).epsilon(1e-14));
  }
}

TEST_CASE("Any order and any split into merged parts give the same variance to the last bit") {
  for (const std::uint64_t seed : {21, 22, 23, 24, 25}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<double> values;
    std::vector<std::int64_t> integers;
    for (int i = 0; i < 1000; ++i) {
      values.push_back(std::ldexp(static_cast<double>(random()) - 0x1p63, -static_cast<int>(random() % 200)));
      integers.push_back(static_cast<std::int64_t>(random()) >> (random() % 60));
    }
    const double once = variance(values), once_integer = variance_of_integers(integers);
    std::shuffle(values.begin(), values.end(), random);
    std::shuffle(integers.begin(), integers.end(), random);
    FloatMoments parts[9], all;
    IntegerMoments integer_parts[9], all_integers;
    for (const double v : values) parts[random() % 9].add(v);
    for (const std::int64_t v : integers) integer_parts[random() % 9].add(v);
    for (const FloatMoments& part : parts) all.merge(part);
    for (const IntegerMoments& part : integer_parts) all_integers.merge(part);
    CHECK(all.variance()->value() == once);
    CHECK(all_integers.variance()->value() == once_integer);
  }
}

TEST_CASE("Whole numbers have the same variance as integers and as doubles") {
  for (const std::uint64_t seed : {31, 32, 33}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<double> values;
    std::vector<std::int64_t> integers;
    for (int i = 0; i < 500; ++i) {
      integers.push_back(static_cast<std::int64_t>(random()) >> (11 + random() % 40));
      values.push_back(static_cast<double>(integers.back()));
    }
    CHECK(variance(values) == variance_of_integers(integers));
  }
}

TEST_CASE("A group of a few values holds little") {
  FloatMoments moments;
  CHECK(moments.heap_bytes() == 0);
  for (int i = 0; i < 1000; ++i) moments.add(i * 0.1);
  CHECK(moments.heap_bytes() <= 128);
}

}  // namespace
}  // namespace sluice
