#include "operators/expression/json_text.hpp"

#include <array>
#include <charconv>
#include <cstring>

#include "operators/expression/char_class.hpp"
#include "operators/expression/utf8.hpp"

namespace sluice::expression {
namespace {

constexpr bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Four hex digits of a text that has been checked.
char32_t hex4(const char* at) {
  char32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value * 16 + static_cast<char32_t>(hex_digit(at[i]));
  return value;
}

char plain_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;  // quote, backslash, slash
  }
}

constexpr bool is_high_surrogate(char32_t c) { return c >= 0xd800 && c < 0xdc00; }
constexpr bool is_low_surrogate(char32_t c) { return c >= 0xdc00 && c < 0xe000; }

// One \u escape, or two that form a pair; `at` stands behind the u and moves behind what was read.
char32_t escaped_code_point(const char*& at, const char* end) {
  constexpr char32_t kReplacement = 0xfffd;
  const char32_t first = hex4(at);
  at += 4;
  if (!is_high_surrogate(first)) return is_low_surrogate(first) ? kReplacement : first;
  if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return kReplacement;
  const char32_t second = hex4(at + 2);
  if (!is_low_surrogate(second)) return kReplacement;
  at += 6;
  return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

// Without escapes, into `out` (at least as long as the content); returns the end. No escape is shorter than
// what it stands for.
char* unescape(std::string_view content, char* out) {
  const char* at = content.data();
  const char* end = at + content.size();
  while (at != end) {
    if (*at != '\\') {
      *out++ = *at++;
    } else if (at[1] != 'u') {
      *out++ = plain_escape(at[1]);
      at += 2;
    } else {
      at += 2;
      out = put_code_point(out, escaped_code_point(at, end));
    }
  }
  return out;
}

class JsonWalk {
 public:
  explicit JsonWalk(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  JsonFound find(std::span<const std::string> steps) {
    JsonFound found;
    skip_space();
    bool here = true;  // `at_` stands before the value that the steps so far lead to
    for (const std::string& step : steps) {
      if (!descend(step, here)) return found;
      if (!here) break;
    }
    if (here) {
      const char* from = at_;
      if (!skip_value()) return found;
      found.raw = {from, static_cast<std::size_t>(at_ - from)};
    }
    found.well_formed = finish_to(0) && (skip_space(), at_ == end_);
    found.present = found.well_formed && here;
    return found;
  }

  // The next item of a container that is well formed, from behind its opening bracket or its latest item on.
  bool item(bool in_object, std::string_view& name, std::string_view& value) {
    skip_space();
    if (take(',')) skip_space();
    if (!more() || *at_ == (in_object ? '}' : ']')) return false;
    const char* from = at_;
    if (in_object) {
      bool escaped = false;
      string(escaped);
      name = {from, static_cast<std::size_t>(at_ - from)};
      skip_space();
      take(':');
      skip_space();
      from = at_;
    }
    skip_value();
    value = {from, static_cast<std::size_t>(at_ - from)};
    return true;
  }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

 private:
  bool more() const { return at_ != end_; }
  bool take(char c) { return more() && *at_ == c && (++at_, true); }
  void skip_space() {
    while (more() && is_json_space(*at_)) ++at_;
  }

  bool push(bool object) {
    if (depth_ == kMaxJsonDepth) return false;
    const std::uint64_t bit = std::uint64_t{1} << (depth_ % 64);
    std::uint64_t& word = objects_[depth_ / 64];
    word = object ? word | bit : word & ~bit;
    ++depth_;
    return true;
  }
  bool in_object() const { return (objects_[(depth_ - 1) / 64] >> ((depth_ - 1) % 64)) & 1; }

  // Enters the container at `at_` and stops before the member or element `step`. here = false: there is none,
  // and the value that was entered has been read to its end.
  bool descend(std::string_view step, bool& here) {
    here = false;
    if (more() && *at_ == '{') return descend_object(step, here);
    if (more() && *at_ == '[') return descend_array(step, here);
    return skip_value();
  }

  bool descend_object(std::string_view step, bool& here) {
    ++at_;
    if (!push(true)) return false;
    skip_space();
    if (take('}')) return --depth_, true;
    for (;;) {
      bool matches = false;
      if (!member_name(&step, matches)) return false;
      if (matches) return here = true;
      if (!skip_value()) return false;
      skip_space();
      if (take('}')) return --depth_, true;
      if (!take(',')) return false;
      skip_space();
    }
  }

  bool descend_array(std::string_view step, bool& here) {
    ++at_;
    if (!push(false)) return false;
    skip_space();
    if (take(']')) return --depth_, true;
    // "01" and "-" (behind the end) name no element.
    std::size_t wanted = 0;
    const auto parsed = std::from_chars(step.data(), step.data() + step.size(), wanted);
    const bool is_index = parsed.ec == std::errc() && parsed.ptr == step.data() + step.size() &&
                          is_digit(step[0]) && (step.size() == 1 || step[0] != '0');
    for (std::size_t i = 0;; ++i) {
      if (is_index && i == wanted) return here = true;
      if (!skip_value()) return false;
      skip_space();
      if (take(']')) return --depth_, true;
      if (!take(',')) return false;
      skip_space();
    }
  }

  // A member's name, the colon and the space up to its value.
  bool member_name(const std::string_view* wanted, bool& matches) {
    const char* from = at_;
    bool escaped = false;
    if (!string(escaped)) return false;
    if (wanted != nullptr)
      matches = same_name({from + 1, static_cast<std::size_t>(at_ - from - 2)}, escaped, *wanted);
    skip_space();
    if (!take(':')) return false;
    skip_space();
    return true;
  }

  static bool same_name(std::string_view name, bool escaped, std::string_view wanted) {
    if (!escaped) return name == wanted;
    std::string plain(name.size(), '\0');
    plain.resize(static_cast<std::size_t>(unescape(name, plain.data()) - plain.data()));
    return plain == wanted;
  }

  // Reads one value, nested ones included, from its first byte.
  bool skip_value() {
    const std::size_t base = depth_;
    return begin_value() && finish_to(base);
  }

  // Reads a scalar or an empty container; enters any other, and the first value in it, and so on.
  bool begin_value() {
    for (;;) {
      if (!more()) return false;
      const char c = *at_;
      if (c != '{' && c != '[') return scalar(c);
      ++at_;
      skip_space();
      if (take(c == '{' ? '}' : ']')) return true;
      bool ignored = false;
      if (!push(c == '{') || (c == '{' && !member_name(nullptr, ignored))) return false;
    }
  }

  // From behind a value on: closes the containers down to depth `base`.
  bool finish_to(std::size_t base) {
    while (depth_ > base) {
      skip_space();
      const bool object = in_object();
      if (take(object ? '}' : ']')) {
        --depth_;
        continue;
      }
      if (!take(',')) return false;
      skip_space();
      bool ignored = false;
      if (object && !member_name(nullptr, ignored)) return false;
      if (!begin_value()) return false;
    }
    return true;
  }

  bool scalar(char first) {
    bool escaped = false;
    switch (first) {
      case '"':
        return string(escaped);
      case 't':
        return literal("true");
      case 'f':
        return literal("false");
      case 'n':
        return literal("null");
      default:
        return number();
    }
  }

  bool literal(std::string_view word) {
    if (static_cast<std::size_t>(end_ - at_) < word.size() || std::memcmp(at_, word.data(), word.size()) != 0)
      return false;
    at_ += word.size();
    return true;
  }

  bool digits() {
    const char* from = at_;
    while (more() && is_digit(*at_)) ++at_;
    return at_ != from;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      return digits();
    }
    return true;
  }

  bool string(bool& escaped) {
    if (!take('"')) return false;
    for (; more(); ++at_) {
      const char c = *at_;
      if (c == '"') return ++at_, true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') continue;
      escaped = true;
      ++at_;
      if (!more() || !escape()) return false;
    }
    return false;
  }

  // Behind the backslash; stops on the escape's last byte.
  bool escape() {
    if (*at_ != 'u') return std::string_view("\"\\/bfnrt").find(*at_) != std::string_view::npos;
    if (end_ - at_ < 5) return false;
    for (int i = 1; i <= 4; ++i) {
      if (hex_digit(at_[i]) < 0) return false;
    }
    at_ += 4;
    return true;
  }

  const char* at_;
  const char* end_;
  std::size_t depth_ = 0;
  std::array<std::uint64_t, kMaxJsonDepth / 64> objects_{};  // bit i: level i is an object
};

}  // namespace

std::optional<std::vector<std::string>> parse_json_pointer(std::string_view pointer) {
  std::vector<std::string> steps;
  if (pointer.empty()) return steps;
  if (pointer[0] != '/') return std::nullopt;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.emplace_back();
    } else if (pointer[i] != '~') {
      steps.back() += pointer[i];
    } else if (++i < pointer.size() && (pointer[i] == '0' || pointer[i] == '1')) {
      steps.back() += pointer[i] == '0' ? '~' : '/';
    } else {
      return std::nullopt;
    }
  }
  return steps;
}

JsonFound find_json(std::string_view text, std::span<const std::string> steps) {
  return JsonWalk(text).find(steps);
}

bool JsonItems::next() {
  JsonWalk walk(rest_);
  if (!walk.item(in_object_, name_, value_)) return false;
  rest_ = walk.rest();
  return true;
}

std::string_view json_scalar_text(std::string_view raw, TextArena& arena) {
  if (raw.size() < 2 || raw[0] != '"') return raw;
  const std::string_view content = raw.substr(1, raw.size() - 2);
  if (content.find('\\') == std::string_view::npos) return content;
  char* out = arena.allocate(content.size());
  char* end = unescape(content, out);
  arena.shrink_to(end);
  return {out, static_cast<std::size_t>(end - out)};
}

}  // namespace sluice::expression
