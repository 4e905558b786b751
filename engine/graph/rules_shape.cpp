#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "engine/graph/rules.hpp"

namespace sluice {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Kahn's algorithm: what is left over has a cycle in it or upstream of it.
std::vector<std::size_t> sort_topologically(const Draft& draft) {
  std::vector<std::size_t> missing(draft.graph.operators.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    missing[i] = draft.edges_in[i].size();
    if (missing[i] == 0) order.push_back(i);
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const std::size_t edge : draft.edges_out[order[next]]) {
      const std::size_t to = draft.graph.edges[edge].to;
      if (--missing[to] == 0) order.push_back(to);
    }
  }
  return order;
}

// a → b → c → a; of a long one the middle is left out.
std::string show_cycle(const Graph& graph, const std::vector<std::size_t>& cycle) {
  constexpr std::size_t kShownAtStart = 5;
  constexpr std::size_t kShownAtEnd = 2;
  std::string text;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const bool cut = cycle.size() > kShownAtStart + kShownAtEnd + 1 && i == kShownAtStart;
    if (cut) {
      const std::size_t skipped = cycle.size() - kShownAtStart - kShownAtEnd;
      text += fmt::format("… ({} more) → ", skipped);
      i += skipped;
    }
    text += graph.operators[cycle[i]].id + " → ";
  }
  return text + graph.operators[cycle.front()].id;
}

// Walks the left-over operators upstream until a walk meets itself or a walk before it. Edges from an
// operator to itself are reported on their own.
class CycleFinder {
 public:
  CycleFinder(Draft& draft, Problems& problems)
      : draft_(draft), problems_(problems), left_(draft.operators.size(), true) {
    for (const std::size_t i : draft.graph.topological_order) left_[i] = false;
  }

  void run() {
    report_self_loops();
    walk_of_.assign(left_.size(), kNone);
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (!left_[i]) continue;
      draft_.operators[i].explained = true;
      if (walk_of_[i] == kNone) walk_from(i);
    }
  }

 private:
  void walk_from(std::size_t start) {
    std::vector<std::size_t> path;
    std::size_t at = start;
    while (at != kNone && walk_of_[at] == kNone) {
      walk_of_[at] = start;
      path.push_back(at);
      at = upstream(at);
    }
    if (at != kNone && walk_of_[at] == start) report({std::find(path.begin(), path.end(), at), path.end()});
  }

  // Another left-over operator before this one; none if only an edge to itself is in its way.
  std::size_t upstream(std::size_t index) const {
    for (const std::size_t edge : draft_.edges_in[index]) {
      const std::size_t from = draft_.graph.edges[edge].from;
      if (left_[from] && from != index) return from;
    }
    return kNone;
  }

  void report_self_loops() {
    for (std::size_t edge = 0; edge < draft_.edges.size(); ++edge) {
      const EdgeNode& node = draft_.graph.edges[edge];
      if (draft_.edges[edge].resolved && node.from == node.to) report({node.from});
    }
  }

  // `cycle` goes upstream. It is shown downstream, from the operator that stands first in the document, at
  // the edge back to it.
  void report(std::vector<std::size_t> cycle) {
    std::reverse(cycle.begin(), cycle.end());
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    const auto& back = draft_.edges_out[cycle.back()];
    const auto edge = std::find_if(back.begin(), back.end(),
                                   [&](std::size_t e) { return draft_.graph.edges[e].to == cycle.front(); });
    problems_.push_back({edge_pointer(*edge), ErrorCode::cycle,
                         fmt::format("the graph has a cycle: {}", show_cycle(draft_.graph, cycle)),
                         "records only flow forward: remove an edge of it"});
  }

  Draft& draft_;
  Problems& problems_;
  std::vector<bool> left_;
  std::vector<std::size_t> walk_of_;  // the start of the walk that visited the operator
};

bool has_edge_at(const Draft& draft, const std::vector<std::size_t>& edges, std::size_t port, bool output) {
  return std::any_of(edges.begin(), edges.end(), [&](std::size_t e) {
    return (output ? draft.graph.edges[e].output_port : draft.graph.edges[e].input_port) == port;
  });
}

void port_without_edge(const OperatorNode& node, std::size_t index, const PortSpec& port, bool output,
                       Problems& problems) {
  const std::string_view name = output ? "out" : "in";
  const std::string end = port.name == name ? node.id : fmt::format("{}.{}", node.id, port.name);
  problems.push_back({operator_pointer(index), ErrorCode::port_not_connected,
                      fmt::format("the {} port \"{}\" of \"{}\" has no edge", output ? "output" : "input",
                                  port.name, node.id),
                      output ? fmt::format("add an edge {{\"from\": \"{}\", \"to\": …}}", end)
                             : fmt::format("add an edge {{\"from\": …, \"to\": \"{}\"}}", end)});
}

// True if one was found.
bool check_ports_of(const Draft& draft, std::size_t index, bool output, Problems& problems) {
  const OperatorNode& node = draft.graph.operators[index];
  const auto& ports = output ? node.outputs : node.type->inputs;
  const auto& edges = output ? draft.edges_out[index] : draft.edges_in[index];
  bool found = false;
  for (std::size_t port = 0; port < ports.size(); ++port) {
    // What computes for nobody is a slip as well, whatever its ports allow. A sink's are for its bad records.
    const bool useless = output && edges.empty() && port == 0 && node.type->kind != OperatorKind::sink;
    if ((!ports[port].required && !useless) || has_edge_at(draft, edges, port, output)) continue;
    port_without_edge(node, index, ports[port], output, problems);
    found = true;
  }
  return found;
}

void check_ports_of(Draft& draft, std::size_t index, Problems& problems) {
  const bool orphan = draft.edges_in[index].empty() && draft.edges_out[index].empty();
  const OperatorNode& node = draft.graph.operators[index];
  if (orphan && node.type->kind != OperatorKind::source) {
    draft.operators[index].explained = true;
    problems.push_back({operator_pointer(index), ErrorCode::unreachable,
                        fmt::format("no source reaches \"{}\": it has no edges", node.id),
                        "join it with edges, or remove it"});
    return;
  }
  const bool input_missing = check_ports_of(draft, index, false, problems);
  check_ports_of(draft, index, true, problems);
  if (input_missing) draft.operators[index].explained = true;
}

bool all_types_known(const Draft& draft) {
  const auto& operators = draft.graph.operators;
  return std::all_of(operators.begin(), operators.end(),
                     [](const OperatorNode& node) { return node.type != nullptr; });
}

bool is_source(const OperatorNode& node) {
  return node.type != nullptr && node.type->kind == OperatorKind::source;
}

}  // namespace

void check_cycles(Draft& draft, Problems& problems) {
  draft.graph.topological_order = sort_topologically(draft);
  if (draft.graph.topological_order.size() == draft.operators.size()) return;
  CycleFinder(draft, problems).run();
}

void check_sources(Draft& draft, Problems& problems) {
  const auto& operators = draft.graph.operators;
  if (!draft.operators_complete || !all_types_known(draft) ||
      std::any_of(operators.begin(), operators.end(), is_source))
    return;
  problems.push_back(
      {"/operators", ErrorCode::no_source,
       operators.empty() ? "the graph has no operators" : "the graph has no source: nothing would flow",
       "add an operator that reads or makes records, like file_source or generator"});
  for (Draft::OperatorState& state : draft.operators) state.explained = true;
}

void check_ports(Draft& draft, Problems& problems) {
  if (!draft.edges_complete) return;
  for (std::size_t i = 0; i < draft.operators.size(); ++i) {
    if (draft.graph.operators[i].type != nullptr) check_ports_of(draft, i, problems);
  }
}

void check_reachable(const Draft& draft, Problems& problems) {
  if (!draft.edges_complete) return;
  // Explanations flow downstream like records: what hangs on a reported operator is not reported again.
  std::vector<bool> settled(draft.operators.size());
  for (std::size_t i = 0; i < settled.size(); ++i) {
    settled[i] = draft.operators[i].explained || is_source(draft.graph.operators[i]);
  }
  for (const std::size_t i : draft.graph.topological_order) {
    if (!settled[i]) {
      settled[i] = true;
      problems.push_back({operator_pointer(i), ErrorCode::unreachable,
                          fmt::format("no source reaches \"{}\"", draft.graph.operators[i].id),
                          "add an edge that leads to it from a source, or remove it"});
    }
    for (const std::size_t edge : draft.edges_out[i]) settled[draft.graph.edges[edge].to] = true;
  }
}

}  // namespace sluice
