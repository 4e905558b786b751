#include "operators/format/json_text.hpp"

#include <algorithm>
#include <bitset>
#include <cstring>

namespace sluice {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

const char* skip_digits(const char* at, const char* end) {
  while (at < end && is_digit(*at)) ++at;
  return at;
}

// The byte behind a number, or nullptr.
const char* skip_number(const char* at, const char* end) {
  if (at < end && *at == '-') ++at;
  if (at == end || !is_digit(*at)) return nullptr;
  at = *at == '0' ? at + 1 : skip_digits(at, end);
  if (at < end && *at == '.') {
    const char* digits = skip_digits(at + 1, end);
    if (digits == at + 1) return nullptr;
    at = digits;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at < end && (*at == '+' || *at == '-')) ++at;
    const char* digits = skip_digits(at, end);
    if (digits == at) return nullptr;
    at = digits;
  }
  return at;
}

// The byte behind the closing quote, or nullptr; `at` stands behind the opening one.
const char* skip_string(const char* at, const char* end) {
  while (at < end) {
    const char c = *at++;
    if (c == '"') return at;
    if (static_cast<unsigned char>(c) < 0x20) return nullptr;
    if (c != '\\') continue;
    if (at == end) return nullptr;
    const char escape = *at++;
    if (escape == 'u') {
      if (end - at < 4 || !std::all_of(at, at + 4, is_hex)) return nullptr;
      at += 4;
    } else if (std::strchr("\"\\/bfnrt", escape) == nullptr || escape == '\0') {
      return nullptr;
    }
  }
  return nullptr;
}

const char* skip_word(const char* at, const char* end, std::string_view word) {
  const auto left = static_cast<std::size_t>(end - at);
  return std::string_view(at, std::min(left, word.size())) == word ? at + word.size() : nullptr;
}

// Checks a value without recursion: one bit a level says whether it is an object.
class Checker {
 public:
  explicit Checker(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool run() {
    if (!value()) return false;
    while (depth_ > 0) {
      if (!after_value()) return false;
    }
    blanks();
    return at_ == end_;
  }

 private:
  void blanks() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
  }
  bool next_is(char c) {
    blanks();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool key() {
    if (!next_is('"')) return false;
    at_ = skip_string(at_, end_);
    return at_ != nullptr && next_is(':');
  }
  // A scalar, or the opening of containers as far as their first scalar or an empty one.
  bool value() {
    for (;;) {
      blanks();
      if (at_ == end_) return false;
      if (*at_ != '{' && *at_ != '[') return scalar();
      const bool object = *at_++ == '{';
      if (depth_ == kJsonDepth) return false;
      if (next_is(object ? '}' : ']')) return true;
      if (object && !key()) return false;
      objects_[depth_++] = object;
    }
  }
  bool scalar() {
    switch (*at_) {
      case '"':
        at_ = skip_string(at_ + 1, end_);
        break;
      case 't':
        at_ = skip_word(at_, end_, "true");
        break;
      case 'f':
        at_ = skip_word(at_, end_, "false");
        break;
      case 'n':
        at_ = skip_word(at_, end_, "null");
        break;
      default:
        at_ = skip_number(at_, end_);
        break;
    }
    return at_ != nullptr;
  }
  bool after_value() {
    const bool object = objects_[depth_ - 1];
    if (next_is(object ? '}' : ']')) {
      --depth_;
      return true;
    }
    return next_is(',') && (!object || key()) && value();
  }

  const char* at_;
  const char* end_;
  std::size_t depth_ = 0;
  std::bitset<kJsonDepth> objects_;
};

}  // namespace

bool is_json(std::string_view text) { return Checker(text).run(); }

bool is_json_number(std::string_view text) {
  const char* end = text.data() + text.size();
  return skip_number(text.data(), end) == end && !text.empty();
}

bool nests_too_deep(std::string_view text) {
  if (text.size() <= kJsonDepth) return false;
  // Most records hold fewer brackets than they may nest; counting them is far cheaper than walking.
  const auto opening = std::count_if(text.begin(), text.end(), [](char c) { return (c | 0x20) == '{'; });
  if (static_cast<std::size_t>(opening) <= kJsonDepth) return false;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const char* behind = skip_string(text.data() + i + 1, text.data() + text.size());
      if (behind == nullptr) return false;  // the parser will say what is wrong
      i = static_cast<std::size_t>(behind - text.data()) - 1;
    } else if (c == '{' || c == '[') {
      if (++depth > kJsonDepth) return true;
    } else if (c == '}' || c == ']') {
      if (depth > 0) --depth;
    }
  }
  return false;
}

}  // namespace sluice
