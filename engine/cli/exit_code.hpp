#pragma once

namespace sluice {

// What the process ends with; a contract with scripts.
enum ExitCode : int {
  kDone = 0,
  kJobFailed = 1,
  kWrongUsage = 2,  // or an invalid graph
  kNoCoordinator = 3,
  kInterrupted = 130,
};

}  // namespace sluice
