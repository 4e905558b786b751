#pragma once

#include <cstddef>
#include <string_view>

namespace sluice {

// How deep a JSON value may nest. Nothing here or downstream recurses, but tools that read our output may.
inline constexpr std::size_t kJsonDepth = 1024;

// One JSON value (RFC 8259) with blanks around it and nothing else, nested at most kJsonDepth deep. Numbers
// may be of any size. Bytes of strings need not be valid UTF-8.
bool is_json(std::string_view text);

// A number by JSON's grammar: no leading zero, no plus, digits around the point.
bool is_json_number(std::string_view text);

// True if `text` nests brackets deeper than kJsonDepth (brackets in strings do not count).
bool nests_too_deep(std::string_view text);

}  // namespace sluice
