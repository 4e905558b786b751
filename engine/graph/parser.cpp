#include "engine/graph/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/graph/document_fields.hpp"
#include "operators/config/field_text.hpp"
#include "runtime/base/units.hpp"

namespace sluice {
namespace {

// The readers below take what has the right type and range and pass over the rest: check_fields has reported
// it.

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(name);
  return it == object.end() ? nullptr : &*it;
}

std::string text_of(const Json& object, const char* name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

// A name, or a reference to one. An empty one is reported here, so that "" means the same to the rules as one
// that is left out or of the wrong type: it has been reported, or need not be.
std::string name_of(const Json& object, const char* name, const std::string& pointer, Problems& problems) {
  std::string text = text_of(object, name);
  const Json* value = text.empty() ? member(object, name) : nullptr;
  if (value != nullptr && value->is_string()) {
    problems.push_back({fmt::format("{}/{}", pointer, name), ErrorCode::bad_name,
                        fmt::format("\"{}\" is empty", name), "give it a name"});
  }
  return text;
}

std::optional<std::uint32_t> integer_of(const Json& object, const char* name, std::uint32_t minimum,
                                        std::uint32_t maximum) {
  const Json* value = member(object, name);
  if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
  const auto number = value->get<std::uint64_t>();
  if (number < minimum || number > maximum) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

std::optional<double> number_of(const Json& object, const char* name) {
  const Json* value = member(object, name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::vector<std::string> texts_of(const Json* list) {
  std::vector<std::string> texts;
  if (list == nullptr || !list->is_array()) return texts;
  for (const Json& item : *list) texts.push_back(item.is_string() ? item.get<std::string>() : std::string());
  return texts;
}

RuntimeOptions runtime_of(const Json& document) {
  RuntimeOptions options;
  const Json* runtime = member(document, "runtime");
  if (runtime == nullptr) return options;
  options.profile = parse_profile(text_of(*runtime, "profile"));
  options.threads = integer_of(*runtime, "threads", 1, kMaxThreads);
  const auto memory = parse_size_bytes(text_of(*runtime, "memory"));
  if (memory.ok()) options.memory_bytes = memory.value();
  const auto state_memory = parse_size_bytes(text_of(*runtime, "state_memory"));
  if (state_memory.ok()) options.state_memory_bytes = state_memory.value();
  return options;
}

Partition partition_of(const Json& edge) {
  Partition partition;
  const Json* value = member(edge, "partition");
  if (value == nullptr) return partition;
  if (value->is_object()) {
    partition.kind = Partition::Kind::hash;
    partition.keys = texts_of(member(*value, "hash"));
  } else if (*value == "forward") {
    partition.kind = Partition::Kind::forward;
  } else if (*value == "rebalance") {
    partition.kind = Partition::Kind::rebalance;
  } else if (*value == "broadcast") {
    partition.kind = Partition::Kind::broadcast;
  }
  return partition;
}

LossDeclaration loss_of(const Json& edge) {
  constexpr std::pair<const char*, LossPolicy> kPolicies[] = {
      {"none", LossPolicy::none},     {"combine", LossPolicy::combine}, {"sketch", LossPolicy::sketch},
      {"sample", LossPolicy::sample}, {"subset", LossPolicy::subset},   {"drop", LossPolicy::drop}};
  const Json* value = member(edge, "loss");
  if (value == nullptr) return {};
  const std::string name = value->is_object() ? text_of(*value, "policy") : text_of(edge, "loss");
  for (const auto& [policy_name, policy] : kPolicies) {
    if (name == policy_name) return {policy};
  }
  return {};
}

CreditOptions credits_of(const Json& edge) {
  CreditOptions options;
  const Json* credits = member(edge, "credits");
  if (credits == nullptr) return options;
  options.profile = parse_profile(text_of(*credits, "profile"));
  options.window = number_of(*credits, "window");
  options.high = number_of(*credits, "high");
  options.low = number_of(*credits, "low");
  options.min_blocks = integer_of(*credits, "min_blocks", 1, 65536);
  return options;
}

void read_labels(const Json& placement, const std::string& pointer, Placement& result, Problems& problems) {
  const Json* labels = member(placement, "labels");
  if (labels == nullptr) return;
  if (!labels->is_object()) {
    problems.push_back({pointer, ErrorCode::wrong_type,
                        fmt::format("\"labels\" takes an object of strings, not {}", describe_value(*labels)),
                        ""});
    return;
  }
  for (const auto& [name, value] : labels->items()) {
    if (value.is_string()) {
      result.labels[name] = value.get<std::string>();
    } else {
      problems.push_back({pointer + "/" + pointer_step(name), ErrorCode::wrong_type,
                          fmt::format("a label takes a string, not {}", describe_value(value)), ""});
    }
  }
}

void read_operator(const Json& item, std::size_t index, Draft& draft, Problems& problems) {
  const std::string pointer = operator_pointer(index);
  OperatorNode node;
  Draft::OperatorState state;
  node.id = name_of(item, "id", pointer, problems);
  node.type_name = name_of(item, "type", pointer, problems);
  node.parallelism = integer_of(item, "parallelism", 1, kMaxParallelism).value_or(1);
  if (const Json* config = member(item, "config"); config != nullptr) {
    if (config->is_object()) {
      node.config = *config;
    } else {
      state.broken = true;
      problems.push_back({pointer + "/config", ErrorCode::wrong_type,
                          fmt::format("\"config\" takes an object, not {}", describe_value(*config)), ""});
    }
  }
  const Json* placement = member(item, "placement");
  if (placement != nullptr) read_labels(*placement, pointer + "/placement/labels", node.placement, problems);
  draft.placement_with.push_back(
      placement != nullptr ? name_of(*placement, "with", pointer + "/placement", problems) : std::string());
  draft.graph.operators.push_back(std::move(node));
  draft.operators.push_back(state);
}

void read_edge(const Json& item, std::size_t index, Draft& draft, Problems& problems) {
  const std::string pointer = edge_pointer(index);
  EdgeNode edge;
  edge.partition = partition_of(item);
  edge.loss = loss_of(item);
  edge.credits = credits_of(item);
  draft.graph.edges.push_back(std::move(edge));
  draft.edges.push_back({name_of(item, "from", pointer, problems), name_of(item, "to", pointer, problems)});
}

// What check_fields cannot know about its own findings.
void add_reasons(Problems& problems) {
  for (Problem& problem : problems) {
    const bool window =
        problem.code == ErrorCode::out_of_range && problem.pointer.ends_with("/credits/window");
    if (window)
      problem.hint = "10 % of the pool is the control and temporary reserve and is never granted as credit";
  }
}

}  // namespace

std::string operator_pointer(std::size_t index) { return fmt::format("/operators/{}", index); }
std::string edge_pointer(std::size_t index) { return fmt::format("/edges/{}", index); }

Draft parse_graph(const Json& document, Problems& problems) {
  Draft draft;
  check_fields(document_fields(), document, "", problems);
  add_reasons(problems);
  draft.graph.name = name_of(document, "name", "", problems);
  draft.graph.description = text_of(document, "description");
  draft.graph.runtime = runtime_of(document);
  draft.graph.plugins = texts_of(member(document, "plugins"));
  if (const Json* operators = member(document, "operators"); operators != nullptr && operators->is_array()) {
    for (const Json& item : *operators) read_operator(item, draft.graph.operators.size(), draft, problems);
  } else {
    draft.operators_complete = false;
  }
  if (const Json* edges = member(document, "edges"); edges != nullptr && edges->is_array()) {
    for (const Json& item : *edges) read_edge(item, draft.graph.edges.size(), draft, problems);
  } else if (edges != nullptr) {
    draft.edges_complete = false;
  }
  return draft;
}

}  // namespace sluice
