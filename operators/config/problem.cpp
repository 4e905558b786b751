#include "operators/config/problem.hpp"

#include <string_view>

namespace sluice {

std::string pointer_step(std::string_view name) {
  std::string text;
  text.reserve(name.size());
  for (const char c : name) {
    if (c == '~') {
      text += "~0";
    } else if (c == '/') {
      text += "~1";
    } else {
      text += c;
    }
  }
  return text;
}

std::string pointer_name(std::string_view step) {
  std::string text;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool escape = step[i] == '~' && i + 1 < step.size();
    text += !escape ? step[i] : step[++i] == '0' ? '~' : '/';
  }
  return text;
}

}  // namespace sluice
