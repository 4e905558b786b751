#pragma once

#include <cstdint>
#include <optional>

#include "engine/graph/graph.hpp"
#include "engine/plan/planner.hpp"

namespace sluice {

struct RunSettings {
  std::optional<std::int64_t> duration_us;  // drain after this time
  bool json = false;                        // the summary as JSON
};

// Runs a planned job in this process until its sources end, it fails, or it is told to stop: SIGINT or
// SIGTERM drains (sources stop, all that was read comes out of the sinks), a second one stops at once. Prints
// progress and a summary on standard error. Returns the exit code: 0 done (also drained by SIGTERM or
// --duration), 1 failed, 130 interrupted.
int run_job(const Graph& graph, JobPlan plan, const RunSettings& settings);

}  // namespace sluice
