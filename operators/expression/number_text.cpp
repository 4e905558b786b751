#include "operators/expression/number_text.hpp"
#include "operators/expression/char_class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace sluice::expression {
namespace {

bool equals_in_any_case(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
         });
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return equals_in_any_case(text, w); });
}

// Without a plus, which from_chars does not know; a second sign stays an error.
std::string_view without_plus(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return plus ? text.substr(1) : text;
}

// 10^0 … 10^22: the powers of ten that a double holds exactly.
constexpr auto kExactPowers = [] {
  std::array<double, 23> powers{};
  double power = 1;
  for (double& p : powers) {
    p = power;
    power *= 10;
  }
  return powers;
}();

// Rounds the shortest decimal form digit by digit.
double round_digits(double value, std::int64_t digits) {
  char text[64];
  const double magnitude = std::fabs(value);
  const auto end = std::to_chars(text, text + sizeof text, magnitude, std::chars_format::scientific).ptr;
  const char* e = std::find(text, end, 'e');
  int exponent = 0;
  std::from_chars(e + 1 + (e[1] == '+' ? 1 : 0), end, exponent);
  std::string significant(1, text[0]);
  if (e - text > 2) significant.append(text + 2, static_cast<std::size_t>(e - text - 2));
  // The value is 0.significant × 10^(exponent + 1); `kept` of its digits stand before the place of rounding.
  const std::int64_t kept = exponent + 1 + digits;
  if (kept >= static_cast<std::int64_t>(significant.size())) return value;
  if (kept < 0) return std::copysign(0.0, value);
  const bool up = significant[static_cast<std::size_t>(kept)] >= '5';
  significant.resize(static_cast<std::size_t>(kept));
  significant.insert(significant.begin(), '0');  // room for a carry
  for (std::size_t i = significant.size(); up && i-- > 0;) {
    if (significant[i] != '9') {
      ++significant[i];
      break;
    }
    significant[i] = '0';
  }
  const std::string rounded = fmt::format("{}e{}", significant, -digits);
  double result = 0;
  const auto parsed = std::from_chars(rounded.data(), rounded.data() + rounded.size(), result);
  if (parsed.ec != std::errc()) return value;  // 1.7976931348623157e308 rounded up would not fit
  return std::copysign(result, value);
}

}  // namespace

std::string_view without_space(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> parse_int64(std::string_view text) {
  text = without_plus(without_space(text));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_float64(std::string_view text) {
  text = without_plus(without_space(text));
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // from_chars also reads "nan(…)", which nothing else calls a number.
  if (error != std::errc() || end != text.data() + text.size() || text.back() == ')') return std::nullopt;
  return value;
}

std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"true", "t", "yes", "y", "on", "1"};
  constexpr std::array<std::string_view, 6> kFalse = {"false", "f", "no", "n", "off", "0"};
  text = without_space(text);
  if (is_one_of(text, kTrue)) return true;
  if (is_one_of(text, kFalse)) return false;
  return std::nullopt;
}

std::optional<std::int64_t> round_to_int64(double value) {
  const double rounded = std::round(value);
  // 2^63 is a double and does not fit; -2^63 is one and does. NaN fails both comparisons.
  if (!(rounded >= -0x1p63 && rounded < 0x1p63)) return std::nullopt;
  return static_cast<std::int64_t>(rounded);
}

double round_decimal(double value, std::int64_t digits) {
  if (!std::isfinite(value) || value == 0) return value;
  if (digits > 330) return value;
  if (digits < -330) return std::copysign(0.0, value);
  if (digits >= 0 && digits < static_cast<std::int64_t>(kExactPowers.size())) {
    const double power = kExactPowers[static_cast<std::size_t>(digits)];
    const double scaled = std::fabs(value) * power;
    // Below 2^44 the product is off by less than 2^-9 of a unit in the last place kept; far enough from a
    // half that cannot matter, and whole / power, both exact, is the nearest double.
    if (scaled < 0x1p43) {
      const double whole = std::floor(scaled);
      const double part = scaled - whole;
      if (std::fabs(part - 0.5) > 0x1p-8)
        return std::copysign((part > 0.5 ? whole + 1 : whole) / power, value);
    }
  }
  return round_digits(value, digits);
}

std::size_t write_int64(char* out, std::int64_t value) {
  return static_cast<std::size_t>(std::to_chars(out, out + kNumberMaxBytes, value).ptr - out);
}

std::size_t write_float64(char* out, double value) {
  return static_cast<std::size_t>(fmt::format_to(out, "{}", value) - out);
}

}  // namespace sluice::expression
