#include "engine/graph/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace sluice {
namespace {

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (text.empty() || !letter(text.front())) return false;
  for (const char c : text) {
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

std::string escaped(const std::string& value) {
  std::string text;
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      text += c;
    }
  }
  return text;
}

class Substituter {
 public:
  Substituter(std::string_view source, const Environment& environment)
      : source_(source), environment_(environment) {}

  Substitution run() {
    keep_from(0);
    while (at_ < source_.size()) step();
    return std::move(result_);
  }

 private:
  void step() {
    const std::string_view rest = source_.substr(at_);
    if (rest.starts_with("$${")) return skip_escape();
    if (rest.starts_with("${")) return replace();
    copy_plain();
  }

  // Up to the next byte that may mean something; at least one byte.
  void copy_plain() {
    const char c = source_[at_];
    if (c == '"') in_string_ = !in_string_;
    // An escaped character, the quote above all, means nothing. A $ may still begin a variable: \${ is no
    // JSON anyway.
    const bool escape = in_string_ && c == '\\' && at_ + 1 < source_.size() && source_[at_ + 1] != '$';
    const std::size_t end = std::min(source_.find_first_of("$\"\\", at_ + (escape ? 2 : 1)), source_.size());
    result_.text += source_.substr(at_, end - at_);
    at_ = end;
  }

  void skip_escape() {
    at_ += 3;
    result_.text += "${";
    keep_from(at_);
  }

  void replace() {
    const std::size_t close = source_.find_first_of("}\n", at_);
    if (close == std::string_view::npos || source_[close] == '\n')
      return unreadable(at_ + 2, "${ has no closing }");
    const std::string_view inside = source_.substr(at_ + 2, close - at_ - 2);
    const std::size_t colon = inside.find(":-");
    const std::string name(inside.substr(0, colon));
    if (!is_name(name)) {
      return unreadable(close + 1,
                        fmt::format("{:?} is not the name of an environment variable", name.substr(0, 60)));
    }
    const auto value = environment_(name);
    if (colon != std::string_view::npos) {
      const std::string fallback(inside.substr(colon + 2));
      if (fallback.find("${") != std::string::npos)
        return unreadable(close + 1, "a default cannot hold another ${");
      return insert(close + 1, value && !value->empty() ? inserted(*value) : fallback);
    }
    if (value) return insert(close + 1, inserted(*value));
    problem(ErrorCode::unset_variable, fmt::format("the environment variable {} is not set", name),
            fmt::format("set it, or give a default: ${{{}:-default}}", name));
    insert(close + 1, stand_in());
  }

  std::string inserted(const std::string& value) const { return in_string_ ? escaped(value) : value; }
  std::string stand_in() const { return in_string_ ? "" : "null"; }

  void unreadable(std::size_t next, std::string message) {
    problem(ErrorCode::bad_value, std::move(message),
            "write ${VAR} or ${VAR:-default}, and $${ for a literal ${");
    insert(next, stand_in());
  }

  void problem(ErrorCode code, std::string message, std::string hint) {
    result_.problems.push_back({{"", code, std::move(message), std::move(hint)}, result_.text.size()});
  }

  void insert(std::size_t next, const std::string& value) {
    result_.pieces.push_back({result_.text.size(), at_, true});
    result_.text += value;
    at_ = next;
    keep_from(next);
  }

  // What follows is copied from the source until the next piece.
  void keep_from(std::size_t source_offset) {
    result_.pieces.push_back({result_.text.size(), source_offset, false});
  }

  std::string_view source_;
  const Environment& environment_;
  std::size_t at_ = 0;
  bool in_string_ = false;
  Substitution result_;
};

}  // namespace

Substitution substitute_environment(std::string_view source, const Environment& environment) {
  return Substituter(source, environment).run();
}

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

}  // namespace sluice
