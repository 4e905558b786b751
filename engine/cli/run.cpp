#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "engine/cli/planned_graph.hpp"
#include "engine/cli/run_job.hpp"
#include "engine/cli/verb.hpp"
#include "runtime/base/units.hpp"

namespace sluice {
namespace {

struct RunArguments {
  std::string graph;
  std::vector<std::string> overrides;
  RuntimeArguments runtime;
  std::optional<std::string> duration;
  bool json = false;
};

// The id of an operator that would read its records from where the graph came from; "" if there is none. Such
// a graph is sound, so `validate -` takes it.
std::string reader_of_standard_input(const Graph& graph) {
  for (const OperatorNode& op : graph.operators) {
    for (const FileUse& use : op.bound->traits().files) {
      if (use.kind == FileUse::Kind::read && use.path == "-") return op.id;
    }
  }
  return "";
}

int run(const RunArguments& arguments, VerbContext& context) {
  RunSettings settings;
  settings.json = arguments.json;
  if (arguments.duration) {
    const Result<std::int64_t> duration_us = parse_duration_us(*arguments.duration);
    if (!duration_us) {
      context.terminal.write_err(fmt::format("sluice run: --duration: {}\n", duration_us.error().message()));
      return kWrongUsage;
    }
    settings.duration_us = *duration_us;
  }
  std::optional<PlannedGraph> planned =
      load_and_plan(arguments.graph, arguments.overrides, arguments.runtime, context);
  if (!planned) return context.exit_code;
  if (const std::string reader = reader_of_standard_input(planned->graph);
      arguments.graph == "-" && !reader.empty()) {
    context.terminal.write_err(fmt::format(
        "sluice run: \"{}\" reads standard input, but the graph was read from there and no records are left\n"
        "  hint: put the graph into a file\n",
        reader));
    return kWrongUsage;
  }
  return run_job(planned->graph, std::move(planned->plan), settings);
}

}  // namespace

void add_run(CLI::App& root, VerbContext& context) {
  CLI::App* verb = root.add_subcommand("run", "Run a graph in this process");
  const auto arguments = std::make_shared<RunArguments>();
  verb->add_option("graph", arguments->graph, "The graph to run; - is standard input")
      ->required()
      ->type_name("GRAPH");
  add_runtime_options(*verb, arguments->runtime);
  verb->add_option("--set", arguments->overrides,
                   "Replace a value of the document first: /json/pointer=value")
      ->allow_extra_args(false)
      ->type_name("POINTER=VALUE");
  verb->add_option("--duration", arguments->duration,
                   "Stop reading after this time (e.g. 30s) and finish what was read")
      ->type_name("DURATION");
  verb->add_flag("--json", arguments->json, "Print the summary (on standard error) as JSON");
  verb->footer(example_footer(
      "  sluice run graph.json\n"
      "  sluice run graph.json --threads 2 --profile latency --memory 64MiB\n"
      "  sluice run graph.json --set /operators/0/config/path=other.log --duration 30s\n"
      "\n"
      "Ctrl-C stops reading, carries what was read through the graph and finishes the sinks; a second\n"
      "Ctrl-C stops at once."));
  verb->callback([arguments, &context] { context.exit_code = run(*arguments, context); });
}

}  // namespace sluice
