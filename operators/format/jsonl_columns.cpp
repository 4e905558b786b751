#include "operators/format/jsonl_columns.hpp"

#include <simdjson.h>

#include <algorithm>
#include <map>
#include <utility>

namespace sluice {
namespace {

// "a~1b" → "a/b". False if a ~ is followed by neither 0 nor 1.
bool unescape_step(std::string_view step, std::string& out) {
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] != '~') {
      out += step[i];
      continue;
    }
    if (i + 1 == step.size() || (step[i + 1] != '0' && step[i + 1] != '1')) return false;
    out += step[++i] == '0' ? '~' : '/';
  }
  return true;
}

// What has been seen of one key.
struct Seen {
  bool integers = false, floats = false, strings = false, booleans = false, containers = false,
       others = false;

  void add(simdjson::dom::element_type type) {
    using Kind = simdjson::dom::element_type;
    integers |= type == Kind::INT64;
    floats |= type == Kind::DOUBLE;
    strings |= type == Kind::STRING;
    booleans |= type == Kind::BOOL;
    containers |= type == Kind::OBJECT || type == Kind::ARRAY;
    others |= type == Kind::UINT64;  // beyond int64: only its text is exact
  }
  Type type() const {
    const bool numbers = integers || floats;
    if (containers) return Type::json;
    if (strings || others || (numbers && booleans)) return Type::string;
    if (booleans) return Type::boolean;
    if (floats) return Type::float64;
    return integers ? Type::int64 : Type::string;
  }
};

}  // namespace

std::optional<std::vector<std::string>> json_path(std::string_view from) {
  if (from.empty() || from.front() != '/') return std::vector<std::string>{std::string(from)};
  std::vector<std::string> steps;
  while (!from.empty()) {
    from.remove_prefix(1);
    const std::size_t slash = std::min(from.find('/'), from.size());
    if (!unescape_step(from.substr(0, slash), steps.emplace_back())) return std::nullopt;
    from.remove_prefix(slash);
  }
  return steps;
}

bool JsonPaths::add(std::string_view from, std::uint32_t column) {
  const auto steps = json_path(from);
  if (!steps) return false;
  std::uint32_t at = 0;
  for (const std::string& step : *steps) at = child(at, step);
  nodes_[at].columns.push_back(column);
  return true;
}

std::uint32_t JsonPaths::child(std::uint32_t node, std::string key) {
  const auto found = std::find(nodes_[node].keys.begin(), nodes_[node].keys.end(), key);
  if (found != nodes_[node].keys.end()) {
    return nodes_[node].children[static_cast<std::size_t>(found - nodes_[node].keys.begin())];
  }
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_[node].keys.push_back(std::move(key));
  nodes_[node].children.push_back(index);
  nodes_.emplace_back();
  return index;
}

std::vector<ColumnSpec> infer_json_columns(const std::vector<std::string>& records) {
  std::vector<std::string> order;
  std::map<std::string, Seen, std::less<>> keys;
  simdjson::dom::parser parser;
  for (const std::string& record : records) {
    simdjson::dom::object object;
    if (parser.parse(record).get(object) != simdjson::SUCCESS)
      continue;  // it will be a bad record when it is read
    for (const auto field : object) {
      auto found = keys.find(field.key);
      if (found == keys.end()) {
        found = keys.emplace(std::string(field.key), Seen{}).first;
        order.emplace_back(field.key);
      }
      found->second.add(field.value.type());
    }
  }
  std::vector<ColumnSpec> specs;
  for (const std::string& key : order) {
    specs.emplace_back();
    specs.back().name = key;
    specs.back().type = keys[key].type();
    // Written as a pointer, so that a key that starts with a slash is not taken for one.
    for (const char c : key) specs.back().from += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    specs.back().from.insert(0, "/");
  }
  return specs;
}

}  // namespace sluice
