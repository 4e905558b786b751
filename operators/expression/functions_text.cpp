#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "operators/expression/char_class.hpp"
#include "operators/expression/functions.hpp"
#include "operators/expression/utf8.hpp"

namespace sluice::expression {
namespace {

using Text = std::string_view;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; }

template <auto F>
void change_case(KernelCall& call) {
  const Argument<Text> a(call.args[0]);
  Text* out = call.out<Text>();
  call.each_valid([&](std::uint32_t row) {
    const Text text = a[row];
    char* to = call.arena.allocate(text.size());
    std::transform(text.begin(), text.end(), to, [](char c) { return F(c); });
    out[row] = {to, text.size()};
  });
}

void trim(KernelCall& call) {
  const Argument<Text> a(call.args[0]);
  Text* out = call.out<Text>();
  call.each_valid([&](std::uint32_t row) {
    Text text = a[row];
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    out[row] = text;
  });
}

void length(KernelCall& call) {
  const Argument<Text> a(call.args[0]);
  auto* out = call.out<std::int64_t>();
  call.each_valid(
      [&](std::uint32_t row) { out[row] = static_cast<std::int64_t>(count_code_points(a[row])); });
}

// Code points from position `start` (1 is the first) up to but not including `stop`; positions before the
// text are empty.
Text part(Text text, std::int64_t start, std::int64_t stop) {
  if (stop <= 1 || stop <= start) return {};
  const std::int64_t from_position = std::max<std::int64_t>(start, 1);
  const std::size_t from = skip_code_points(text, 0, static_cast<std::size_t>(from_position - 1));
  const std::size_t to = skip_code_points(text, from, static_cast<std::size_t>(stop - from_position));
  return text.substr(from, to - from);
}

void substr_from(KernelCall& call) {
  const Argument<Text> a(call.args[0]);
  const Argument<std::int64_t> start(call.args[1]);
  Text* out = call.out<Text>();
  call.each_valid([&](std::uint32_t row) { out[row] = part(a[row], start[row], INT64_MAX); });
}

void substr_count(KernelCall& call) {
  const Argument<Text> a(call.args[0]);
  const Argument<std::int64_t> start(call.args[1]);
  const Argument<std::int64_t> count(call.args[2]);
  Text* out = call.out<Text>();
  call.each_valid([&](std::uint32_t row) {
    if (count[row] < 0) {
      return call.fail(row, ErrorCode::bad_argument,
                       fmt::format("substr: the length {} is negative", count[row]));
    }
    std::int64_t stop = 0;
    if (__builtin_add_overflow(start[row], count[row], &stop)) stop = INT64_MAX;
    out[row] = part(a[row], start[row], stop);
  });
}

// The text with every `from` replaced, left to right, not looking at what was put in. False: it would be too
// long.
bool replaced(Text text, Text from, Text to, TextArena& arena, Text& out) {
  out = text;
  std::size_t at = from.empty() ? Text::npos : text.find(from);
  if (at == Text::npos) return true;
  std::size_t count = 0;
  for (std::size_t i = at; i != Text::npos; i = text.find(from, i + from.size())) ++count;
  const std::size_t bytes = text.size() - count * from.size() + count * to.size();
  if (bytes > kMaxMadeTextBytes) return false;
  char* const begin = arena.allocate(bytes);
  char* put = begin;
  const auto append = [&](Text piece) {
    if (!piece.empty()) std::memcpy(put, piece.data(), piece.size());
    put += piece.size();
  };
  std::size_t done = 0;
  for (; at != Text::npos; at = text.find(from, done)) {
    append(text.substr(done, at - done));
    append(to);
    done = at + from.size();
  }
  append(text.substr(done));
  out = {begin, bytes};
  return true;
}

void fail_length(KernelCall& call, std::uint32_t row, std::string_view function) {
  call.fail(row, ErrorCode::record_too_large,
            fmt::format("{}: the text would be longer than {} MiB", function, kMaxMadeTextBytes >> 20));
}

void replace(KernelCall& call) {
  const Argument<Text> a(call.args[0]);
  const Argument<Text> from(call.args[1]);
  const Argument<Text> to(call.args[2]);
  Text* out = call.out<Text>();
  call.each_valid([&](std::uint32_t row) {
    if (!replaced(a[row], from[row], to[row], call.arena, out[row])) fail_length(call, row, "replace");
  });
}

Text part_from_start(Text text, Text delimiter, std::int64_t n) {
  for (;;) {
    const std::size_t end = text.find(delimiter);
    if (--n == 0) return text.substr(0, end);
    if (end == Text::npos) return {};
    text.remove_prefix(end + delimiter.size());
  }
}

Text part_from_end(Text text, Text delimiter, std::int64_t n) {
  for (;;) {
    const std::size_t at = text.rfind(delimiter);
    if (++n == 0) return at == Text::npos ? text : text.substr(at + delimiter.size());
    if (at == Text::npos) return {};
    text = text.substr(0, at);
  }
}

void split_part(KernelCall& call) {
  const Argument<Text> a(call.args[0]);
  const Argument<Text> delimiter(call.args[1]);
  const Argument<std::int64_t> position(call.args[2]);
  Text* out = call.out<Text>();
  call.each_valid([&](std::uint32_t row) {
    const std::int64_t n = position[row];
    if (n == 0)
      return call.fail(row, ErrorCode::bad_argument,
                       "split_part: parts are counted from 1, or from -1 at the end");
    if (delimiter[row].empty()) {
      out[row] = n == 1 || n == -1 ? a[row] : Text();
    } else {
      out[row] =
          n > 0 ? part_from_start(a[row], delimiter[row], n) : part_from_end(a[row], delimiter[row], n);
    }
  });
}

bool text_starts(Text text, Text with) { return text.starts_with(with); }
bool text_ends(Text text, Text with) { return text.ends_with(with); }
bool text_contains(Text text, Text with) { return text.find(with) != Text::npos; }

template <auto F>
void test(KernelCall& call) {
  const Argument<Text> a(call.args[0]);
  const Argument<Text> b(call.args[1]);
  auto* out = call.out<std::uint8_t>();
  call.each_valid([&](std::uint32_t row) { out[row] = static_cast<std::uint8_t>(F(a[row], b[row])); });
}

// Both concat and ||. A text may grow by joining as long as it stays under the limit; one argument alone may
// be longer.
void concat(KernelCall& call) {
  Text* out = call.out<Text>();
  call.each_valid([&](std::uint32_t row) {
    std::size_t bytes = 0;
    std::size_t longest = 0;
    const auto each_text = [&](auto f) {
      for (const Vector& v : call.args) {
        if (!v.is_null(row)) f(v.values<Text>()[row & v.mask()]);
      }
    };
    each_text([&](Text text) {
      bytes += text.size();
      longest = std::max(longest, text.size());
    });
    if (bytes > kMaxMadeTextBytes && bytes > longest) return fail_length(call, row, "concat");
    char* const begin = call.arena.allocate(bytes);
    char* put = begin;
    each_text([&](Text text) {
      if (!text.empty()) std::memcpy(put, text.data(), text.size());
      put += text.size();
    });
    out[row] = {begin, bytes};
  });
}

}  // namespace

Kernel concat_kernel() { return concat; }

void add_text_functions(Overloads& all) {
  using enum Type;
  all.push_back({"lower", {string}, string, change_case<lower>});
  all.push_back({"upper", {string}, string, change_case<upper>});
  all.push_back({"trim", {string}, string, trim});
  all.push_back({"length", {string}, int64, length});
  all.push_back({"substr", {string, int64}, string, substr_from});
  all.push_back({"substr", {string, int64, int64}, string, substr_count});
  all.push_back({"replace", {string, string, string}, string, replace});
  all.push_back({"split_part", {string, string, int64}, string, split_part});
  all.push_back({"starts_with", {string, string}, boolean, test<text_starts>});
  all.push_back({"ends_with", {string, string}, boolean, test<text_ends>});
  all.push_back({"contains", {string, string}, boolean, test<text_contains>});
}

}  // namespace sluice::expression
