#include <algorithm>

#include "operators/time/calendar.hpp"
#include "operators/time/text_cursor.hpp"
#include "operators/time/time_text.hpp"

namespace sluice {
namespace {

// A decimal number as the text spells it: its digits in place, and where the point stands after the exponent
// is applied.
struct Decimal {
  bool negative = false;
  std::string_view whole;     // digits before the point
  std::string_view fraction;  // digits behind it
  int exponent = 0;

  char digit(std::size_t i) const {
    if (i < whole.size()) return whole[i];
    i -= whole.size();
    return i < fraction.size() ? fraction[i] : '0';
  }
};

std::string_view take_digits(TextCursor& cursor) {
  const char* from = cursor.at;
  while (!cursor.done() && is_digit(*cursor.at)) ++cursor.at;
  return {from, static_cast<std::size_t>(cursor.at - from)};
}

std::optional<Decimal> read_decimal(std::string_view text) {
  TextCursor cursor(text);
  Decimal decimal;
  if (cursor.take('-')) {
    decimal.negative = true;
  } else {
    cursor.take('+');
  }
  decimal.whole = take_digits(cursor);
  if (cursor.take('.')) decimal.fraction = take_digits(cursor);
  if (decimal.whole.empty() && decimal.fraction.empty()) return std::nullopt;
  if (cursor.take('e') || cursor.take('E')) {
    const bool negative = cursor.take('-');
    if (!negative) cursor.take('+');
    const auto exponent = cursor.number(1, 4);
    if (!exponent) return std::nullopt;
    decimal.exponent = negative ? -*exponent : *exponent;
  }
  if (!cursor.done()) return std::nullopt;
  return decimal;
}

bool any_nonzero(const Decimal& decimal, std::size_t from) {
  const std::size_t digits = decimal.whole.size() + decimal.fraction.size();
  for (std::size_t i = from; i < digits; ++i) {
    if (decimal.digit(i) != '0') return true;
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> parse_epoch_us(std::string_view text, int unit_digits) {
  const auto decimal = read_decimal(text);
  if (!decimal) return std::nullopt;
  const auto whole_digits = static_cast<std::int64_t>(decimal->whole.size());
  const std::int64_t wanted = std::max<std::int64_t>(0, whole_digits + decimal->exponent + unit_digits);
  std::int64_t us = 0;
  std::int64_t taken = 0;
  for (; taken < wanted; ++taken) {
    us = us * 10 + (decimal->digit(static_cast<std::size_t>(taken)) - '0');
    if (us > kMaxTextUs) return std::nullopt;
    if (us == 0 && static_cast<std::size_t>(taken) >= decimal->whole.size() + decimal->fraction.size()) break;
  }
  // A point left of all digits (1e-9 s) cuts every digit, so the search for what was cut starts at the first.
  if (decimal->negative) us = -us - (any_nonzero(*decimal, static_cast<std::size_t>(taken)) ? 1 : 0);
  if (us < kMinTextUs) return std::nullopt;
  return us;
}

}  // namespace sluice
