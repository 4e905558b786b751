#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "operators/aggregate/wide_sum.hpp"
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
  // Rounded once. count > 0.
  double average() const;
};

// a + b = sum + error, exactly, if the sum is finite (Knuth, The Art of Computer Programming 2, 4.2.2).
struct TwoSum {
  double sum;
  double error;

  TwoSum(double a, double b) : sum(a + b) {
    const double shadow = sum - a;
    error = (a - (sum - shadow)) + (b - shadow);
  }
};

// The sum of doubles, exact: rounded once, when it is asked for, so that order and merging make no
// difference, not even to overflow on the way. It is an unevaluated pair high + low for as long as that holds
// every bit, which the sum of values of like size mostly does; what the pair cannot hold goes into a wide sum
// on the heap. Infinities and NaN are kept apart: with a NaN or infinities of both signs the result is NaN,
// with one sign that infinity. A sum of finite values beyond all doubles is an infinity too; their average is
// not.
class FloatSum {
 public:
  void add(double v) {
    ++count_;
    const TwoSum high(high_, v);
    const TwoSum low(low_, high.error);
    // NaN where an infinity was met or made.
    if (low.error != 0) [[unlikely]]
      return add_beyond_pair(v);
    high_ = high.sum;
    low_ = low.sum;
  }

  void merge(const FloatSum& other);

  std::int64_t count() const { return count_; }
  double sum() const;
  double average() const;  // within two roundings; count() > 0
  std::size_t heap_bytes() const { return rest_ ? sizeof(Rest) + rest_->sum.heap_bytes() : 0; }

 private:
  // What is not in the pair. Most groups have none.
  struct Rest {
    WideSum sum;
    bool nan = false;
    bool positive_infinity = false;
    bool negative_infinity = false;

    bool special() const { return nan || positive_infinity || negative_infinity; }
  };

  void add_beyond_pair(double v);
  Rest& rest();
  WideSum total() const;

  double high_ = 0;
  double low_ = 0;
  std::int64_t count_ = 0;
  std::unique_ptr<Rest> rest_;
};

}  // namespace sluice
