#include "engine/cli/command_line.hpp"
#include "engine/cli/plan_options.hpp"
#include "engine/cli/standard_descriptors.hpp"
#include "operators/builtin/builtin_catalogue.hpp"

// Where everything is put together: the operators that can be written in a graph, and the verbs around them.
int main(int argc, char** argv) {
  sluice::hold_standard_descriptors();
  sluice::VerbContext context{sluice::standard_terminal(), sluice::builtin_catalogue(), {}};
  context.check_plan = [](const sluice::Graph& graph) {
    return sluice::plan_job(graph, sluice::decide_options({}, graph.runtime).value()).problems;
  };
  return sluice::run_command_line({argv + 1, argv + argc}, context);
}
