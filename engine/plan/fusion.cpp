#include "engine/plan/fusion.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace sluice {
namespace {

PartitionKind partition_of(const EdgeNode& edge, const OperatorTraits& to, std::uint32_t from_tasks,
                           std::uint32_t to_tasks) {
  switch (edge.partition.kind) {
    case Partition::Kind::forward:
      return PartitionKind::forward;
    case Partition::Kind::rebalance:
      return PartitionKind::rebalance;
    case Partition::Kind::broadcast:
      return PartitionKind::broadcast;
    case Partition::Kind::hash:
      return PartitionKind::hash;
    case Partition::Kind::unset:
      break;
  }
  if (!to.keys.empty()) return PartitionKind::hash;
  return from_tasks == to_tasks ? PartitionKind::forward : PartitionKind::rebalance;
}

// Equal keys must meet in one task: with several tasks only a hash over (some of) the operator's own keys
// does that.
void check_keyed(const EdgeNode& edge, std::size_t index, const OperatorNode& to, std::uint32_t to_tasks,
                 Problems& problems) {
  const std::vector<std::string>& keys = to.bound->traits().keys;
  if (keys.empty() || to_tasks == 1 || edge.partition.kind == Partition::Kind::unset) return;
  const bool by_keys =
      edge.partition.kind == Partition::Kind::hash &&
      std::all_of(edge.partition.keys.begin(), edge.partition.keys.end(),
                  [&](const std::string& k) { return std::find(keys.begin(), keys.end(), k) != keys.end(); });
  if (by_keys) return;
  problems.push_back(
      {fmt::format("/edges/{}/partition", index), ErrorCode::bad_value,
       fmt::format("operator {} groups by key in {} tasks, so equal keys must reach the same one", to.id,
                   to_tasks),
       "leave partition out, or hash by some of the operator's own keys"});
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

void plan_fusion(const Graph& graph, JobPlan& plan, Problems& problems) {
  std::vector<std::size_t> edges_into(graph.operators.size(), 0);
  for (const EdgeNode& edge : graph.edges) ++edges_into[edge.to];
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const EdgeNode& edge = graph.edges[i];
    const OperatorNode& to = graph.operators[edge.to];
    const std::uint32_t from_tasks = plan.operators[edge.from].parallelism;
    const std::uint32_t to_tasks = plan.operators[edge.to].parallelism;
    PlannedEdge& planned = plan.edges[i];
    planned.partition = partition_of(edge, to.bound->traits(), from_tasks, to_tasks);
    // "forward" between unequal sides: validation refuses it as written, but a side may have been clamped
    // since.
    if (planned.partition == PartitionKind::forward && from_tasks != to_tasks) {
      planned.partition = PartitionKind::rebalance;
    }
    check_keyed(edge, i, to, to_tasks, problems);
    planned.reason = why_channel(edge, planned, to, from_tasks, to_tasks, edges_into[edge.to]);
    planned.call = planned.reason.empty();
    if (planned.call) planned.reason = "one task runs both";
  }
}

}  // namespace sluice
