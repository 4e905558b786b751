#pragma once

#include <cstdint>

namespace sluice {

// The rank of the p-quantile of n values: ⌈p · n⌉, at least 1, so that p = 0 is the smallest value and p = 1
// the largest. p is the decimal number that a user wrote, 0 … 1, not the double beside it: the rank is exact,
// 7 of 100 for 0.07, where the product of doubles is above 7.
class NearestRank {
 public:
  NearestRank() = default;
  explicit NearestRank(double p);
  // 1 … n, for n ≥ 1.
  std::uint64_t of(std::uint64_t n) const;

 private:
  // p = digits / 10^scale
  std::uint64_t digits_ = 0;
  std::uint32_t scale_ = 0;
};

}  // namespace sluice
