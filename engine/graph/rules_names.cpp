#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/graph/document_fields.hpp"
#include "engine/graph/rules.hpp"
#include "operators/config/field_text.hpp"

namespace sluice {

void check_graph_name(const Draft& draft, Problems& problems) {
  const std::string& name = draft.graph.name;
  if (name.empty() || is_graph_name(name)) return;
  problems.push_back({"/name", ErrorCode::bad_name,
                      fmt::format("{} is not a name for a graph", quote_value(name)),
                      fmt::format("names follow {}", kGraphNameRule)});
}

void check_plugins(const Draft& draft, Problems& problems) {
  if (draft.graph.plugins.empty()) return;
  problems.push_back({"/plugins", ErrorCode::plugin_unavailable, "this version loads no plugins",
                      "leave \"plugins\" out and use the built-in operators"});
}

void check_operator_ids(Draft& draft, Problems& problems) {
  for (std::size_t i = 0; i < draft.graph.operators.size(); ++i) {
    const std::string& id = draft.graph.operators[i].id;
    const std::string pointer = operator_pointer(i) + "/id";
    if (id.empty()) {
      draft.edges_complete = false;
      continue;
    }
    if (!is_operator_id(id)) {
      problems.push_back({pointer, ErrorCode::bad_name,
                          fmt::format("{} is not an id for an operator", quote_value(id)),
                          fmt::format("ids follow {}", kOperatorIdRule)});
    }
    const auto [first, added] = draft.by_id.emplace(id, i);
    if (added) continue;
    problems.push_back(
        {pointer, ErrorCode::duplicate_id,
         fmt::format("the id {} is taken by {}", quote_value(id), operator_pointer(first->second)),
         "give each operator an id of its own"});
    draft.edges_complete = false;
  }
}

namespace {

void unknown_type(const std::string& type, const std::string& pointer, const Catalogue& catalogue,
                  Problems& problems) {
  if (type.find('/') != std::string::npos) {
    problems.push_back(
        {pointer, ErrorCode::plugin_unavailable,
         fmt::format("{} is a plugin's operator, and this version loads no plugins", quote_value(type)),
         "use one of the built-in operators: sluice operators"});
    return;
  }
  std::vector<std::string> names;
  for (const OperatorType& known : catalogue.types()) names.push_back(known.type);
  std::string hint = did_you_mean(type, names);
  if (hint.empty()) hint = "`sluice operators` lists the types";
  problems.push_back({pointer, ErrorCode::unknown_operator_type,
                      fmt::format("there is no operator of the type {}", quote_value(type)),
                      std::move(hint)});
}

}  // namespace

void check_operator_types(Draft& draft, const Catalogue& catalogue, Problems& problems) {
  for (std::size_t i = 0; i < draft.graph.operators.size(); ++i) {
    OperatorNode& node = draft.graph.operators[i];
    node.type = catalogue.find(node.type_name);
    if (node.type != nullptr) {
      node.outputs = node.type->outputs;
      if (!node.type->more_outputs) continue;
      for (PortSpec& port : node.type->more_outputs(node.config)) node.outputs.push_back(std::move(port));
      continue;
    }
    draft.operators[i].broken = true;
    if (!node.type_name.empty())
      unknown_type(node.type_name, operator_pointer(i) + "/type", catalogue, problems);
  }
}

void check_configs(Draft& draft, Problems& problems) {
  for (std::size_t i = 0; i < draft.graph.operators.size(); ++i) {
    const OperatorNode& node = draft.graph.operators[i];
    if (draft.operators[i].broken) continue;
    const std::size_t before = problems.size();
    check_fields(node.type->fields, node.config, operator_pointer(i) + "/config", problems);
    draft.operators[i].broken = problems.size() > before;
  }
}

void check_placement(Draft& draft, Problems& problems) {
  for (std::size_t i = 0; i < draft.graph.operators.size(); ++i) {
    const std::string& with = draft.placement_with[i];
    if (with.empty()) continue;
    const std::string pointer = operator_pointer(i) + "/placement/with";
    const auto found = draft.by_id.find(with);
    if (found == draft.by_id.end()) {
      problems.push_back({pointer, ErrorCode::unknown_operator,
                          fmt::format("there is no operator with the id {}", quote_value(with)), ""});
    } else if (found->second == i) {
      problems.push_back(
          {pointer, ErrorCode::bad_value, "an operator stands beside itself already", "remove it"});
    } else {
      draft.graph.operators[i].placement.with = found->second;
    }
  }
}

}  // namespace sluice
