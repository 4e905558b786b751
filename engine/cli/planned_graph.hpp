#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/cli/plan_options.hpp"
#include "engine/cli/verb.hpp"

namespace sluice {

struct PlannedGraph {
  Graph graph;
  JobPlan plan;
};

// Loads a graph, checks and plans it: the common way of `run` and `plan`. Prints all that is wrong on
// standard error and sets the exit code if there is anything.
std::optional<PlannedGraph> load_and_plan(const std::string& path, const std::vector<std::string>& overrides,
                                          const RuntimeArguments& arguments, VerbContext& context);

}  // namespace sluice
