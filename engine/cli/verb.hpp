#pragma once

#include <functional>
#include <string>

#include "engine/cli/exit_code.hpp"
#include "engine/cli/terminal.hpp"
#include "engine/graph/graph.hpp"
#include "operators/config/catalogue.hpp"
#include "operators/config/problem.hpp"

namespace CLI {
class App;
}

namespace sluice {

// What the verbs share while one command line is run. It outlives the parsing and the verb's work.
struct VerbContext {
  Terminal terminal;
  const Catalogue& catalogue;
  // The planner's checks of a graph that is sound in itself, e.g. whether the memory suffices; pointers are
  // absolute. Unset: none.
  std::function<Problems(const Graph&)> check_plan;
  // Set by the verb that ran.
  int exit_code = kDone;
};

// Adds a verb as a subcommand of `root`: its options, help with an example in the footer, and a callback that
// does the work and sets the exit code. Completion is made from the same tree. It reads from an option's
// type_name what its value is: GRAPH (a .json file), FILE, TYPE (an operator type), or {a,b,c} (one of
// these).
void add_run(CLI::App& root, VerbContext& context);
void add_validate(CLI::App& root, VerbContext& context);
void add_plan(CLI::App& root, VerbContext& context);
void add_bench(CLI::App& root, VerbContext& context);
void add_operators(CLI::App& root, VerbContext& context);
void add_completion(CLI::App& root, VerbContext& context);
void add_version(CLI::App& root, VerbContext& context);

// "sluice 0.1.0 (commit 1a2b3c4, gcc 12.2.0)".
std::string version_text();

// The footer of a verb's help: its example command lines, one a line.
std::string example_footer(const std::string& examples);

}  // namespace sluice
