#include "engine/graph/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "engine/graph/json_document.hpp"
#include "engine/graph/load.hpp"
#include "operators/config/field_text.hpp"

namespace sluice {
namespace {

Json read_value(std::string_view text) {
  JsonDocument document = parse_json_document(text, kMaxDocumentDepth / 2);
  if (document.complete && document.problems.empty()) return std::move(document.root);
  return std::string(text);
}

std::optional<std::size_t> index_of(const Json& list, const std::string& step, bool operators) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error == std::errc() && end == step.data() + step.size()) {
    return index < list.size() ? std::optional(index) : std::nullopt;
  }
  if (!operators) return std::nullopt;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].is_object() && list[i].value("id", Json()) == step) return i;
  }
  return std::nullopt;
}

std::vector<std::string> names_in(const Json& value) {
  std::vector<std::string> names;
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) names.push_back(name);
  }
  return names;
}

}  // namespace

std::string apply_override(Json& document, std::string_view assignment, Problems& problems) {
  const auto refuse = [&](std::string message, std::string hint) {
    problems.push_back(
        {"", ErrorCode::usage, fmt::format("--set {}: {}", assignment, message), std::move(hint)});
    return std::string();
  };
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0 || assignment.front() != '/') {
    return refuse("not of the form /json/pointer=value", "like --set /operators/0/config/rate=1000/s");
  }
  std::string_view rest = assignment.substr(0, equals);
  std::string resolved;
  Json* at = &document;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string step = pointer_name(rest.substr(0, end));
    rest.remove_prefix(end);
    const bool last = rest.empty();
    if (at->is_array()) {
      const auto index = index_of(*at, step, resolved == "/operators");
      if (!index) return refuse(fmt::format("{} has no item {}", resolved, quote_value(step)), "");
      at = &(*at)[*index];
      resolved += fmt::format("/{}", *index);
    } else if (at->is_object() && (last || at->contains(step))) {
      at = &(*at)[step];
      resolved += "/" + pointer_step(step);
    } else {
      return refuse(fmt::format("there is no {} in {}", quote_value(step),
                                resolved.empty() ? "the document" : resolved),
                    did_you_mean(step, names_in(*at)));
    }
  }
  *at = read_value(assignment.substr(equals + 1));
  return resolved;
}

}  // namespace sluice
