#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::expression {

// Numbers and truth values as text, for casts. Readers accept white space around the value, as PostgreSQL's
// do, and nothing else.
std::string_view without_space(std::string_view text);
std::optional<std::int64_t> parse_int64(std::string_view text);  // sign and digits
std::optional<double> parse_float64(std::string_view text);      // also nan, inf and infinity in any case
std::optional<bool> parse_bool(std::string_view text);  // true t yes y on 1, false f no n off 0, in any case

// Halves away from zero; nullopt for NaN and what does not fit.
std::optional<std::int64_t> round_to_int64(double value);

// The double nearest to `value` rounded to `digits` decimal places, halves away from zero, where `value`
// stands for the shortest decimal that reads back as it: round_decimal(2.675, 2) is 2.68 although the double
// is a little less than 2.675.
double round_decimal(double value, std::int64_t digits);

inline constexpr std::size_t kNumberMaxBytes = 32;
// Into `out`, which has room for kNumberMaxBytes; the number of bytes. Floats in the shortest form that reads
// back the same.
std::size_t write_int64(char* out, std::int64_t value);
std::size_t write_float64(char* out, double value);

}  // namespace sluice::expression
