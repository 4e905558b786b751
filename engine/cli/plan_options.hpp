#pragma once

#include <optional>
#include <string>

#include "engine/plan/planner.hpp"

namespace CLI {
class App;
}

namespace sluice {

// --threads, --profile, --memory and --state-memory, which stand above the document's "runtime", and
// --parallelism, which stands above every operator's; as they were typed.
struct RuntimeArguments {
  std::optional<std::uint32_t> threads;
  std::optional<std::string> profile;
  std::optional<std::string> memory;
  std::optional<std::string> state_memory;
  std::optional<std::uint32_t> parallelism;
};

void add_runtime_options(CLI::App& verb, RuntimeArguments& arguments);

// What the arguments and the document come to. An error names the option.
Result<PlanOptions> decide_options(const RuntimeArguments& arguments, const RuntimeOptions& document);

}  // namespace sluice
