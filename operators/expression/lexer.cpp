#include "operators/expression/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "operators/expression/char_class.hpp"
#include "operators/expression/utf8.hpp"

namespace sluice::expression {
namespace {

constexpr bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
constexpr bool continues_word(char c) { return begins_word(c) || is_digit(c) || c == '$'; }

constexpr std::array<std::string_view, 5> kTwoByteSymbols = {"<>", "!=", "<=", ">=", "||"};
constexpr std::string_view kOneByteSymbols = "+-*/%=<>(),";

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (skip_space(), at_ < text_.size()) tokens.push_back(next());
    tokens.push_back({TokenKind::end, span_from(at_), "", ""});
    return tokens;
  }

 private:
  bool has(std::size_t i) const { return i < text_.size(); }
  char peek(std::size_t ahead = 0) const { return has(at_ + ahead) ? text_[at_ + ahead] : '\0'; }
  Span span_from(std::size_t begin) const {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  Token next() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '\'') return quoted(TokenKind::text, "text", "'");
    if (c == '"') return quoted(TokenKind::quoted_name, "column name", "\"");
    if (begins_word(c)) return word();
    return symbol();
  }

  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }

  Token number() {
    const std::size_t begin = at_;
    TokenKind kind = TokenKind::integer;
    skip_digits();
    if (peek() == '.') {
      kind = TokenKind::real;
      ++at_;
      skip_digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (is_digit(peek(1 + sign))) {
        kind = TokenKind::real;
        at_ += 1 + sign;
        skip_digits();
      }
    }
    if (has(at_) && (continues_word(peek()) || peek() == '.')) {
      refuse(ErrorCode::bad_expression, span_from(begin),
             "a number must not run into letters or a second point");
    }
    return {kind, span_from(begin), std::string(text_.substr(begin, at_ - begin)), ""};
  }

  Token quoted(TokenKind kind, std::string_view what, std::string_view quote) {
    const std::size_t begin = at_++;
    std::string content;
    for (;;) {
      const std::size_t close = text_.find(quote[0], at_);
      if (close == std::string_view::npos) {
        refuse(ErrorCode::bad_expression, span_from(begin),
               fmt::format("the {} that begins here has no closing {}", what, quote));
      }
      content += text_.substr(at_, close - at_);
      at_ = close + 1;
      if (peek() != quote[0]) break;
      content += quote;
      ++at_;
    }
    if (kind == TokenKind::quoted_name && content.empty()) {
      refuse(ErrorCode::bad_expression, span_from(begin),
             "a column name in double quotes must not be empty; text is written in single quotes");
    }
    return {kind, span_from(begin), std::move(content), ""};
  }

  Token word() {
    const std::size_t begin = at_;
    while (has(at_) && continues_word(peek())) ++at_;
    Token token{TokenKind::word, span_from(begin), std::string(text_.substr(begin, at_ - begin)), ""};
    token.word = token.text;
    for (char& c : token.word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    return token;
  }

  Token symbol() {
    const std::size_t begin = at_;
    const std::string_view two = text_.substr(at_, 2);
    if (std::find(kTwoByteSymbols.begin(), kTwoByteSymbols.end(), two) != kTwoByteSymbols.end()) {
      at_ += 2;
      return {TokenKind::symbol, span_from(begin), two == "!=" ? "<>" : std::string(two), ""};
    }
    if (kOneByteSymbols.find(peek()) == std::string_view::npos) refuse_symbol();
    ++at_;
    return {TokenKind::symbol, span_from(begin), std::string(1, text_[begin]), ""};
  }

  [[noreturn]] void refuse_symbol() {
    const std::string_view shown = text_.substr(at_, code_point_bytes(text_, at_));
    std::string sentence;
    if (text_.substr(at_, 2) == "&&") {
      sentence = "\"&&\" is written \"and\" here";
    } else if (peek() == '!') {
      sentence = "\"!\" is written \"not\" here";
    } else if (static_cast<unsigned char>(peek()) < 0x20) {
      sentence = fmt::format("the expression holds the control character {:#04x}",
                             static_cast<unsigned char>(peek()));
    } else {
      sentence = fmt::format("\"{}\" means nothing here", shown);
    }
    refuse(ErrorCode::bad_expression, span_from(at_), std::move(sentence));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  if (text.size() > kMaxExpressionBytes) {
    refuse(
        ErrorCode::bad_expression, {0, 0},
        fmt::format("the expression has {} bytes; at most {} are allowed", text.size(), kMaxExpressionBytes));
  }
  return Lexer(text).run();
}

}  // namespace sluice::expression
