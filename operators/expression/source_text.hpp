#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/error.hpp"

namespace sluice::expression {

// A stretch of the expression's text, in bytes.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

constexpr Span join(Span a, Span b) { return {a.begin, b.end}; }

// What is wrong with an expression, and where. Thrown by the lexer, the parser and the binder, because it
// ends all of them at any depth; Expression::compile catches it, and nothing else of this folder lets it out.
struct CompileError {
  ErrorCode code;
  std::string sentence;
  Span span;
};

[[noreturn]] inline void refuse(ErrorCode code, Span span, std::string sentence) {
  throw CompileError{code, std::move(sentence), span};
}

// The sentence, the line of the expression that holds the place, and a caret below it. A long line is cut
// around the place; code points count as one column each.
std::string with_caret(std::string_view text, const CompileError& error);

}  // namespace sluice::expression
