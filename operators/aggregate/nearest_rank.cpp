#include "operators/aggregate/nearest_rank.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "operators/aggregate/wide_sum.hpp"

namespace sluice {

NearestRank::NearestRank(double p) {
  // The shortest decimal number that reads back as p: digits, a point after the first, an exponent.
  std::array<char, 32> text;
  const char* end =
      std::to_chars(text.data(), text.data() + text.size(), p, std::chars_format::scientific).ptr;
  int exponent = 0;
  for (const char* c = text.data(); c < end; ++c) {
    if (*c == 'e') {
      std::from_chars(c + (c[1] == '+' ? 2 : 1), end, exponent);
      break;
    }
    if (*c == '.') continue;
    digits_ = digits_ * 10 + static_cast<std::uint64_t>(*c - '0');
    if (c > text.data()) ++scale_;
  }
  scale_ = static_cast<std::uint32_t>(std::max(0, static_cast<int>(scale_) - exponent));
}

std::uint64_t NearestRank::of(std::uint64_t n) const {
  // 17 digits and 64 bits make less than 10^37: below a scale of that the rank is 1.
  constexpr std::uint32_t kLargestScale = 37;
  if (digits_ == 0 || scale_ > kLargestScale) return 1;
  UInt128 divisor = 1;
  for (std::uint32_t i = 0; i < scale_; ++i) divisor *= 10;
  const UInt128 product = static_cast<UInt128>(digits_) * n;
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>((product + divisor - 1) / divisor), 1, n);
}

}  // namespace sluice
