#pragma once

#include "engine/plan/planner.hpp"

namespace sluice {

// Gives every channel its lanes, windows and marks and the pool its tiers, as a sum of named holders that
// fits the memory; or says what the least would be. Sets plan.node.tiers, .budget, .channels' lanes and
// marks, and the same in plan.edges.
void plan_sizes(const Graph& graph, JobPlan& plan, Problems& problems);

}  // namespace sluice
