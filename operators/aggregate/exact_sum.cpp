#include "operators/aggregate/exact_sum.hpp"

#include <limits>

namespace sluice {

double IntegerSum::average() const {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (sum > -kExact && sum < kExact && count < kExact) {
    return static_cast<double>(static_cast<std::int64_t>(sum)) / static_cast<double>(count);
  }
  const Int128 quotient = sum / count;
  const auto remainder = static_cast<std::int64_t>(sum % count);
  return static_cast<double>(quotient) + static_cast<double>(remainder) / static_cast<double>(count);
}

void FloatSum::add_special(double v) {
  if (std::isnan(v)) {
    nan_ = true;
  } else {
    (v > 0 ? positive_infinity_ : negative_infinity_) = true;
  }
}

void FloatSum::merge(const FloatSum& other) {
  const std::int64_t total = count_ + other.count_;
  add(other.high_);
  add(other.low_);
  count_ = total;
  nan_ |= other.nan_;
  positive_infinity_ |= other.positive_infinity_;
  negative_infinity_ |= other.negative_infinity_;
}

double FloatSum::sum() const {
  if (nan_ || (positive_infinity_ && negative_infinity_)) return std::numeric_limits<double>::quiet_NaN();
  if (positive_infinity_) return std::numeric_limits<double>::infinity();
  if (negative_infinity_) return -std::numeric_limits<double>::infinity();
  return high_ + low_;
}

double FloatSum::average() const {
  const double n = static_cast<double>(count_);
  const double total = sum();
  if (!std::isfinite(total)) return total;
  // One step of division in the pair: quotient, then the remainder that it leaves, exactly by fma.
  const double quotient = total / n;
  const double remainder = std::fma(-quotient, n, high_) + low_;
  return quotient + remainder / n;
}

}  // namespace sluice
