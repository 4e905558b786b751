#pragma once

#include "engine/plan/planner.hpp"

namespace sluice {

// Decides each edge's partition, and which edges are calls inside a task. A chain is a tree of operators
// joined by calls. Problems: a keyed operator whose author asked for a partition that would part equal keys.
void plan_fusion(const Graph& graph, JobPlan& plan);

}  // namespace sluice
