#include "operators/format/logfmt_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "operators/format/json_text.hpp"

namespace sluice {
namespace {

constexpr std::string_view kBlanks = " \t";

// A hexadecimal number of exactly so many digits.
std::optional<std::uint32_t> hex_at(std::string_view text, std::size_t at, std::size_t digits) {
  if (text.size() < at || text.size() - at < digits) return std::nullopt;
  std::uint32_t value = 0;
  const char* end = text.data() + at + digits;
  const auto [stop, error] = std::from_chars(text.data() + at, end, value, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

void append_character(std::string& out, std::uint32_t c) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | c >> 6);
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3F));
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
}

bool is_high_surrogate(std::uint32_t c) { return c >= 0xD800 && c < 0xDC00; }
bool is_low_surrogate(std::uint32_t c) { return c >= 0xDC00 && c < 0xE000; }

char simple_escape(char c) {
  constexpr std::string_view kLetters = "\"\\/'abfnrtv";
  constexpr std::string_view kMeanings = "\"\\/'\a\b\f\n\r\t\v";
  const std::size_t at = kLetters.find(c);
  return at == std::string_view::npos ? '\0' : kMeanings[at];
}

// What has been seen of one key.
struct SeenPair {
  bool integers = false, floats = false, booleans = false, others = false;

  void add(const LogfmtPairs& pair) {
    const std::string_view text = pair.value();
    if (pair.form() == LogfmtPairs::Form::kNull) return;
    if (pair.form() == LogfmtPairs::Form::kQuoted) {
      others = true;
    } else if (text == "true" || text == "false") {
      booleans = true;
    } else if (!is_json_number(text)) {
      others = true;  // leading zeros too: they are part of an identifier
    } else if (parse_int64(text)) {
      integers = true;
    } else if (text.find_first_of(".eE") != std::string_view::npos && parse_float64(text)) {
      floats = true;
    } else {
      others = true;  // beyond int64: only its text is exact
    }
  }
  Type type() const {
    const bool numbers = integers || floats;
    if (others || (numbers && booleans)) return Type::string;
    if (booleans) return Type::boolean;
    if (floats) return Type::float64;
    return integers ? Type::int64 : Type::string;
  }
};

}  // namespace

LogfmtPairs::Next LogfmtPairs::bad(std::string fault) {
  fault_ = std::move(fault);
  return Next::kBad;
}

LogfmtPairs::Next LogfmtPairs::next() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
  if (rest_.empty()) return Next::kEnd;
  key_ = rest_.substr(0, rest_.find_first_of(" \t=\""));
  if (key_.empty()) {
    return bad(rest_.front() == '=' ? "\"=\" stands where a key is expected"
                                    : "a quote stands where a key is expected");
  }
  rest_.remove_prefix(key_.size());
  if (!rest_.empty() && rest_.front() == '"')
    return bad(fmt::format("a quote stands in the key \"{}\"", key_));
  if (rest_.empty() || rest_.front() != '=') {
    form_ = Form::kBare;
    value_ = "true";
    return Next::kPair;
  }
  rest_.remove_prefix(1);
  if (!rest_.empty() && rest_.front() == '"') return take_quoted();
  value_ = rest_.substr(0, rest_.find_first_of(kBlanks));
  form_ = value_.empty() ? Form::kNull : Form::kText;
  rest_.remove_prefix(value_.size());
  return Next::kPair;
}

LogfmtPairs::Next LogfmtPairs::take_quoted() {
  std::size_t at = 1;
  bool escapes = false;
  for (; at < rest_.size() && rest_[at] != '"'; ++at) {
    if (rest_[at] != '\\') continue;
    escapes = true;
    ++at;
  }
  if (at >= rest_.size()) return bad(fmt::format("the quote of \"{}\" is not closed", key_));
  const std::string_view inside = rest_.substr(1, at - 1);
  rest_.remove_prefix(at + 1);
  if (!rest_.empty() && kBlanks.find(rest_.front()) == std::string_view::npos)
    return bad(fmt::format("something stands right behind the closing quote of \"{}\"", key_));
  form_ = Form::kQuoted;
  value_ = inside;
  if (!escapes) return Next::kPair;
  if (!unescape(inside)) return bad(fmt::format("\"{}\" holds an escape that is not known", key_));
  value_ = unescaped_;
  return Next::kPair;
}

bool LogfmtPairs::unescape(std::string_view inside) {
  unescaped_.clear();
  for (std::size_t at = 0; at < inside.size();) {
    const std::size_t plain = std::min(inside.find('\\', at), inside.size());
    unescaped_.append(inside, at, plain - at);
    if (plain == inside.size()) return true;
    const char c = inside[plain + 1];  // there is one: a backslash in front of the quote is escaped itself
    at = plain + 2;
    if (c == 'x') {
      const auto byte = hex_at(inside, at, 2);
      if (!byte) return false;
      unescaped_ += static_cast<char>(static_cast<unsigned char>(*byte));
      at += 2;
    } else if (c == 'u' || c == 'U') {
      if (!unescape_unicode(inside, at, c == 'u' ? 4 : 8)) return false;
    } else if (const char meant = simple_escape(c); meant != '\0') {
      unescaped_ += meant;
    } else {
      return false;
    }
  }
  return true;
}

// `at` stands behind the letter and moves behind the character, which may be written as two surrogates.
bool LogfmtPairs::unescape_unicode(std::string_view inside, std::size_t& at, std::size_t digits) {
  auto c = hex_at(inside, at, digits);
  if (!c) return false;
  at += digits;
  if (is_high_surrogate(*c) && digits == 4) {
    const auto low = inside.substr(at, 2) == "\\u" ? hex_at(inside, at + 2, 4) : std::nullopt;
    if (!low || !is_low_surrogate(*low)) return false;
    c = 0x10000 + ((*c - 0xD800) << 10) + (*low - 0xDC00);
    at += 6;
  }
  if (is_high_surrogate(*c) || is_low_surrogate(*c) || *c > 0x10FFFF) return false;
  append_character(unescaped_, *c);
  return true;
}

std::vector<ColumnSpec> infer_logfmt_columns(const std::vector<std::string>& records) {
  std::vector<std::string> order;
  std::map<std::string, SeenPair, std::less<>> keys;
  LogfmtPairs pairs;
  for (const std::string& record : records) {
    pairs.start(record);
    while (pairs.next() == LogfmtPairs::Next::kPair) {
      auto found = keys.find(pairs.key());
      if (found == keys.end()) {
        found = keys.emplace(std::string(pairs.key()), SeenPair{}).first;
        order.emplace_back(pairs.key());
      }
      found->second.add(pairs);
    }
  }
  std::vector<ColumnSpec> specs;
  for (const std::string& key : order) {
    specs.emplace_back();
    specs.back().name = key;
    specs.back().type = keys[key].type();
  }
  return specs;
}

}  // namespace sluice
