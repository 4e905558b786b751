#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The rest of a text that is being read from left to right. Every reader either takes what it wants or leaves
// the cursor unusable for more (the callers give up at the first nullopt).
struct TextCursor {
  const char* at;
  const char* end;

  explicit TextCursor(std::string_view text) : at(text.data()), end(text.data() + text.size()) {}

  bool done() const { return at == end; }
  bool next_is(char c) const { return at != end && *at == c; }
  bool take(char c) {
    if (!next_is(c)) return false;
    ++at;
    return true;
  }

  // Between `least` and `most` decimal digits (at most 9) as a number.
  std::optional<int> number(int least, int most) {
    int value = 0;
    int digits = 0;
    while (digits < most && at != end && is_digit(*at)) {
      value = value * 10 + (*at - '0');
      ++digits;
      ++at;
    }
    if (digits < least) return std::nullopt;
    return value;
  }

  // The digits of a fraction of a second, one at least; what is finer than a microsecond is cut.
  std::optional<int> fraction_us() {
    int value = 0;
    int digits = 0;
    for (; at != end && is_digit(*at); ++at, ++digits) {
      if (digits < 6) value = value * 10 + (*at - '0');
    }
    if (digits == 0) return std::nullopt;
    for (; digits < 6; ++digits) value *= 10;
    return value;
  }

  // Z, z, ±hh:mm, ±hhmm or ±hh as microseconds east of UTC.
  std::optional<std::int64_t> zone_us();
};

}  // namespace sluice
