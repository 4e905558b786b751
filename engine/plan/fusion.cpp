#include "engine/plan/fusion.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace sluice {
namespace {

PartitionKind partition_of(const EdgeNode& edge, const OperatorTraits& to, std::uint32_t from_tasks,
                           std::uint32_t to_tasks) {
  switch (edge.partition.kind) {
    case Partition::Kind::rebalance:
      return PartitionKind::rebalance;
    case Partition::Kind::broadcast:
      return PartitionKind::broadcast;
    case Partition::Kind::hash:
      return PartitionKind::hash;
    case Partition::Kind::forward:
      // Validation refuses it between unequal sides as written, but a side may have been clamped since.
      if (from_tasks == to_tasks) return PartitionKind::forward;
      break;
    case Partition::Kind::unset:
      break;
  }
  if (!to.keys_of(edge.input_port).empty()) return PartitionKind::hash;
  return from_tasks == to_tasks ? PartitionKind::forward : PartitionKind::rebalance;
}

// Why the edge has to be a channel; "" if it can be a call.
std::string why_channel(const EdgeNode& edge, const PlannedEdge& planned, const OperatorNode& to,
                        std::uint32_t from_tasks, std::uint32_t to_tasks, std::size_t edges_into) {
  if (from_tasks != to_tasks) return fmt::format("{} and {} tasks", from_tasks, to_tasks);
  if (planned.partition == PartitionKind::hash) return "rows go to tasks by key";
  if (edge.partition.kind == Partition::Kind::rebalance ||
      edge.partition.kind == Partition::Kind::broadcast) {
    return fmt::format("the author asked for {}", partition_name(planned.partition));
  }
  if (edges_into > 1) return "several edges meet in the operator";
  if (to.bound->traits().starts_chain) return fmt::format("{} is a consumer under trial", to.type_name);
  const CreditOptions& c = edge.credits;
  if (c.profile || c.window || c.high || c.low || c.min_blocks) return "the author sized its credits";
  return "";
}

}  // namespace

std::string_view partition_name(PartitionKind kind) {
  switch (kind) {
    case PartitionKind::forward:
      return "forward";
    case PartitionKind::rebalance:
      return "rebalance";
    case PartitionKind::broadcast:
      return "broadcast";
    case PartitionKind::hash:
      return "hash";
  }
  return "?";
}

void plan_fusion(const Graph& graph, JobPlan& plan) {
  std::vector<std::size_t> edges_into(graph.operators.size(), 0);
  for (const EdgeNode& edge : graph.edges) ++edges_into[edge.to];
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const EdgeNode& edge = graph.edges[i];
    const OperatorNode& to = graph.operators[edge.to];
    const std::uint32_t from_tasks = plan.operators[edge.from].parallelism;
    const std::uint32_t to_tasks = plan.operators[edge.to].parallelism;
    PlannedEdge& planned = plan.edges[i];
    planned.partition = partition_of(edge, to.bound->traits(), from_tasks, to_tasks);
    planned.reason = why_channel(edge, planned, to, from_tasks, to_tasks, edges_into[edge.to]);
    planned.call = planned.reason.empty();
    if (planned.call) planned.reason = "one task runs both";
  }
}

}  // namespace sluice
