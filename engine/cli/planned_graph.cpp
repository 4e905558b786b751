#include "engine/cli/planned_graph.hpp"

#include <fmt/format.h>

#include "engine/graph/load.hpp"

namespace sluice {

std::optional<PlannedGraph> load_and_plan(const std::string& path, const std::vector<std::string>& overrides,
                                          const RuntimeArguments& arguments, VerbContext& context) {
  context.exit_code = kWrongUsage;
  LoadOptions load;
  load.overrides = overrides;
  load.parallelism = arguments.parallelism;
  LoadedGraph loaded = load_graph(path, context.catalogue, load);
  if (!loaded.graph) {
    context.terminal.write_err(report_as_text(loaded.report, context.terminal.colour_err));
    return std::nullopt;
  }
  Graph graph = *std::move(loaded.graph);
  const Result<PlanOptions> options = decide_options(arguments, graph.runtime);
  if (!options) {
    context.terminal.write_err(fmt::format("sluice: {}\n", options.error().message()));
    return std::nullopt;
  }
  PlanResult planned = plan_job(graph, *options);
  if (!planned.ok()) {
    const Report report = make_report(*graph.source, std::move(planned.problems));
    context.terminal.write_err(report_as_text(report, context.terminal.colour_err));
    return std::nullopt;
  }
  context.exit_code = kDone;
  return PlannedGraph{std::move(graph), std::move(planned.plan)};
}

}  // namespace sluice
