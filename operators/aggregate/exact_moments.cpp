#include "operators/aggregate/exact_moments.hpp"

#include <cmath>
#include <limits>

namespace sluice {
namespace {

UInt128 magnitude(Int128 value) {
  return value < 0 ? -static_cast<UInt128>(value) : static_cast<UInt128>(value);
}

}  // namespace

Variance::Variance(std::int64_t count, const WideNatural& sum, const WideNatural& squares) {
  const auto n = static_cast<UInt128>(count);
  const ScaledPair numerator = leading(WideNatural(n) * squares - sum * sum);
  const ScaledPair denominator = leading(WideNatural(n * (n - 1)));
  // A division of pairs: the quotient, and what it leaves, by fma.
  const double quotient = numerator.high / denominator.high;
  const double left =
      std::fma(-quotient, denominator.high, numerator.high) + (numerator.low - quotient * denominator.low);
  variance_ = {quotient, left / denominator.high, numerator.exponent - denominator.exponent};
}

Variance Variance::nan() {
  Variance variance;
  variance.variance_.high = std::numeric_limits<double>::quiet_NaN();
  return variance;
}

double Variance::value() const { return std::ldexp(variance_.high + variance_.low, variance_.exponent); }

double Variance::root() const {
  if (variance_.high == 0) return 0;
  const int odd = variance_.exponent & 1;
  const double high = std::ldexp(variance_.high, odd), low = std::ldexp(variance_.low, odd);
  const double root = std::sqrt(high);
  const double left = std::fma(-root, root, high) + low;
  return std::ldexp(root + left / (2 * root), (variance_.exponent - odd) / 2);
}

void IntegerMoments::add(std::int64_t value) {
  ++count_;
  sum_ += value;
  const UInt128 square = magnitude(value) * magnitude(value);
  add_squares({static_cast<std::uint64_t>(square), static_cast<std::uint64_t>(square >> 64), 0});
}

void IntegerMoments::add_squares(const std::array<std::uint64_t, 3>& squares) {
  UInt128 carry = 0;
  for (std::size_t i = 0; i < squares_.size(); ++i) {
    carry += static_cast<UInt128>(squares_[i]) + squares[i];
    squares_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

void IntegerMoments::merge(const IntegerMoments& other) {
  count_ += other.count_;
  sum_ += other.sum_;
  add_squares(other.squares_);
}

std::optional<Variance> IntegerMoments::variance() const {
  if (count_ < 2) return std::nullopt;
  WideNatural squares;
  squares.words.assign(squares_.begin(), squares_.end());
  while (!squares.words.empty() && squares.words.back() == 0) squares.words.pop_back();
  return Variance(count_, WideNatural(magnitude(sum_)), squares);
}

void FloatMoments::add(double value) {
  ++count_;
  if (!std::isfinite(value)) [[unlikely]] {
    finite_ = false;
    return;
  }
  sum_.add(value);
  squares_.add_square(value);
}

void FloatMoments::merge(const FloatMoments& other) {
  count_ += other.count_;
  finite_ = finite_ && other.finite_;
  sum_.add(other.sum_);
  squares_.add(other.squares_);
}

std::optional<Variance> FloatMoments::variance() const {
  if (count_ < 2) return std::nullopt;
  if (!finite_) return Variance::nan();
  return Variance(count_, sum_.magnitude(), squares_.magnitude());
}

}  // namespace sluice
