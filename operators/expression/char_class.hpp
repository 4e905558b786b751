#pragma once

namespace sluice::expression {

// ASCII classes, whatever the locale. JSON's white space is narrower and is json_text's own.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace sluice::expression
