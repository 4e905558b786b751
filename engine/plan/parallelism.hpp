#pragma once

#include "engine/plan/planner.hpp"

namespace sluice {

// Decides how many tasks each operator gets: what the author asked for, less where the operator allows less
// (a file is read by one task) or where something downstream depends on the order of the rows (then
// everything before it is one task, so that the result is a function of the input alone).
void plan_parallelism(const Graph& graph, JobPlan& plan);

}  // namespace sluice
