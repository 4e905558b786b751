#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph/rules.hpp"
#include "operators/config/field_text.hpp"
#include "runtime/base/check.hpp"

namespace sluice {
namespace {

const Schema& sent_schema(const Graph& graph, const EdgeNode& edge) {
  return graph.operators[edge.from].bound->output_schemas()[edge.output_port];
}

std::string list(const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < kShown; ++i) text += (i > 0 ? ", " : "") + items[i];
  if (items.size() > kShown) text += fmt::format(" and {} more", items.size() - kShown);
  return text;
}

// What of `other` differs from `first`: "it lacks status int64; it adds size; bytes is float64, not int64".
std::string difference(const Schema& first, const Schema& other) {
  std::vector<std::string> lacks;
  std::vector<std::string> adds;
  std::vector<std::string> differ;
  for (std::size_t i = 0; i < first.visible(); ++i) {
    const Field& field = first.field(i);
    const auto match = other.find(field.name);
    if (!match) {
      lacks.push_back(fmt::format("{} {}", field.name, type_name(field.type)));
    } else if (other.field(*match).type != field.type) {
      differ.push_back(fmt::format("{} is {}, not {}", field.name, type_name(other.field(*match).type),
                                   type_name(field.type)));
    }
  }
  for (std::size_t i = 0; i < other.visible(); ++i) {
    if (!first.find(other.field(i).name)) adds.push_back(other.field(i).name);
  }
  std::vector<std::string> parts;
  if (!lacks.empty()) parts.push_back("it lacks " + list(lacks));
  if (!adds.empty()) parts.push_back("it adds " + list(adds));
  if (!differ.empty()) parts.push_back(list(differ));
  if (parts.empty() && first.has_event_time() != other.has_event_time()) {
    parts.push_back(other.has_event_time() ? "it has an event time" : "it has no event time");
  }
  if (parts.empty()) parts.push_back("its columns stand in another order");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

// The schema of each input port. False if one is not to be known, or if a union does not fit.
bool collect_inputs(Draft& draft, std::size_t index, Problems& problems) {
  Graph& graph = draft.graph;
  OperatorNode& node = graph.operators[index];
  std::vector<const EdgeNode*> first(node.type->inputs.size());
  node.input_schemas.assign(first.size(), Schema());
  bool good = true;
  for (const std::size_t e : draft.edges_in[index]) {
    const EdgeNode& edge = graph.edges[e];
    if (graph.operators[edge.from].bound == nullptr) {
      good = false;
      continue;
    }
    const Schema& schema = sent_schema(graph, edge);
    const EdgeNode*& earlier = first[edge.input_port];
    if (earlier == nullptr) {
      earlier = &edge;
      node.input_schemas[edge.input_port] = schema;
    } else if (schema != node.input_schemas[edge.input_port]) {
      good = false;
      problems.push_back(
          {edge_pointer(e), ErrorCode::schema_mismatch,
           fmt::format("\"{}\" and \"{}\" both flow into \"{}\" with different columns: of the second, {}",
                       output_name(graph, *earlier), output_name(graph, edge), input_name(graph, edge),
                       difference(node.input_schemas[edge.input_port], schema)),
           "bring both to the same columns, e.g. with a map"});
    }
  }
  return good;
}

bool inputs_are_connected(const Draft& draft, std::size_t index) {
  const auto& inputs = draft.graph.operators[index].type->inputs;
  for (std::size_t port = 0; port < inputs.size(); ++port) {
    const auto& edges = draft.edges_in[index];
    const bool connected = std::any_of(
        edges.begin(), edges.end(), [&](std::size_t e) { return draft.graph.edges[e].input_port == port; });
    if (inputs[port].required && !connected) return false;
  }
  return true;
}

void bind_operator(Draft& draft, std::size_t index, Problems& problems) {
  OperatorNode& node = draft.graph.operators[index];
  Problems found;
  node.bound = node.type->bind({node.config, node.input_schemas, node.id, draft.graph.base_directory}, found);
  SLUICE_CHECK(node.bound != nullptr || !found.empty(), "{} refuses \"{}\" without a reason", node.type_name,
               node.id);
  if (!found.empty()) node.bound = nullptr;
  if (node.bound != nullptr) {
    SLUICE_CHECK_EQ(node.bound->output_schemas().size(), node.outputs.size());
  }
  for (Problem& problem : found) {
    problem.pointer = operator_pointer(index) + "/config" + problem.pointer;
    problems.push_back(std::move(problem));
  }
}

std::uint32_t tasks_of(const OperatorNode& node) {
  const std::uint32_t most = node.bound->traits().max_parallelism;
  return most == 0 ? node.parallelism : std::min(node.parallelism, most);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_hash_keys(const Graph& graph, std::size_t index, Problems& problems) {
  const EdgeNode& edge = graph.edges[index];
  const Schema& schema = sent_schema(graph, edge);
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < schema.visible(); ++i) columns.push_back(schema.field(i).name);
  for (std::size_t k = 0; k < edge.partition.keys.size(); ++k) {
    const std::string& key = edge.partition.keys[k];
    if (contains(columns, key)) continue;
    std::string hint = did_you_mean(key, columns);
    if (hint.empty()) hint = "its columns: " + schema.to_string();
    problems.push_back({fmt::format("{}/partition/hash/{}", edge_pointer(index), k),
                        ErrorCode::unknown_column,
                        fmt::format("\"{}\" sends no column {}", output_name(graph, edge), quote_value(key)),
                        std::move(hint)});
  }
}

void check_forward(const Graph& graph, std::size_t index, Problems& problems) {
  const EdgeNode& edge = graph.edges[index];
  const std::uint32_t from = tasks_of(graph.operators[edge.from]);
  const std::uint32_t to = tasks_of(graph.operators[edge.to]);
  if (from == to) return;
  problems.push_back({edge_pointer(index) + "/partition", ErrorCode::bad_value,
                      fmt::format("\"forward\" joins task to task, but \"{}\" has {} and \"{}\" has {}",
                                  graph.operators[edge.from].id, from, graph.operators[edge.to].id, to),
                      "give both the same parallelism, or leave \"partition\" out"});
}

// Whether rows of equal `keys` still meet in one task: by a hash of some of them, or because they met before
// and stay.
bool keeps_keys_together(const Graph& graph, const EdgeNode& edge, const std::vector<std::string>& keys) {
  const std::vector<std::string>& hashed = edge.partition.kind == Partition::Kind::hash
                                               ? edge.partition.keys
                                               : graph.operators[edge.from].bound->traits().keys;
  if (edge.partition.kind != Partition::Kind::hash && edge.partition.kind != Partition::Kind::forward)
    return false;
  return !hashed.empty() &&
         std::all_of(hashed.begin(), hashed.end(), [&](const auto& key) { return contains(keys, key); });
}

// All of a join's right-hand rows are in each of its tasks.
bool right_is_everywhere(const Draft& draft, std::size_t join) {
  const auto& edges = draft.edges_in[join];
  return std::all_of(edges.begin(), edges.end(), [&](std::size_t e) {
    const EdgeNode& edge = draft.graph.edges[e];
    return edge.input_port != 1 || edge.partition.kind == Partition::Kind::broadcast;
  });
}

// Whether each left row of a join still meets all right rows of its key, once: both sides are hashed by the
// pairs of `on`, in their order, or the right side is in every task.
bool sides_meet(const Draft& draft, const EdgeNode& edge) {
  const bool hashed =
      edge.partition.kind == Partition::Kind::hash &&
      edge.partition.keys == draft.graph.operators[edge.to].bound->traits().keys_of(edge.input_port);
  if (edge.input_port == 1) return hashed || edge.partition.kind == Partition::Kind::broadcast;
  return hashed || (edge.partition.kind != Partition::Kind::broadcast && right_is_everywhere(draft, edge.to));
}

void check_keyed_receiver(const Draft& draft, std::size_t index, Problems& problems) {
  const Graph& graph = draft.graph;
  const EdgeNode& edge = graph.edges[index];
  const OperatorNode& receiver = graph.operators[edge.to];
  const OperatorTraits& traits = receiver.bound->traits();
  const std::vector<std::string>& keys = traits.keys_of(edge.input_port);
  if (keys.empty() || tasks_of(receiver) == 1) return;
  if (!traits.right_keys.empty()) {
    if (sides_meet(draft, edge)) return;
    problems.push_back(
        {edge_pointer(index) + "/partition", ErrorCode::bad_value,
         fmt::format("\"{}\" joins by key in {} tasks, and with this partition rows of equal keys would miss "
                     "each other or meet twice",
                     receiver.id, tasks_of(receiver)),
         fmt::format("leave \"partition\" out, hash by {}, or broadcast the right side",
                     one_of(keys, "and"))});
    return;
  }
  if (keeps_keys_together(graph, edge, keys)) return;
  problems.push_back(
      {edge_pointer(index) + "/partition", ErrorCode::bad_value,
       fmt::format("\"{}\" works by key in {} tasks, and this partition would send records of equal keys to "
                   "different ones",
                   receiver.id, tasks_of(receiver)),
       fmt::format("leave \"partition\" out, or hash by some of its keys: {}", one_of(keys, "and"))});
}

}  // namespace

void bind_operators(Draft& draft, Problems& problems) {
  for (const std::size_t i : draft.graph.topological_order) {
    if (draft.operators[i].broken || !inputs_are_connected(draft, i)) continue;
    if (collect_inputs(draft, i, problems)) bind_operator(draft, i, problems);
  }
}

void check_partitions(const Draft& draft, Problems& problems) {
  const Graph& graph = draft.graph;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const EdgeNode& edge = graph.edges[i];
    const bool known = draft.edges[i].resolved && graph.operators[edge.from].bound != nullptr;
    if (!known || edge.partition.kind == Partition::Kind::unset) continue;
    const std::size_t before = problems.size();
    if (edge.partition.kind == Partition::Kind::hash) check_hash_keys(graph, i, problems);
    if (graph.operators[edge.to].bound == nullptr || problems.size() > before) continue;
    if (edge.partition.kind == Partition::Kind::forward) check_forward(graph, i, problems);
    if (problems.size() == before) check_keyed_receiver(draft, i, problems);
  }
}

}  // namespace sluice
