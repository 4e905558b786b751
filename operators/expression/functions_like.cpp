#include <fmt/format.h>

#include "operators/expression/functions.hpp"
#include "operators/expression/utf8.hpp"

namespace sluice::expression {
namespace {

using Text = std::string_view;

constexpr std::size_t kNoEscape = Text::npos;

// A pattern of `like` that is known when the expression is compiled. Patterns of the forms x, x%, %x and %x%
// need no matching step by step.
struct PreparedLike final : Prepared {
  enum class Form { equal, starts, ends, contains, any };
  Form form = Form::any;
  std::string literal;  // of the simple forms, without escapes
};

// The escape character: one byte, or none (given as ''). False: it is neither.
bool read_escape(Text given, int& escape) {
  escape = given.empty() ? -1 : static_cast<unsigned char>(given[0]);
  return given.empty() || (given.size() == 1 && escape < 0x80);
}

bool ends_with_escape(Text pattern, int escape) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (static_cast<unsigned char>(pattern[i]) == escape && ++i == pattern.size()) return true;
  }
  return false;
}

// % any number of code points, _ one, the escape character takes the next byte literally. Greedy with one
// point of return: only the latest % ever needs to take more, so the time is at most text × pattern and there
// is no recursion.
bool like(Text text, Text pattern, int escape) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t return_p = kNoEscape;
  std::size_t return_t = 0;
  for (;;) {
    bool step = false;
    if (p < pattern.size()) {
      const auto c = static_cast<unsigned char>(pattern[p]);
      if (c == '%' && c != escape) {
        return_p = ++p;
        return_t = t;
        continue;
      }
      if (t < text.size()) {
        if (c == escape && p + 1 < pattern.size()) {
          step = pattern[p + 1] == text[t];
          p += step ? 2 : 0;
          t += step ? 1 : 0;
        } else if (c == '_') {
          step = true;
          ++p;
          t += code_point_bytes(text, t);
        } else {
          step = pattern[p] == text[t];
          p += step ? 1 : 0;
          t += step ? 1 : 0;
        }
      }
    } else if (t == text.size()) {
      return true;
    }
    if (step) continue;
    if (return_p == kNoEscape || return_t >= text.size()) return false;
    return_t += code_point_bytes(text, return_t);
    p = return_p;
    t = return_t;
  }
}

PreparedLike analysed(Text pattern, int escape) {
  PreparedLike prepared;
  const bool any_before = !pattern.empty() && pattern[0] == '%' && escape != '%';
  bool any_behind = false;
  bool simple = true;
  for (std::size_t i = any_before ? 1 : 0; i < pattern.size() && simple; ++i) {
    const auto c = static_cast<unsigned char>(pattern[i]);
    if (c == escape) {
      prepared.literal += pattern[++i];
    } else if (c == '%') {
      any_behind = true;
      simple = i + 1 == pattern.size();
    } else if (c == '_') {
      simple = false;
    } else {
      prepared.literal += pattern[i];
    }
  }
  using Form = PreparedLike::Form;
  if (simple) {
    prepared.form =
        any_before ? (any_behind ? Form::contains : Form::ends) : (any_behind ? Form::starts : Form::equal);
  }
  return prepared;
}

bool matches(const PreparedLike& prepared, Text text, Text pattern, int escape) {
  switch (prepared.form) {
    case PreparedLike::Form::equal:
      return text == prepared.literal;
    case PreparedLike::Form::starts:
      return text.starts_with(prepared.literal);
    case PreparedLike::Form::ends:
      return text.ends_with(prepared.literal);
    case PreparedLike::Form::contains:
      return text.find(prepared.literal) != Text::npos;
    case PreparedLike::Form::any:
      return like(text, pattern, escape);
  }
  return false;
}

constexpr Text kEscapeRule = "like: the escape is one ASCII character, or '' for none";
constexpr Text kEndRule = "like: the pattern must not end with its escape character";

void like_rows(KernelCall& call) {
  const Argument<Text> text(call.args[0]);
  const Argument<Text> pattern(call.args[1]);
  const auto* prepared = static_cast<const PreparedLike*>(call.prepared);
  auto* out = call.out<std::uint8_t>();
  call.each_valid([&](std::uint32_t row) {
    int escape = '\\';
    if (call.args.size() > 2 && !read_escape(Argument<Text>(call.args[2])[row], escape)) {
      return call.fail(row, ErrorCode::bad_argument, std::string(kEscapeRule));
    }
    if (prepared != nullptr) {
      out[row] = static_cast<std::uint8_t>(matches(*prepared, text[row], pattern[row], escape));
    } else if (ends_with_escape(pattern[row], escape)) {
      call.fail(row, ErrorCode::bad_argument, std::string(kEndRule));
    } else {
      out[row] = static_cast<std::uint8_t>(like(text[row], pattern[row], escape));
    }
  });
}

}  // namespace

Kernel like_kernel() { return like_rows; }

PreparedPtr prepare_like(std::span<const Constant* const> arguments) {
  int escape = '\\';
  if (arguments.size() > 2) {
    if (arguments[2] == nullptr || arguments[2]->valid == 0) return nullptr;
    if (!read_escape(arguments[2]->text, escape))
      throw ArgumentError{2, ErrorCode::bad_value, std::string(kEscapeRule)};
  }
  if (arguments[1] == nullptr || arguments[1]->valid == 0) return nullptr;
  if (ends_with_escape(arguments[1]->text, escape))
    throw ArgumentError{1, ErrorCode::bad_value, std::string(kEndRule)};
  return std::make_shared<PreparedLike>(analysed(arguments[1]->text, escape));
}

}  // namespace sluice::expression
