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
  verb.add_option("--state-memory", arguments.state_memory,
                  "The most that the operators of one task may keep, e.g. 1GiB; default: 256MiB")
      ->type_name("SIZE");
  verb.add_option("--parallelism", arguments.parallelism,
                  "Tasks of every operator, whatever the document says; operators that cannot be "
                  "divided keep to one")
      ->check(CLI::Range(1u, kMaxParallelism))
      ->type_name("N");
}

namespace {

Result<std::uint64_t> size_option(const std::string& text, const char* option, std::uint64_t minimum) {
  Result<std::uint64_t> bytes = parse_size_bytes(text);
  if (!bytes) return std::move(bytes).error().within(option);
  if (*bytes < minimum || *bytes > kMaxMemoryBytes) {
    return Error(ErrorCode::out_of_range, fmt::format("{}: {} is not between {} and {}", option, text,
                                                      format_bytes(minimum), format_bytes(kMaxMemoryBytes)));
  }
  return bytes;
}

}  // namespace

Result<PlanOptions> decide_options(const RuntimeArguments& arguments, const RuntimeOptions& document) {
  PlanOptions options;
  options.threads = arguments.threads.value_or(document.threads.value_or(0));
  options.profile = document.profile.value_or(options.profile);
  if (arguments.profile) options.profile = parse_profile(*arguments.profile).value();
  options.memory_bytes = document.memory_bytes.value_or(options.memory_bytes);
  if (arguments.memory) {
    SLUICE_ASSIGN(options.memory_bytes, size_option(*arguments.memory, "--memory", kMinMemoryBytes));
  }
  options.state_memory_bytes = document.state_memory_bytes.value_or(options.state_memory_bytes);
  if (arguments.state_memory) {
    SLUICE_ASSIGN(options.state_memory_bytes,
                  size_option(*arguments.state_memory, "--state-memory", kMinStateBytes));
  }
  return options;
}

}  // namespace sluice
