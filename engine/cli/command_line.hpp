#pragma once

#include <string>
#include <vector>

#include "engine/cli/verb.hpp"

namespace sluice {

// Runs one command line (without the program's name) to its end and returns the exit code. Never throws;
// wrong usage is explained on context.terminal.err and is exit code 2.
int run_command_line(const std::vector<std::string>& arguments, VerbContext& context);

}  // namespace sluice
