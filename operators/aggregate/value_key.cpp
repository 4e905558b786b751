#include "operators/aggregate/value_key.hpp"

#include <bit>
#include <cmath>

namespace sluice {

std::int64_t ordered_word(double value) {
  if (std::isnan(value)) return INT64_MAX;
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

double double_of_ordered(std::int64_t word) {
  return std::bit_cast<double>(word < 0 ? word ^ INT64_MAX : word);
}

}  // namespace sluice
