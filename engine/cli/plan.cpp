#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "engine/cli/planned_graph.hpp"
#include "engine/cli/verb.hpp"
#include "engine/plan/plan_text.hpp"

namespace sluice {
namespace {

struct PlanArguments {
  std::string graph;
  std::vector<std::string> overrides;
  RuntimeArguments runtime;
  std::string format = "table";
  bool json = false;
};

std::string render(const PlannedGraph& planned, const std::string& format) {
  if (format == "json") return plan_json(planned.graph, planned.plan).dump(2) + "\n";
  if (format == "dot") return plan_dot(planned.graph, planned.plan);
  if (format == "mermaid") return plan_mermaid(planned.graph, planned.plan);
  return plan_table(planned.graph, planned.plan);
}

}  // namespace

void add_plan(CLI::App& root, VerbContext& context) {
  CLI::App* verb = root.add_subcommand("plan", "Show how a graph would run: chains, edges, windows, memory");
  const auto arguments = std::make_shared<PlanArguments>();
  verb->add_option("graph", arguments->graph, "The graph to plan; - is standard input")
      ->required()
      ->type_name("GRAPH");
  add_runtime_options(*verb, arguments->runtime);
  verb->add_option("--set", arguments->overrides,
                   "Replace a value of the document first: /json/pointer=value")
      ->allow_extra_args(false)
      ->type_name("POINTER=VALUE");
  verb->add_option("--format", arguments->format, "How to print it; default: table")
      ->check(CLI::IsMember({"table", "json", "dot", "mermaid"}))
      ->type_name("{table,json,dot,mermaid}");
  verb->add_flag("--json", arguments->json, "The same as --format json");
  verb->footer(
      example_footer("  sluice plan graph.json\n"
                     "  sluice plan graph.json --threads 2 --memory 16MiB\n"
                     "  sluice plan graph.json --format dot | dot -Tsvg > plan.svg"));
  verb->callback([arguments, &context] {
    const std::optional<PlannedGraph> planned =
        load_and_plan(arguments->graph, arguments->overrides, arguments->runtime, context);
    if (planned) context.terminal.write_out(render(*planned, arguments->json ? "json" : arguments->format));
  });
}

}  // namespace sluice
