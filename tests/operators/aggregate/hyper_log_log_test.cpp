#include "operators/aggregate/hyper_log_log.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

double standard_error(int precision) { return 1.04 / std::sqrt(std::ldexp(1.0, precision)); }

HyperLogLog sketch_of(const std::vector<std::uint64_t>& hashes, int precision) {
  HyperLogLog sketch;
  for (const std::uint64_t hash : hashes) sketch.add(hash, precision);
  return sketch;
}

TEST_CASE("The precision is the smallest whose standard error is as wanted") {
  CHECK(HyperLogLog::precision_for(HyperLogLog::kLargestError) == HyperLogLog::kMinPrecision);
  CHECK(HyperLogLog::precision_for(HyperLogLog::kLeastError) == HyperLogLog::kMaxPrecision);
  for (const double error : {0.0025, 0.003, 0.01, 0.0123, 0.05, 0.09, 0.1}) {
    CAPTURE(error);
    const int precision = HyperLogLog::precision_for(error);
    CHECK(standard_error(precision) <= error);
    if (precision > HyperLogLog::kMinPrecision) CHECK(standard_error(precision - 1) > error);
  }
  CHECK(HyperLogLog::precision_for(0.01) == 14);
}

TEST_CASE("A few values are counted exactly, in little memory") {
  HyperLogLog sketch;
  CHECK(sketch.estimate(14) == 0);
  CHECK(sketch.heap_bytes(14) == 0);
  for (std::uint64_t i = 1; i <= 1024; ++i) {
    sketch.add(hash_word(i), 14);
    sketch.add(hash_word(i), 14);
    CHECK(sketch.estimate(14) == static_cast<std::int64_t>(i));
    if (i == 1) CHECK(sketch.heap_bytes(14) <= 32);
  }
  CHECK(sketch.heap_bytes(14) <= 16384);
  sketch.add(hash_word(5000), 14);
  CHECK(sketch.heap_bytes(14) == 16384);
  CHECK(std::abs(sketch.estimate(14) - 1025) < 3 * standard_error(14) * 1025);
}

// The root mean square and the mean of the relative error of many sketches, at several counts each.
struct Errors {
  std::size_t count;
  double root_mean_square, mean;
};

template <typename HashOf>
std::vector<Errors> errors_of(int precision, int sketches, const std::vector<std::size_t>& counts,
                              HashOf hash_of) {
  std::vector<Errors> errors;
  for (const std::size_t count : counts) errors.push_back({count, 0, 0});
  for (int s = 0; s < sketches; ++s) {
    HyperLogLog sketch;
    std::size_t added = 0;
    for (Errors& e : errors) {
      for (; added < e.count; ++added) sketch.add(hash_of(s, added), precision);
      const double n = static_cast<double>(e.count);
      const double error = (static_cast<double>(sketch.estimate(precision)) - n) / n;
      e.root_mean_square += error * error / sketches;
      e.mean += error / sketches;
    }
  }
  for (Errors& e : errors) e.root_mean_square = std::sqrt(e.root_mean_square);
  return errors;
}

void check_errors(const std::vector<Errors>& errors, int precision, int sketches) {
  for (const Errors& e : errors) {
    CAPTURE(e.count);
    // Of so few sketches the error of the error is some 10%; the mean has an error of its own.
    CHECK(e.root_mean_square <= 1.3 * standard_error(precision));
    CHECK(std::abs(e.mean) <= 3.5 * standard_error(precision) / std::sqrt(sketches));
  }
}

TEST_CASE("The error is the stated one from few values to many, and without bias") {
  constexpr int kSketches = 100;
  for (const int precision : {7, 9, 12}) {
    CAPTURE(precision);
    const std::size_t m = std::size_t{1} << precision;
    const std::vector<std::size_t> counts = {m / 4, m, 2 * m, 5 * m / 2, 4 * m, 10 * m, 30 * m};
    SUBCASE("numbers one after the other") {
      check_errors(errors_of(precision, kSketches, counts,
                             [](int s, std::size_t i) {
                               return hash_word(static_cast<std::uint64_t>(s) * 1'000'000 + i);
                             }),
                   precision, kSketches);
    }
    SUBCASE("multiples of 2^40, texts of like beginnings") {
      check_errors(errors_of(precision, kSketches, counts,
                             [](int s, std::size_t i) {
                               return hash_word((static_cast<std::uint64_t>(s) * 150'000 + i) << 40, 99);
                             }),
                   precision, kSketches);
      check_errors(errors_of(precision, kSketches, counts,
                             [](int s, std::size_t i) {
                               return hash_bytes("customer/" + std::to_string(s) + "/" + std::to_string(i));
                             }),
                   precision, kSketches);
    }
    SUBCASE("hashes that share their low 20 bits") {
      std::mt19937_64 random(4711);
      check_errors(
          errors_of(precision, kSketches, counts, [&](int, std::size_t) { return random() << 20 | 0x12345; }),
          precision, kSketches);
    }
  }
}

TEST_CASE("Counts far beyond what was added: full registers saturate") {
  HyperLogLog sketch;
  // Every register sees a rest of zeros only.
  for (std::uint64_t i = 0; i < 128; ++i) sketch.add(i << 57, 7);
  CHECK(sketch.estimate(7) == INT64_MAX);
}

TEST_CASE("Any order, repetition, split and merging of the same hashes give the same sketch") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (const std::size_t count : {3, 60, 64, 65, 100, 5000}) {
      CAPTURE(count);
      std::vector<std::uint64_t> hashes(count);
      for (std::uint64_t& hash : hashes) hash = random();
      const HyperLogLog once = sketch_of(hashes, 10);
      std::vector<HyperLogLog> parts(5);
      for (int round = 0; round < 3; ++round) {
        std::shuffle(hashes.begin(), hashes.end(), random);
        for (const std::uint64_t hash : hashes) parts[random() % 5].add(hash, 10);
      }
      HyperLogLog all;
      for (const HyperLogLog& part : parts) all.merge(part, 10);
      CHECK(all.estimate(10) == once.estimate(10));
      if (count <= 64) CHECK(all.estimate(10) == static_cast<std::int64_t>(count));
      CHECK(all.heap_bytes(10) <= 1024);
      all.merge(once, 10);
      CHECK(all.estimate(10) == once.estimate(10));
    }
  }
}

}  // namespace
}  // namespace sluice
