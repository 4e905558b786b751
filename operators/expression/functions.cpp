#include "operators/expression/functions.hpp"

#include <algorithm>

namespace sluice::expression {

std::string Overload::signature() const {
  std::string text(name);
  text += '(';
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) text += ", ";
    text += type_name(parameters[i]);
  }
  return text + ')';
}

const std::vector<Overload>& function_overloads() {
  static const std::vector<Overload> all = [] {
    Overloads list;
    add_math_functions(list);
    add_text_functions(list);
    add_regex_functions(list);
    add_time_functions(list);
    add_json_functions(list);
    std::stable_sort(list.begin(), list.end(),
                     [](const Overload& a, const Overload& b) { return a.name < b.name; });
    return list;
  }();
  return all;
}

std::span<const Overload> find_overloads(std::string_view name) {
  const auto& all = function_overloads();
  const auto [from, to] =
      std::equal_range(all.begin(), all.end(), Overload{.name = name},
                       [](const Overload& a, const Overload& b) { return a.name < b.name; });
  return {from, to};
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Overload& overload : function_overloads()) {
    if (names.empty() || names.back() != overload.name) names.emplace_back(overload.name);
  }
  names.insert(names.end(), std::begin(kSpecialFunctions), std::end(kSpecialFunctions));
  return names;
}

}  // namespace sluice::expression
