#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace sluice {

// Quantities are written with their unit and nothing else: "250ms", "64KiB", "1000/s". Each parser accepts
// one number (a decimal fraction is allowed where the result is a whole number of the base unit) followed by
// one unit, refuses signs, spaces, exponents and anything that does not fit, and says what it takes.

// us ms s m h d → microseconds. "0s" is allowed; a bare "0" is not.
Result<std::int64_t> parse_duration_us(std::string_view text);
// Like the above with a leading minus allowed ("-5m"): for bounds relative to another time.
Result<std::int64_t> parse_signed_duration_us(std::string_view text);
// B KiB MiB GiB (and KB MB GB as powers of ten) → bytes.
Result<std::uint64_t> parse_size_bytes(std::string_view text);
// "1000/s" "60/m" "10/ms" → records per second; "max" → +infinity.
Result<double> parse_rate_per_second(std::string_view text);

// The shortest exact form, e.g. 90 s → "90s", 60 s → "1m".
std::string format_duration_us(std::int64_t us);
// "1.5 MiB", three significant digits: for people.
std::string format_bytes(std::uint64_t bytes);
// "4.82 million", "12,345": for people.
std::string format_count(std::uint64_t count);

}  // namespace sluice
