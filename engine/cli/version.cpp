#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "engine/cli/verb.hpp"

namespace sluice {
namespace {

// Set by the build file: the version of the project, and the commit where it was configured ("" outside a
// repository).
constexpr const char* kVersion = SLUICE_VERSION;
constexpr const char* kCommit = SLUICE_COMMIT;

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string commit() { return kCommit; }

}  // namespace

std::string version_text() {
  const std::string built_from =
      commit().empty() ? compiler() : fmt::format("commit {}, {}", commit(), compiler());
  return fmt::format("sluice {} ({})", kVersion, built_from);
}

void add_version(CLI::App& root, VerbContext& context) {
  CLI::App* verb = root.add_subcommand("version", "Print the version");
  const auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "Print it as JSON");
  verb->footer(example_footer("  sluice version"));
  verb->callback([json, &context] {
    const Json fields = {{"version", kVersion}, {"commit", commit()}, {"compiler", compiler()}};
    context.terminal.write_out((*json ? fields.dump() : version_text()) + "\n");
  });
}

}  // namespace sluice
