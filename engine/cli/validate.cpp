#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/cli/verb.hpp"
#include "engine/graph/load.hpp"

namespace sluice {
namespace {

struct ValidateOptions {
  std::vector<std::string> graphs;
  std::vector<std::string> overrides;
  bool json = false;
};

Report check(const std::string& path, const ValidateOptions& options, const VerbContext& context,
             std::string& ok_line) {
  LoadOptions load;
  load.overrides = options.overrides;
  LoadedGraph loaded = load_graph(path, context.catalogue, load);
  if (!loaded.graph) return std::move(loaded.report);
  const Graph& graph = *loaded.graph;
  ok_line = fmt::format("{}: ok ({} {}, {} {})\n", loaded.report.file, graph.operators.size(),
                        graph.operators.size() == 1 ? "operator" : "operators", graph.edges.size(),
                        graph.edges.size() == 1 ? "edge" : "edges");
  if (!context.check_plan) return std::move(loaded.report);
  return make_report(*graph.source, context.check_plan(graph));
}

std::string count_line(const Report& report) {
  const std::size_t count = report.diagnostics.size();
  return fmt::format("{}: {} {}\n", report.file, count, count == 1 ? "error" : "errors");
}

int validate(const ValidateOptions& options, const VerbContext& context) {
  const Terminal& terminal = context.terminal;
  Json all = Json::array();
  bool good = true;
  for (const std::string& path : options.graphs) {
    std::string ok_line;
    const Report report = check(path, options, context, ok_line);
    good = good && report.ok();
    if (options.json) {
      for (Json& problem : report_as_json(report)) all.push_back(std::move(problem));
    } else if (report.ok()) {
      terminal.write_out(ok_line);
    } else {
      terminal.write_err(report_as_text(report, terminal.colour_err) + count_line(report));
    }
  }
  if (options.json) terminal.write_out(all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return good ? kDone : kWrongUsage;
}

}  // namespace

void add_validate(CLI::App& root, VerbContext& context) {
  CLI::App* verb = root.add_subcommand("validate", "Check graphs and print all that is wrong with them");
  const auto options = std::make_shared<ValidateOptions>();
  verb->add_option("graph", options->graphs, "The graphs to check; - is standard input")
      ->required()
      ->type_name("GRAPH");
  verb->add_option("--set", options->overrides, "Replace a value of the document first: /json/pointer=value")
      ->allow_extra_args(false)
      ->type_name("POINTER=VALUE");
  verb->add_flag("--json", options->json, "Print the problems as a JSON array");
  verb->footer(
      example_footer("  sluice validate graph.json\n"
                     "  sluice validate graphs/*.json --json\n"
                     "  sluice validate graph.json --set /operators/log/config/path=other.log"));
  verb->callback([options, &context] { context.exit_code = validate(*options, context); });
}

}  // namespace sluice
