#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::expression {

// Bytes of the code point that begins at `text[at]`. A byte that begins no valid sequence counts as one code
// point of its own, so every text has a length and nothing can be read beyond its end.
std::size_t code_point_bytes(std::string_view text, std::size_t at);

std::size_t count_code_points(std::string_view text);

// The byte offset after `count` code points from byte `from` on, or text.size() if there are fewer.
std::size_t skip_code_points(std::string_view text, std::size_t from, std::size_t count);

// Appends the code point's UTF-8 form (1 to 4 bytes) to `out`, which has room; returns the end.
char* put_code_point(char* out, char32_t code_point);

}  // namespace sluice::expression
