#include "operators/aggregate/dd_sketch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "operators/aggregate/nearest_rank.hpp"
#include "operators/aggregate/value_key.hpp"

namespace sluice {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

DDSketch sketch_of(const std::vector<double>& values, const DDSketch::Scale& scale) {
  DDSketch sketch;
  for (const double v : values) sketch.add(v, scale);
  return sketch;
}

// The largest relative error over many ranks, against the sorted values.
double worst_error(const std::vector<double>& values, const DDSketch& sketch, const DDSketch::Scale& scale) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end(),
            [](double a, double b) { return ordered_word(a) < ordered_word(b); });
  double worst = 0;
  for (int percent = 0; percent <= 1000; ++percent) {
    const std::uint64_t rank = NearestRank(percent / 1000.0).of(sorted.size());
    const double truth = sorted[rank - 1], estimate = sketch.at_rank(rank, scale);
    if (std::isnan(truth) && std::isnan(estimate)) continue;
    if (truth == estimate) continue;
    worst = std::max(worst, std::abs(estimate - truth) / std::abs(truth));
    if (std::isnan(estimate) || std::isnan(truth)) return kInfinity;
  }
  return worst;
}

struct Input {
  std::string name;
  std::vector<double> values;
};

std::vector<double> made(std::size_t count, const std::function<double()>& next) {
  std::vector<double> values(count);
  for (double& v : values) v = next();
  return values;
}

std::vector<Input> inputs() {
  std::mt19937_64 random(20190828);
  std::lognormal_distribution<double> lognormal(0, 3);
  std::normal_distribution<double> normal(0, 1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Input> all;
  std::vector<double> sequence(20'000);
  for (std::size_t i = 0; i < sequence.size(); ++i) sequence[i] = static_cast<double>(i);
  all.push_back({"one after the other", sequence});
  std::reverse(sequence.begin(), sequence.end());
  all.push_back({"reversed", sequence});
  all.push_back({"all equal", std::vector<double>(5000, 0.1)});
  all.push_back({"all zero", std::vector<double>(5000, -0.0)});
  all.push_back({"one", {-7.25}});
  all.push_back({"lognormal", made(20'000, [&] { return lognormal(random); })});
  all.push_back({"both signs", made(20'000, [&] { return normal(random); })});
  all.push_back(
      {"Pareto with a heavy tail", made(20'000, [&] { return std::pow(1 - uniform(random), -2.0); })});
  auto outlier = made(5000, [&] { return uniform(random); });
  outlier[2500] = 1e300;
  outlier[10] = -1e-300;
  all.push_back({"two huge outliers", outlier});
  all.push_back(
      {"powers of two", made(5000, [&] { return std::ldexp(1.0, static_cast<int>(random() % 100)); })});
  auto special = made(1000, [&] { return normal(random); });
  for (std::size_t i = 0; i < 300; ++i)
    special[i * 3] = i % 4 == 0 ? kNan : i % 4 == 1 ? kInfinity : i % 4 == 2 ? -kInfinity : 0;
  all.push_back({"NaN, infinities and zeros among numbers", special});
  all.push_back({"largest and smallest",
                 {std::numeric_limits<double>::max(), -std::numeric_limits<double>::max(),
                  std::numeric_limits<double>::min(), 1, -1}});
  return all;
}

TEST_CASE("Every quantile is within the relative accuracy of the value of its rank") {
  for (const double accuracy : {0.001, 0.01, 0.05, 0.2}) {
    const DDSketch::Scale scale(accuracy);
    for (const Input& input : inputs()) {
      CAPTURE(accuracy);
      CAPTURE(input.name);
      const DDSketch sketch = sketch_of(input.values, scale);
      CHECK(sketch.accuracy(scale) == doctest::Approx(accuracy));
      CHECK(worst_error(input.values, sketch, scale) <= accuracy * (1 + 1e-9));
    }
  }
}

TEST_CASE("Values on the bounds of buckets stay within the accuracy") {
  const DDSketch::Scale scale(0.01);
  std::vector<double> values;
  for (int i = -2000; i < 2000; ++i) {
    const double bound = std::exp(i * scale.log_gamma);
    values.insert(values.end(), {bound, std::nextafter(bound, 0), std::nextafter(bound, 2 * bound)});
  }
  CHECK(worst_error(values, sketch_of(values, scale), scale) <= 0.01 * (1 + 1e-9));
}

TEST_CASE("Equal values, the smallest and the largest are exact") {
  const DDSketch::Scale scale(0.05);
  CHECK(sketch_of({0.1, 0.1, 0.1}, scale).at_rank(2, scale) == 0.1);
  const DDSketch sketch = sketch_of({-3.3, 7.7, 1e5}, scale);
  CHECK(sketch.at_rank(1, scale) == -3.3);
  CHECK(sketch.at_rank(3, scale) == 1e5);
}

TEST_CASE("NaN is above all, then infinity; zeros lie between the signs and are 0.0") {
  const DDSketch::Scale scale(0.01);
  const DDSketch sketch = sketch_of({kNan, 5, -0.0, kInfinity, -kInfinity, -kNan, 0.0, -5}, scale);
  CHECK(sketch.at_rank(1, scale) == -kInfinity);
  CHECK(sketch.at_rank(2, scale) == -5);
  CHECK(sketch.at_rank(3, scale) == 0);
  CHECK_FALSE(std::signbit(sketch.at_rank(3, scale)));
  CHECK(sketch.at_rank(5, scale) == 5);
  CHECK(sketch.at_rank(6, scale) == kInfinity);
  CHECK(std::isnan(sketch.at_rank(7, scale)));
  CHECK(std::isnan(sketch.at_rank(8, scale)));
}

// Values evenly spread over the decades from 1e-300 to 1e300.
std::vector<double> all_decades(std::size_t count, bool both_signs, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> decades(-300, 300);
  return made(count,
              [&] { return std::pow(10, decades(random)) * (both_signs && random() % 2 == 0 ? -1 : 1); });
}

TEST_CASE("Values over all doubles: buckets stay bounded, and the accuracy is what the sketch says") {
  const std::vector<double> values = all_decades(200'000, true, 99);
  const DDSketch::Scale scale(0.01);
  const DDSketch sketch = sketch_of(values, scale);
  const double accuracy = sketch.accuracy(scale);
  CHECK(accuracy > 0.01);
  CHECK(accuracy < 0.57);
  CHECK(worst_error(values, sketch, scale) <= accuracy * (1 + 1e-9));
  CHECK(sketch.heap_bytes() <= 8192 * 16);
}

TEST_CASE("As long as the buckets suffice the accuracy is the one that was asked for") {
  // A value in every bucket of 35 decades.
  const DDSketch::Scale scale(0.01);
  std::vector<double> values;
  for (int i = -2040; i < 2040; ++i) values.push_back(std::exp((i - 0.5) * scale.log_gamma));
  CHECK(sketch_of(values, scale).accuracy(scale) == doctest::Approx(0.01));
  for (int i = 2040; i < 2200; ++i) values.push_back(std::exp((i - 0.5) * scale.log_gamma));
  const DDSketch wider = sketch_of(values, scale);
  CHECK(wider.accuracy(scale) == doctest::Approx(0.02).epsilon(0.01));
  CHECK(worst_error(values, wider, scale) <= 0.0201);
}

TEST_CASE(
    "Any order, split and merging of the same values give the same sketch, buckets put together or not") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<double> values = all_decades(seed % 2 == 0 ? 30'000 : 300, seed > 2, seed);
    for (const double special : {kNan, kInfinity, 0.0, -0.0}) values.push_back(special);
    const DDSketch::Scale scale(0.01);
    const DDSketch once = sketch_of(values, scale);
    std::shuffle(values.begin(), values.end(), random);
    std::vector<DDSketch> parts(6);
    for (const double v : values) parts[std::min<std::uint64_t>(random() % 30, 5)].add(v, scale);
    DDSketch all;
    for (const DDSketch& part : parts) all.merge(part, scale);
    CHECK(all.count() == values.size());
    CHECK(all.accuracy(scale) == once.accuracy(scale));
    for (std::uint64_t rank = 1; rank <= values.size(); rank += 1 + values.size() / 997) {
      const double a = all.at_rank(rank, scale), b = once.at_rank(rank, scale);
      CHECK((a == b || (std::isnan(a) && std::isnan(b))));
    }
  }
}

TEST_CASE("A small sketch holds little") {
  const DDSketch::Scale scale(0.01);
  CHECK(DDSketch().heap_bytes() == 0);
  CHECK(sketch_of({5}, scale).heap_bytes() <= 64);
  CHECK(sketch_of(std::vector<double>(100'000, 5), scale).heap_bytes() <= 64);
}

}  // namespace
}  // namespace sluice
