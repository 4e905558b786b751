#include "operators/aggregate/wide_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "runtime/base/check.hpp"

namespace sluice {
namespace {

constexpr std::int32_t kWordBits = 64;
constexpr std::int32_t kMantissaBits = 53;

// A double as ±mantissa · 2^exponent, the mantissa odd or 0: whole numbers need no bits below the point.
struct Parts {
  std::uint64_t mantissa;
  std::int32_t exponent;
  bool negative;
};

Parts parts_of(double value) {
  constexpr std::int32_t kBias = 1075;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto biased = static_cast<std::int32_t>(bits >> 52 & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (biased != 0) mantissa |= std::uint64_t{1} << 52;
  if (mantissa == 0) return {0, 0, false};
  const int zeros = std::countr_zero(mantissa);
  return {mantissa >> zeros, std::max(biased, 1) - kBias + zeros, bits >> 63 != 0};
}

std::int32_t floor_words(std::int32_t bits) { return bits >> 6; }

// a + b + carry; the carry goes on.
std::uint64_t add_with_carry(std::uint64_t a, std::uint64_t b, std::uint64_t& carry) {
  const UInt128 sum = static_cast<UInt128>(a) + b + carry;
  carry = static_cast<std::uint64_t>(sum >> 64);
  return static_cast<std::uint64_t>(sum);
}

void trim(WideNatural& n) {
  while (!n.words.empty() && n.words.back() == 0) n.words.pop_back();
}

}  // namespace

WideNatural::WideNatural(UInt128 value)
    : words{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)} {
  trim(*this);
}

WideNatural operator*(const WideNatural& a, const WideNatural& b) {
  WideNatural product;
  product.low = a.low + b.low;
  product.words.resize(a.words.size() + b.words.size());
  for (std::size_t i = 0; i < a.words.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.words.size(); ++j) {
      const UInt128 step = static_cast<UInt128>(a.words[i]) * b.words[j] + product.words[i + j] + carry;
      product.words[i + j] = static_cast<std::uint64_t>(step);
      carry = static_cast<std::uint64_t>(step >> 64);
    }
    product.words[i + b.words.size()] = carry;
  }
  trim(product);
  return product;
}

WideNatural operator-(const WideNatural& a, const WideNatural& b) {
  if (b.zero()) return a;
  WideNatural difference;
  difference.low = std::min(a.low, b.low);
  const auto word_of = [](const WideNatural& n, std::int32_t at) {
    const std::int32_t i = at - n.low;
    return i >= 0 && i < static_cast<std::int32_t>(n.words.size()) ? n.words[static_cast<std::size_t>(i)] : 0;
  };
  const std::int32_t end = std::max(a.low + static_cast<std::int32_t>(a.words.size()),
                                    b.low + static_cast<std::int32_t>(b.words.size()));
  std::uint64_t carry = 1;
  for (std::int32_t at = difference.low; at < end; ++at) {
    difference.words.push_back(add_with_carry(word_of(a, at), ~word_of(b, at), carry));
  }
  SLUICE_CHECK(carry == 1);  // a ≥ b
  trim(difference);
  return difference;
}

ScaledPair leading(const WideNatural& value) {
  if (value.zero()) return {};
  // The three highest words, shifted so that the first bit is set: 128 bits of them.
  const std::size_t n = value.words.size();
  const auto word = [&](std::size_t from_top) { return from_top < n ? value.words[n - 1 - from_top] : 0; };
  const int shift = std::countl_zero(word(0));
  const auto shifted = [&](std::size_t i) {
    return shift == 0 ? word(i) : word(i) << shift | word(i + 1) >> (kWordBits - shift);
  };
  const std::uint64_t first = shifted(0), second = shifted(1);
  // 53 + 53 bits and a rest of 22, each exact as a double.
  const double high = std::ldexp(static_cast<double>(first >> 11), -52);
  const double middle = std::ldexp(static_cast<double>((first & 0x7ff) << 42 | second >> 22), -105);
  const double sum = high + middle;
  const auto top = value.low + static_cast<std::int32_t>(n);
  ScaledPair pair{sum, middle - (sum - high), top * kWordBits - shift - 1};
  if (pair.high == 2) pair = {1, pair.low / 2, pair.exponent + 1};
  return pair;
}

void WideSum::cover(std::int32_t low, std::size_t count) {
  if (words_.empty()) {
    low_ = low;
    words_.resize(count);
    return;
  }
  if (low < low_) {
    words_.insert(words_.begin(), static_cast<std::size_t>(low_ - low), 0);
    low_ = low;
  }
  const std::size_t needed = static_cast<std::size_t>(low - low_) + count;
  if (needed > words_.size()) words_.resize(needed, sign_of(words_.back()));
}

void WideSum::add_words(std::span<const std::uint64_t> addend, std::int32_t low) {
  const std::uint64_t addend_sign = sign_of(addend.back());
  const std::uint64_t old_sign = sign_of(words_.back());
  std::uint64_t carry = 0;
  std::size_t i = static_cast<std::size_t>(low - low_);
  for (const std::uint64_t word : addend) {
    words_[i] = add_with_carry(words_[i], word, carry);
    ++i;
  }
  // Above its highest word the addend goes on as its sign; where that and the carry cancel all stays.
  for (; i < words_.size() && addend_sign + carry != 0; ++i) {
    words_[i] = add_with_carry(words_[i], addend_sign, carry);
  }
  if (addend_sign == old_sign && sign_of(words_.back()) != old_sign) words_.push_back(old_sign);
}

void WideSum::add(UInt128 magnitude, std::int32_t exponent, bool negative) {
  if (magnitude == 0) return;
  const std::int32_t low = floor_words(exponent);
  const int shift = exponent - low * kWordBits;
  const auto first = static_cast<std::uint64_t>(magnitude),
             second = static_cast<std::uint64_t>(magnitude >> 64);
  std::array<std::uint64_t, 4> words = {first << shift, second << shift, 0, 0};
  if (shift > 0) {
    words[1] |= first >> (kWordBits - shift);
    words[2] = second >> (kWordBits - shift);
  }
  std::size_t count = words.size();
  while (words[count - 1] == 0) --count;
  if (words[count - 1] >> 63 != 0) ++count;  // room for the sign
  if (negative) {
    std::uint64_t carry = 1;
    for (std::size_t i = 0; i < count; ++i) words[i] = add_with_carry(~words[i], 0, carry);
  }
  cover(low, count);
  add_words(std::span(words).first(count), low);
}

void WideSum::add(double value) {
  const Parts parts = parts_of(value);
  add(parts.mantissa, parts.exponent, parts.negative);
}

void WideSum::add_square(double value) {
  const Parts parts = parts_of(value);
  add(static_cast<UInt128>(parts.mantissa) * parts.mantissa, 2 * parts.exponent, false);
}

void WideSum::add(const WideSum& other) {
  if (other.words_.empty()) return;
  cover(other.low_, other.words_.size());
  add_words(other.words_, other.low_);
}

WideNatural WideSum::magnitude() const {
  WideNatural result;
  result.low = low_;
  result.words = words_;
  if (negative()) {
    std::uint64_t carry = 1;
    for (std::uint64_t& word : result.words) word = add_with_carry(~word, 0, carry);
  }
  trim(result);
  return result;
}

double WideSum::value() const {
  const WideNatural n = magnitude();
  if (n.zero()) return 0;
  // The bits that the double keeps, the one behind them, and whether anything follows.
  constexpr std::int32_t kLowestExponent = -1074;
  const auto count = static_cast<std::int32_t>(n.words.size());
  const std::int32_t top =
      (n.low + count) * kWordBits - std::countl_zero(n.words.back());  // above the highest
  const std::int32_t last = std::max(top - kMantissaBits, kLowestExponent);
  const auto bit = [&](std::int32_t at) {
    const std::int32_t word = floor_words(at) - n.low;
    return word >= 0 && word < count ? n.words[static_cast<std::size_t>(word)] >> (at & 63) & 1 : 0;
  };
  std::uint64_t mantissa = 0;
  for (std::int32_t at = top - 1; at >= last; --at) mantissa = mantissa << 1 | bit(at);
  bool rest = false;
  for (std::int32_t at = n.low * kWordBits; at < last - 1 && !rest; ++at) rest = bit(at) != 0;
  if (bit(last - 1) != 0 && (rest || (mantissa & 1) != 0)) ++mantissa;
  const double magnitude = std::ldexp(static_cast<double>(mantissa), last);
  return negative() ? -magnitude : magnitude;
}

}  // namespace sluice
