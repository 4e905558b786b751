#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice {

// Length of the valid UTF-8 character at the start of `text` (1 to 4), or 0 if its first byte starts none:
// overlong forms, surrogates and what lies beyond U+10FFFF are not valid. `text` is not empty.
std::size_t utf8_character(std::string_view text);

bool is_utf8(std::string_view text);

// Appends `text` with U+FFFD in place of each byte that belongs to no valid character.
void append_utf8(std::string& out, std::string_view text);

}  // namespace sluice
