#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/base/int128.hpp"

namespace sluice {

// Sums whose result does not depend on the order of the addends, so that parallelism and batching change
// nothing.

// The sum of up to 2^64 int64 values, exact.
struct IntegerSum {
  Int128 sum = 0;
  std::int64_t count = 0;

  void add(std::int64_t v) {
    sum += v;
    ++count;
  }
  void merge(const IntegerSum& other) {
    sum += other.sum;
    count += other.count;
  }
  bool fits() const { return sum >= INT64_MIN && sum <= INT64_MAX; }
  // Correctly rounded while sum and count are below 2^53; otherwise within two roundings. count > 0.
  double average() const;
};

// The sum of doubles in about 106 bits: an unevaluated pair high + low (Dekker 1971; TwoSum: Knuth, The Art
// of Computer Programming 2, 4.2.2). Rounding once at the end gives the same double for every order, unless
// more than about 50 bits cancel. Infinities and NaN are
// kept apart, because inf − inf inside the pair would depend on the order: with a NaN or infinities of both
// signs the result is NaN, with one sign that infinity. A sum that leaves the range of double on its way is
// an infinity from then on.
class FloatSum {
 public:
  void add(double v) {
    ++count_;
    if (!std::isfinite(v)) [[unlikely]]
      return add_special(v);
    const double sum = high_ + v;
    if (!std::isfinite(sum)) [[unlikely]]
      return add_special(sum);
    const double shadow = sum - high_;
    const double error = (high_ - (sum - shadow)) + (v - shadow);
    low_ += error;
    high_ = sum + low_;
    low_ -= high_ - sum;
  }

  void merge(const FloatSum& other);

  std::int64_t count() const { return count_; }
  double sum() const;
  double average() const;  // count() > 0

 private:
  void add_special(double v);

  double high_ = 0;
  double low_ = 0;
  std::int64_t count_ = 0;
  bool nan_ = false;
  bool positive_infinity_ = false;
  bool negative_infinity_ = false;
};

}  // namespace sluice
