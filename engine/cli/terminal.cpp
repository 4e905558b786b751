#include "engine/cli/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace sluice {
namespace {

// https://no-color.org: set and not empty.
bool colour_refused() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_color != nullptr && *no_color != '\0') || (term != nullptr && std::string_view(term) == "dumb");
}

}  // namespace

Terminal standard_terminal() {
  Terminal terminal;
  terminal.progress = isatty(STDERR_FILENO) == 1;
  terminal.colour_err = terminal.progress && !colour_refused();
  terminal.colour_out = isatty(STDOUT_FILENO) == 1 && !colour_refused();
  return terminal;
}

}  // namespace sluice
