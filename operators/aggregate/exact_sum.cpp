#include "operators/aggregate/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace sluice {
namespace {

// (high + low) / n by one step of division: the quotient, then what it leaves, exactly by fma.
double quotient_of_pair(double high, double low, double n) {
  const double quotient = high / n;
  return quotient + (std::fma(-quotient, n, high) + low) / n;
}

}  // namespace

double IntegerSum::average() const {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (sum > -kExact && sum < kExact && count < kExact) {
    return static_cast<double>(static_cast<std::int64_t>(sum)) / static_cast<double>(count);
  }
  // The quotient with so many bits behind the point that it has 64 or more in all; that something is left is
  // its last bit. So converting it rounds as the quotient itself would be.
  const UInt128 magnitude = sum < 0 ? -static_cast<UInt128>(sum) : static_cast<UInt128>(sum);
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const int shift =
      high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(magnitude));
  const UInt128 scaled = magnitude << shift;
  const auto divisor = static_cast<UInt128>(count);
  const UInt128 quotient = scaled / divisor | (scaled % divisor != 0 ? 1 : 0);
  const double average = std::ldexp(static_cast<double>(quotient), -shift);
  return sum < 0 ? -average : average;
}

void FloatSum::add_beyond_pair(double v) {
  if (!std::isfinite(v)) {
    if (std::isnan(v)) {
      rest().nan = true;
    } else {
      (v > 0 ? rest().positive_infinity : rest().negative_infinity) = true;
    }
    return;
  }
  // Once the low part is small against the high one there may be room again.
  const TwoSum pair(high_, low_);
  const TwoSum high(pair.sum, v);
  const TwoSum low(pair.error, high.error);
  if (!std::isfinite(low.error)) {
    for (const double part : {high_, low_, v}) rest().sum.add(part);
    high_ = low_ = 0;
    return;
  }
  high_ = high.sum;
  low_ = low.sum;
  if (low.error == 0) return;
  // All of the old low part, not just the bits that got lost: the next values find the room free.
  rest().sum.add(pair.error);
  low_ = high.error;
}

FloatSum::Rest& FloatSum::rest() {
  if (!rest_) rest_ = std::make_unique<Rest>();
  return *rest_;
}

void FloatSum::merge(const FloatSum& other) {
  const std::int64_t total = count_ + other.count_;
  add(other.high_);
  add(other.low_);
  count_ = total;
  if (!other.rest_) return;
  rest().sum.add(other.rest_->sum);
  rest_->nan |= other.rest_->nan;
  rest_->positive_infinity |= other.rest_->positive_infinity;
  rest_->negative_infinity |= other.rest_->negative_infinity;
}

WideSum FloatSum::total() const {
  WideSum total;
  if (rest_) total = rest_->sum;
  total.add(high_);
  total.add(low_);
  return total;
}

double FloatSum::sum() const {
  if (!rest_) return high_ + low_;
  if (!rest_->special()) return total().value();
  if (rest_->nan || (rest_->positive_infinity && rest_->negative_infinity)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return rest_->positive_infinity ? std::numeric_limits<double>::infinity()
                                  : -std::numeric_limits<double>::infinity();
}

// The sum is taken as the double nearest to it and the one nearest to what that leaves, whichever way it is
// held: the average is a function of the sum alone.
double FloatSum::average() const {
  if (rest_ && rest_->special()) return sum();
  const auto n = static_cast<double>(count_);
  if (!rest_) {
    const TwoSum pair(high_, low_);
    if (std::isfinite(pair.sum)) return quotient_of_pair(pair.sum, pair.error, n);
  }
  WideSum left = total();
  const double high = left.value();
  if (std::isfinite(high)) {
    left.add(-high);
    return quotient_of_pair(high, left.value(), n);
  }
  const ScaledPair scaled = leading(left.magnitude());
  const double average = std::ldexp(quotient_of_pair(scaled.high, scaled.low, n), scaled.exponent);
  return left.negative() ? -average : average;
}

}  // namespace sluice
