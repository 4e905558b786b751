#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/cli/run_summary.hpp"
#include "engine/plan/planner.hpp"
#include "runtime/worker/worker.hpp"

namespace sluice {

// A graph given as text, run to its end in this process, and what was left of it: for tests of the whole way
// from JSON to sink.
struct GraphRun {
  RunTotals totals;
  bool cancelled = false;
  std::string error;                     // of the job; "" if there was none
  std::vector<std::string> differences;  // of the audit
  std::string problems;                  // of the graph or its plan; then nothing ran
  NodePlan plan;                         // as it ran

  const OperatorTotals& op(const std::string& id) const;
};

// Called again and again while the graph runs; it may drain or cancel the worker.
using WhileRunning = std::function<void(Worker& worker, const RunTotals& totals)>;

// Called before it runs; it may change what was planned.
using BeforeRunning = std::function<void(NodePlan& plan)>;

GraphRun run_graph_text(const std::string& json, PlanOptions options = {}, const WhileRunning& watch = {},
                        const BeforeRunning& change = {});

// A folder for a test's files, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& content) const;
  std::string read(const std::string& name) const;
  // The lines, sorted: a file whose row order is free.
  std::vector<std::string> sorted_lines(const std::string& name) const;

 private:
  std::string folder_;
};

}  // namespace sluice
