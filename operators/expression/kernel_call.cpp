#include "operators/expression/kernel_call.hpp"

#include <cstring>

#include "operators/expression/utf8.hpp"

namespace sluice::expression {

std::uint8_t* Register::start_validity(std::uint32_t rows) {
  if (!has_nulls) {
    validity.reserve(rows);
    std::memset(validity.data(), 1, rows);
    has_nulls = true;
  }
  return reinterpret_cast<std::uint8_t*>(validity.data());
}

std::string quoted_value(std::string_view text) {
  constexpr std::size_t kShownBytes = 60;
  std::string out = "\"";
  std::size_t at = 0;
  while (at < text.size() && at < kShownBytes) {
    const std::size_t bytes = code_point_bytes(text, at);
    const auto first = static_cast<unsigned char>(text[at]);
    const bool readable = bytes > 1 || (first >= 0x20 && first < 0x7f);
    if (readable) {
      out += text.substr(at, bytes);
    } else {
      out += '?';
    }
    at += bytes;
  }
  out += at < text.size() ? "\"..." : "\"";
  return out;
}

}  // namespace sluice::expression
