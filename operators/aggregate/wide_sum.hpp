#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/int128.hpp"

namespace sluice {

// A number that is not negative, as wide as it needs to be: words[i] · 2^(64 (low + i)), lowest first.
struct WideNatural {
  std::vector<std::uint64_t> words;
  std::int32_t low = 0;

  WideNatural() = default;
  explicit WideNatural(UInt128 value);
  bool zero() const { return words.empty(); }
};

WideNatural operator*(const WideNatural& a, const WideNatural& b);
// a ≥ b
WideNatural operator-(const WideNatural& a, const WideNatural& b);

// (high + low) · 2^exponent, high in [1, 2) or 0, high the double nearest to the sum.
struct ScaledPair {
  double high = 0;
  double low = 0;
  std::int32_t exponent = 0;
};
// The first 106 bits; what follows is cut off.
ScaledPair leading(const WideNatural& value);

// The exact sum of any numbers m · 2^e: a fixed-point number in two's complement that grows at either end
// with what it has to hold, so that neither order nor grouping of the addends makes a difference. For doubles
// it has at most 34 words, for products of two of them 67; values of like size need two or three. An addend
// costs a few additions of words, and none is ever rounded. One thread.
class WideSum {
 public:
  // Adds magnitude · 2^exponent, or subtracts it.
  void add(UInt128 magnitude, std::int32_t exponent, bool negative);
  void add(double value);         // finite
  void add_square(double value);  // value², finite value
  void add(const WideSum& other);

  bool negative() const { return !words_.empty() && sign_of(words_.back()) != 0; }
  WideNatural magnitude() const;
  // Rounded once, to the nearest double, ties to even; an infinity if it is beyond all doubles.
  double value() const;

  std::size_t heap_bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

 private:
  static std::uint64_t sign_of(std::uint64_t word) { return word >> 63 != 0 ? ~std::uint64_t{0} : 0; }
  // Makes words for low … low + count − 1.
  void cover(std::int32_t low, std::size_t count);
  // Adds a number in two's complement whose lowest word is at or above low_, and which ends inside.
  void add_words(std::span<const std::uint64_t> addend, std::int32_t low);

  std::vector<std::uint64_t> words_;  // lowest first; the highest holds the sign
  std::int32_t low_ = 0;
};

}  // namespace sluice
