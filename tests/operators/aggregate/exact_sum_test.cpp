#include "operators/aggregate/exact_sum.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace sluice {
namespace {

FloatSum sum_of(const std::vector<double>& values) {
  FloatSum sum;
  for (const double v : values) sum.add(v);
  return sum;
}

TEST_CASE("A small number between two large ones that cancel is not lost") {
  CHECK(sum_of({1e16, 1.0, -1e16}).sum() == 1.0);
  CHECK(sum_of({1.0, 1e16, -1e16}).sum() == 1.0);
  CHECK(sum_of({1e16, -1e16, 1.0}).sum() == 1.0);
}

TEST_CASE("A million tenths are a hundred thousand") {
  FloatSum sum;
  for (int i = 0; i < 1'000'000; ++i) sum.add(0.1);
  CHECK(sum.sum() == 100000.0);
  CHECK(sum.average() == 0.1);
}

TEST_CASE("Infinities and NaN give what IEEE 754 gives, in every order") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(sum_of({1, inf, 2}).sum() == inf);
  CHECK(sum_of({inf, 1, inf}).average() == inf);
  CHECK(sum_of({-inf, 1}).sum() == -inf);
  CHECK(std::isnan(sum_of({inf, -inf}).sum()));
  CHECK(std::isnan(sum_of({-inf, 3, inf}).sum()));
  CHECK(std::isnan(sum_of({nan, inf}).sum()));
  CHECK(sum_of({1e308, 1e308}).sum() == inf);
}

TEST_CASE("Integer averages are exact where the quotient is, and rounded once where it is not") {
  IntegerSum sum;
  for (const std::int64_t v : {INT64_MAX, INT64_MAX, INT64_MAX}) sum.add(v);
  CHECK_FALSE(sum.fits());
  CHECK(sum.average() == 9223372036854775807.0);
  IntegerSum thirds;
  for (const std::int64_t v : {1, 0, 0}) thirds.add(v);
  CHECK(thirds.average() == 1.0 / 3.0);
  IntegerSum negative;
  for (const std::int64_t v : {INT64_MIN, INT64_MIN}) negative.add(v);
  CHECK(negative.average() == -0x1p63);
}

}  // namespace
}  // namespace sluice
