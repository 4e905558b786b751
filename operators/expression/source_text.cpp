#include "operators/expression/source_text.hpp"

#include <algorithm>

#include "operators/expression/utf8.hpp"

namespace sluice::expression {
namespace {

constexpr std::size_t kShownBytes = 100;
constexpr std::string_view kCut = "...";

// Moves to the start of the code point, so that a cut never splits one.
std::size_t code_point_start(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return at;
}

}  // namespace

std::string with_caret(std::string_view text, const CompileError& error) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  const std::size_t place = std::min<std::size_t>(error.span.begin, line.size());
  std::size_t from = 0;
  std::size_t to = line.size();
  if (line.size() > kShownBytes) {
    from = code_point_start(line, place > kShownBytes / 2 ? place - kShownBytes / 2 : 0);
    to = code_point_start(line, std::min(line.size(), from + kShownBytes));
  }
  const std::string_view shown = std::string_view(line).substr(from, to - from);
  std::string out = error.sentence;
  out += '\n';
  if (from > 0) out += kCut;
  out += shown;
  if (to < line.size()) out += kCut;
  out += '\n';
  const std::size_t columns = count_code_points(shown.substr(0, place - from)) + (from > 0 ? kCut.size() : 0);
  out.append(columns, ' ');
  out += '^';
  return out;
}

}  // namespace sluice::expression
