#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

// Values as what they are told apart and ordered by. Words of 64 bits stand for all types but text.

// A double as a word that is ordered as min and max order doubles: NaN above all numbers, every NaN the same,
// -0.0 below 0.0.
std::int64_t ordered_word(double value);
double double_of_ordered(std::int64_t word);

// The same for equal values, as grouping sees them: -0.0 is 0.0. Ordered as the values are.
inline std::int64_t value_key(std::int64_t value) { return value; }
inline std::int64_t value_key(bool value) { return value ? 1 : 0; }
inline std::int64_t value_key(double value) { return ordered_word(value == 0 ? 0.0 : value); }
inline std::string_view value_key(std::string_view value) { return value; }

}  // namespace sluice
