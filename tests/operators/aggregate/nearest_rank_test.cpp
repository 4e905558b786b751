#include "operators/aggregate/nearest_rank.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace sluice {
namespace {

TEST_CASE("The nearest rank is the ceiling of p times n, p being the decimal that was written") {
  for (std::uint64_t thousandths = 0; thousandths <= 1000; ++thousandths) {
    const NearestRank rank(std::stod("0." + std::to_string(1000 + thousandths).substr(1)) +
                           (thousandths == 1000 ? 1.0 : 0.0));
    for (std::uint64_t n = 1; n <= 1200; n += n < 50 ? 1 : 37) {
      CAPTURE(thousandths);
      CAPTURE(n);
      CHECK(rank.of(n) == std::max<std::uint64_t>(1, (thousandths * n + 999) / 1000));
    }
  }
  CHECK(NearestRank(0.07).of(100) == 7);  // 0.07 * 100 is above 7 in doubles
  CHECK(NearestRank(0.28).of(25) == 7);
}

TEST_CASE("The ends: p of 0 and 1, tiny and long p, and as many values as can be counted") {
  CHECK(NearestRank().of(5) == 1);
  CHECK(NearestRank(0).of(1) == 1);
  CHECK(NearestRank(1).of(UINT64_MAX) == UINT64_MAX);
  CHECK(NearestRank(1e-300).of(1'000'000) == 1);
  CHECK(NearestRank(1e-6).of(1'000'000) == 1);
  CHECK(NearestRank(1e-6).of(1'000'001) == 2);
  CHECK(NearestRank(0.99999999999999989).of(1000) == 1000);
  CHECK(NearestRank(0.5).of(UINT64_MAX) == UINT64_MAX / 2 + 1);
  CHECK(NearestRank(0.3333333333333333).of(3) == 1);
}

}  // namespace
}  // namespace sluice
