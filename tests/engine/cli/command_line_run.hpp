#pragma once

#include <string>
#include <vector>

namespace sluice {

// What one command line printed and how it ended, with the built-in operators, in this process.
struct CommandLineResult {
  int exit_code = 0;
  std::string out;
  std::string err;
};

CommandLineResult run_sluice(const std::vector<std::string>& arguments);

}  // namespace sluice
