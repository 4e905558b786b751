#include "runtime/memory/state_budget.hpp"

#include <fmt/format.h>

#include "runtime/base/units.hpp"

namespace sluice {

Error StateShare::above_limit(std::uint64_t keys) const {
  const std::uint64_t others = budget_.held_bytes_ - bytes_;
  return Error(ErrorCode::state_limit,
               fmt::format("holds {} of state for {} keys{}, and a task may hold {}: raise "
                           "runtime.state_memory (or --state-memory), give the operator more parallelism, or "
                           "keep fewer keys or a shorter time",
                           format_bytes(bytes_), keys,
                           others > 0 ? fmt::format(" (the task's other operators {})", format_bytes(others))
                                      : std::string(),
                           format_bytes(budget_.limit_bytes_)));
}

}  // namespace sluice
