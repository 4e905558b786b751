#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/graph/graph.hpp"
#include "operators/config/problem.hpp"
#include "runtime/plan/node_plan.hpp"

namespace sluice {

// What the command line and the document's "runtime" come to, every value decided.
struct PlanOptions {
  Profile profile = Profile::balanced;
  std::uint64_t memory_bytes = 256ull << 20;
  std::uint64_t state_memory_bytes = StateBudget::kDefaultBytes;  // a task
  std::uint32_t threads = 0;                                      // 0: one a core, but no more than tasks
};

// How an operator will run, for `sluice plan`.
struct PlannedOperator {
  std::uint32_t parallelism = 1;
  std::string parallelism_note;  // why it is less than the author asked for; "" if it is not
  std::uint32_t chain = 0;       // index of the chain that it belongs to
};

// How an edge will run, for `sluice plan`.
struct PlannedEdge {
  PartitionKind partition = PartitionKind::forward;
  bool call = false;   // true: the two operators are one task; false: channels through rings
  std::string reason;  // why it is a call or a ring, one sentence
  std::uint32_t channels = 0;
  std::vector<LanePlan> lanes;
  Watermarks marks;
  EdgeId edge;  // in the node plan, if it is not a call
};

struct JobPlan {
  NodePlan node;
  PlanOptions options;                     // with threads decided
  std::vector<PlannedOperator> operators;  // as in the graph
  std::vector<PlannedEdge> edges;          // as in the graph
};

// A plan, or what stands in its way with absolute JSON pointers. Deterministic. Linear in the size of the
// graph but for the channels, of which an edge between p and q tasks has p·q.
struct PlanResult {
  JobPlan plan;
  Problems problems;

  bool ok() const { return problems.empty(); }
};

PlanResult plan_job(const Graph& graph, const PlanOptions& options);

std::string_view partition_name(PartitionKind kind);

}  // namespace sluice
