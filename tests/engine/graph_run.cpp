#include "tests/engine/graph_run.hpp"

#include <doctest/doctest.h>

#include <stdlib.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/graph/load.hpp"
#include "operators/builtin/builtin_catalogue.hpp"

namespace sluice {
namespace {

class SilentLog final : public Log {
 public:
  void write(LogLevel, std::string_view) override {}
};

// A run that hangs is a failure that says so, not a test suite that never ends.
constexpr TimeNs kDeadlineNs = 300 * kNsPerSecond;

}  // namespace

const OperatorTotals& GraphRun::op(const std::string& id) const {
  const auto it = std::find_if(totals.operators.begin(), totals.operators.end(),
                               [&](const auto& o) { return o.id == id; });
  REQUIRE(it != totals.operators.end());
  return *it;
}

GraphRun run_graph_text(const std::string& json, PlanOptions options, const WhileRunning& watch,
                        const BeforeRunning& change) {
  GraphRun run;
  LoadedGraph loaded = load_graph_text(json, "test.json", ".", builtin_catalogue());
  if (!loaded.graph) {
    run.problems = report_as_text(loaded.report, false);
    return run;
  }
  const Graph& graph = *loaded.graph;
  PlanResult planned = plan_job(graph, options);
  for (const Problem& problem : planned.problems)
    run.problems += problem.pointer + ": " + problem.message + "\n";
  if (!planned.ok()) return run;
  if (change) change(planned.plan.node);
  run.plan = planned.plan.node;
  SilentLog log;
  std::unique_ptr<Worker> worker = std::move(Worker::create(std::move(planned.plan.node), log)).value();
  const MonotonicClock clock;
  const TimeNs begun_ns = clock.now_ns();
  worker->start();
  while (!worker->wait_for_end(kNsPerMs)) {
    if (watch) watch(*worker, read_totals(graph, *worker));
    if (clock.now_ns() - begun_ns > kDeadlineNs) {
      run.error = "the run did not end in time";
      worker->cancel();
      break;
    }
  }
  const Worker::End end = worker->stop();
  run.cancelled = end.cancelled;
  if (end.error) run.error = end.error->message();
  run.differences = end.audit.differences(!end.cancelled);
  run.totals = read_totals(graph, *worker);
  return run;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  folder_ = pattern;
}

TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(folder_); }

void TemporaryFolder::write(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
}

std::string TemporaryFolder::read(const std::string& name) const {
  std::ostringstream out;
  out << std::ifstream(path(name), std::ios::binary).rdbuf();
  return out.str();
}

std::vector<std::string> TemporaryFolder::sorted_lines(const std::string& name) const {
  std::istringstream in(read(name));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace sluice
