#include "engine/plan/parallelism.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace sluice {
namespace {

// For each operator, the nearest order-sensitive operator downstream of it, or none: found against the
// topological order.
std::vector<const OperatorNode*> order_sensitive_downstream(const Graph& graph) {
  std::vector<std::vector<std::size_t>> downstream(graph.operators.size());
  for (const EdgeNode& edge : graph.edges) downstream[edge.from].push_back(edge.to);
  std::vector<const OperatorNode*> found(graph.operators.size(), nullptr);
  for (auto it = graph.topological_order.rbegin(); it != graph.topological_order.rend(); ++it) {
    for (const std::size_t to : downstream[*it]) {
      const OperatorNode& next = graph.operators[to];
      if (next.bound->traits().order_sensitive) {
        found[*it] = &next;
      } else if (found[*it] == nullptr) {
        found[*it] = found[to];
      }
    }
  }
  return found;
}

}  // namespace

void plan_parallelism(const Graph& graph, JobPlan& plan) {
  const std::vector<const OperatorNode*> ordered = order_sensitive_downstream(graph);
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const OperatorNode& op = graph.operators[i];
    const OperatorTraits& traits = op.bound->traits();
    PlannedOperator& planned = plan.operators[i];
    planned.parallelism = op.parallelism;
    if (traits.max_parallelism > 0 && planned.parallelism > traits.max_parallelism) {
      planned.parallelism = traits.max_parallelism;
      planned.parallelism_note = traits.max_parallelism_reason;
    }
    if (planned.parallelism > 1 && ordered[i] != nullptr) {
      planned.parallelism = 1;
      planned.parallelism_note = fmt::format("{} depends on the order of the records", ordered[i]->id);
    }
  }
}

}  // namespace sluice
