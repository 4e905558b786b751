#include "engine/graph/json_scanner.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string show_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte > 0x20 && byte < 0x7F)
    return fmt::format("\"{}\"", c == '"' ? std::string("\\\"") : std::string(1, c));
  return fmt::format("the byte 0x{:02x}", byte);
}

void append_utf8_of(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | code >> 6U), put(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    put(0xE0U | code >> 12U), put(0x80U | (code >> 6U & 0x3FU)), put(0x80U | (code & 0x3FU));
  } else {
    put(0xF0U | code >> 18U), put(0x80U | (code >> 12U & 0x3FU)), put(0x80U | (code >> 6U & 0x3FU));
    put(0x80U | (code & 0x3FU));
  }
}

// Length of the well-formed UTF-8 sequence at the start of `text` (Unicode, table 3-7), 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

JsonScanner::JsonScanner(std::string_view text, std::size_t max_depth) : input_(text), max_depth_(max_depth) {
  if (input_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark says nothing here
}

JsonScanner::Token JsonScanner::next() {
  if (failure_ != Failure::none) return {Kind::error, failed_at_, failed_at_};
  skip_space();
  const char c = at_ < input_.size() ? input_[at_] : '\0';
  switch (expect_) {
    case Expect::first_value_or_end:
      return c == ']' ? close(']') : value();
    case Expect::value:
      return value();
    case Expect::first_key_or_end:
      return c == '}' ? close('}') : key();
    case Expect::key:
      return key();
    case Expect::comma_or_end:
      return after_value();
    case Expect::end_of_text:
      break;
  }
  if (at_ < input_.size())
    return fail(at_, fmt::format("{} follows the end of the document", show_byte(input_[at_])));
  return {Kind::end, at_, at_};
}

JsonScanner::Token JsonScanner::value() {
  if (at_ == input_.size()) return unexpected("a value");
  const char c = input_[at_];
  if (c == '{') return begin(Kind::begin_object);
  if (c == '[') return begin(Kind::begin_array);
  if (c == '"') return string(Kind::string);
  if (c == '-' || is_digit(c)) return number();
  return word();
}

JsonScanner::Token JsonScanner::begin(Kind kind) {
  if (open_.size() == max_depth_) {
    return fail(at_, fmt::format("the document is nested deeper than {} levels", max_depth_),
                Failure::too_deep);
  }
  open_ += input_[at_];
  expect_ = kind == Kind::begin_object ? Expect::first_key_or_end : Expect::first_value_or_end;
  ++at_;
  return {kind, at_ - 1, at_};
}

JsonScanner::Token JsonScanner::close(char bracket) {
  open_.pop_back();
  ++at_;
  value_is_complete();
  return {bracket == '}' ? Kind::end_object : Kind::end_array, at_ - 1, at_};
}

JsonScanner::Token JsonScanner::key() {
  if (at_ == input_.size() || input_[at_] != '"') return unexpected("a key in double quotes");
  const Token token = string(Kind::key);
  if (token.kind == Kind::error) return token;
  skip_space();
  if (!colon()) return unexpected("\":\" after the key");
  expect_ = Expect::value;
  return token;
}

JsonScanner::Token JsonScanner::string(Kind kind) {
  const std::size_t start = at_++;
  text_value_.clear();
  while (true) {
    if (at_ == input_.size()) return fail(start, "the string has no closing quote");
    const char c = input_[at_];
    if (c == '"') break;
    if (static_cast<unsigned char>(c) < 0x20) {
      return fail(at_, c == '\n' ? "the string has no closing quote on its line (a line break is written \\n)"
                                 : fmt::format("{} stands unescaped in a string", show_byte(c)));
    }
    if (!(c == '\\' ? append_escape() : append_utf8())) return {Kind::error, failed_at_, failed_at_};
  }
  ++at_;
  if (kind == Kind::string) value_is_complete();
  return {kind, start, at_};
}

JsonScanner::Token JsonScanner::number() {
  const std::size_t start = at_;
  const auto digits = [&] {
    const std::size_t first = at_;
    while (at_ < input_.size() && is_digit(input_[at_])) ++at_;
    return at_ > first;
  };
  const auto accept = [&](std::string_view any) {
    if (at_ == input_.size() || any.find(input_[at_]) == std::string_view::npos) return false;
    return ++at_, true;
  };
  accept("-");
  const std::size_t whole = at_;
  if (!digits()) return unexpected("a digit");
  if (input_[whole] == '0' && at_ > whole + 1) return fail(whole, "a number starts with a needless 0");
  if (accept(".") && !digits()) return unexpected("a digit after the decimal point");
  if (accept("eE")) {
    accept("+-");
    if (!digits()) return unexpected("a digit of the exponent");
  }
  value_is_complete();
  return {Kind::number, start, at_};
}

JsonScanner::Token JsonScanner::word() {
  constexpr std::pair<std::string_view, Kind> kWords[] = {
      {"true", Kind::true_value}, {"false", Kind::false_value}, {"null", Kind::null_value}};
  for (const auto& [name, kind] : kWords) {
    if (!input_.substr(at_).starts_with(name)) continue;
    const std::size_t start = at_;
    at_ += name.size();
    value_is_complete();
    return {kind, start, at_};
  }
  return unexpected("a value");
}

JsonScanner::Token JsonScanner::after_value() {
  const char bracket = in_object() ? '}' : ']';
  if (at_ < input_.size() && input_[at_] == bracket) return close(bracket);
  if (at_ == input_.size() || input_[at_] != ',') {
    return unexpected(fmt::format("\",\" or \"{}\"", bracket));
  }
  ++at_;
  skip_space();
  if (at_ < input_.size() && input_[at_] == bracket) {
    return fail(at_,
                fmt::format("\"{}\" follows a comma: the last item of a list or object has none", bracket));
  }
  return in_object() ? key() : value();
}

JsonScanner::Token JsonScanner::fail(std::size_t offset, std::string message, Failure failure) {
  failure_ = failure;
  message_ = std::move(message);
  failed_at_ = offset;
  return {Kind::error, offset, offset};
}

JsonScanner::Token JsonScanner::unexpected(std::string_view expected) {
  if (at_ >= input_.size()) return fail(at_, fmt::format("the document ends where {} is expected", expected));
  return fail(at_, fmt::format("{} stands where {} is expected", show_byte(input_[at_]), expected));
}

void JsonScanner::skip_space() {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (at_ < input_.size() && is_space(input_[at_])) ++at_;
}

bool JsonScanner::colon() {
  if (at_ == input_.size() || input_[at_] != ':') return false;
  return ++at_, true;
}

void JsonScanner::value_is_complete() {
  expect_ = open_.empty() ? Expect::end_of_text : Expect::comma_or_end;
}

bool JsonScanner::append_escape() {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  const std::size_t start = at_++;
  const char c = at_ < input_.size() ? input_[at_++] : '\0';
  if (c == 'u') return append_code_point();
  const std::size_t i = kNames.find(c);
  if (i == std::string_view::npos || c == '\0') {
    return fail(
               start,
               "a backslash is followed by none of \" \\ / b f n r t u (a backslash itself is written \\\\)"),
           false;
  }
  text_value_ += kValues[i];
  return true;
}

bool JsonScanner::append_code_point() {
  const std::size_t start = at_ - 2;
  std::uint32_t code = 0;
  if (!four_hex_digits(code)) return false;
  if (code >= 0xD800 && code <= 0xDBFF && input_.substr(at_).starts_with("\\u")) {
    std::uint32_t low = 0;
    at_ += 2;
    if (!four_hex_digits(low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return fail(start, "half of a surrogate pair stands alone"), false;
    code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
  } else if (code >= 0xD800 && code <= 0xDFFF) {
    return fail(start, "half of a surrogate pair stands alone"), false;
  }
  append_utf8_of(text_value_, code);
  return true;
}

bool JsonScanner::append_utf8() {
  const std::size_t length = utf8_length(input_.substr(at_));
  if (length == 0) return fail(at_, fmt::format("{} is not valid UTF-8", show_byte(input_[at_]))), false;
  text_value_.append(input_, at_, length);
  at_ += length;
  return true;
}

bool JsonScanner::four_hex_digits(std::uint32_t& value) {
  for (int i = 0; i < 4; ++i) {
    const char c = at_ < input_.size() ? input_[at_] : '\0';
    const std::size_t digit = std::string_view("0123456789abcdef0123456789ABCDEF").find(c);
    if (digit == std::string_view::npos || c == '\0')
      return fail(at_, "\\u is followed by four hexadecimal digits"), false;
    value = value * 16 + static_cast<std::uint32_t>(digit % 16);
    ++at_;
  }
  return true;
}

}  // namespace sluice
