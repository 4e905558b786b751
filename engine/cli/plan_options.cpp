#include "engine/cli/plan_options.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>

#include "runtime/base/units.hpp"

namespace sluice {

void add_runtime_options(CLI::App& verb, RuntimeArguments& arguments) {
  verb.add_option("--threads", arguments.threads,
                  "Threads that run tasks; default: one a core, no more than tasks")
      ->check(CLI::Range(1u, kMaxThreads))
      ->type_name("N");
  verb.add_option("--profile", arguments.profile, "How much is buffered between tasks; default: balanced")
      ->check(CLI::IsMember({"throughput", "latency", "balanced"}))
      ->type_name("{throughput,latency,balanced}");
  verb.add_option("--memory", arguments.memory, "The most that blocks may take, e.g. 64MiB; default: 256MiB")
      ->type_name("SIZE");
}

Result<PlanOptions> decide_options(const RuntimeArguments& arguments, const RuntimeOptions& document) {
  PlanOptions options;
  options.threads = arguments.threads.value_or(document.threads.value_or(0));
  options.profile = document.profile.value_or(options.profile);
  if (arguments.profile) options.profile = parse_profile(*arguments.profile).value();
  options.memory_bytes = document.memory_bytes.value_or(options.memory_bytes);
  if (arguments.memory) {
    Result<std::uint64_t> bytes = parse_size_bytes(*arguments.memory);
    if (!bytes) return std::move(bytes).error().within("--memory");
    if (*bytes < kMinMemoryBytes || *bytes > kMaxMemoryBytes) {
      return Error(ErrorCode::out_of_range,
                   fmt::format("--memory: {} is not between {} and {}", *arguments.memory,
                               format_bytes(kMinMemoryBytes), format_bytes(kMaxMemoryBytes)));
    }
    options.memory_bytes = *bytes;
  }
  return options;
}

}  // namespace sluice
