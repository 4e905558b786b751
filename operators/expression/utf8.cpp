#include "operators/expression/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace sluice::expression {
namespace {

constexpr bool is_continuation(unsigned char c) { return (c & 0xc0) == 0x80; }

// The second byte's range excludes overlong forms, surrogates and what lies beyond U+10FFFF (Unicode, table
// 3-7).
constexpr bool second_byte_fits(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xe0:
      return second >= 0xa0 && second <= 0xbf;
    case 0xed:
      return second >= 0x80 && second <= 0x9f;
    case 0xf0:
      return second >= 0x90 && second <= 0xbf;
    case 0xf4:
      return second >= 0x80 && second <= 0x8f;
    default:
      return is_continuation(second);
  }
}

constexpr std::size_t sequence_bytes(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  if (first < 0xf5) return 4;
  return 0;
}

// Length of the stretch of ASCII from `at`, in whole words.
std::size_t ascii_words(std::string_view text, std::size_t at) {
  const std::size_t from = at;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if ((word & 0x8080808080808080u) != 0) break;
  }
  return at - from;
}

}  // namespace

std::size_t code_point_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = sequence_bytes(byte(at));
  if (bytes <= 1) return 1;
  if (at + bytes > text.size() || !second_byte_fits(byte(at), byte(at + 1))) return 1;
  for (std::size_t i = 2; i < bytes; ++i) {
    if (!is_continuation(byte(at + i))) return 1;
  }
  return bytes;
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    const std::size_t ascii = ascii_words(text, at);
    at += ascii;
    count += ascii;
    if (at == text.size()) break;
    at += code_point_bytes(text, at);
  }
  return count;
}

std::size_t skip_code_points(std::string_view text, std::size_t from, std::size_t count) {
  std::size_t at = from;
  for (; count > 0 && at < text.size(); --count) at += code_point_bytes(text, at);
  return at;
}

char* put_code_point(char* out, char32_t code_point) {
  const auto put = [&](char32_t byte) { *out++ = static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    put(0xe0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3f));
    put(0x80 | (code_point & 0x3f));
  } else {
    put(0xf0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3f));
    put(0x80 | ((code_point >> 6) & 0x3f));
    put(0x80 | (code_point & 0x3f));
  }
  return out;
}

}  // namespace sluice::expression
