#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "operators/aggregate/exact_sum.hpp"
#include "operators/aggregate/wide_sum.hpp"

namespace sluice {

// The sample variance Σ(x − mean)² / (n − 1) from n, Σx and Σx², which are kept as exact integers. So neither
// the order of the values nor how they were spread over states that were merged makes any difference, and a
// small variance about a large mean loses nothing: n Σx² − (Σx)² is exact too. It is divided by n (n − 1) in
// about 106 bits and rounded once. Null below two values.

// The variance as a number that need not fit a double: its root may.
class Variance {
 public:
  // `squares`: Σx²; `sum`: |Σx|; count ≥ 2.
  Variance(std::int64_t count, const WideNatural& sum, const WideNatural& squares);
  static Variance nan();
  double value() const;  // an infinity if it is beyond all doubles
  double root() const;

 private:
  Variance() = default;

  ScaledPair variance_;  // not normalized: high in (0, 2)
};

// Of up to 2^63 int64 values: 48 bytes.
class IntegerMoments {
 public:
  void add(std::int64_t value);
  void merge(const IntegerMoments& other);
  std::optional<Variance> variance() const;

 private:
  void add_squares(const std::array<std::uint64_t, 3>& squares);

  Int128 sum_ = 0;
  std::array<std::uint64_t, 3> squares_{};  // lowest word first
  std::int64_t count_ = 0;
};

// Of doubles: about 150 bytes for values of like size, 1 KiB for values over the whole range. NaN and
// infinities have no distance to a mean: with one of them the variance is NaN.
class FloatMoments {
 public:
  void add(double value);
  void merge(const FloatMoments& other);
  std::optional<Variance> variance() const;
  std::size_t heap_bytes() const { return sum_.heap_bytes() + squares_.heap_bytes(); }

 private:
  WideSum sum_;
  WideSum squares_;
  std::int64_t count_ = 0;
  bool finite_ = true;
};

}  // namespace sluice
