#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operators/expression/source_text.hpp"

namespace sluice::expression {

enum class TokenKind { end, integer, real, text, word, quoted_name, symbol };

struct Token {
  TokenKind kind = TokenKind::end;
  Span span;
  std::string text;  // quotes and their doubling taken away; a symbol's spelling (!= becomes <>)
  std::string word;  // a word in lower case, else empty: keywords and functions are known in any case
};

// Longer expressions are machine-made and belong into data.
inline constexpr std::size_t kMaxExpressionBytes = 256 * 1024;

// The whole text as tokens, with one of kind `end` behind them. Throws CompileError.
std::vector<Token> tokenize(std::string_view text);

}  // namespace sluice::expression
