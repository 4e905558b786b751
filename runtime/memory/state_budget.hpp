#pragma once

#include <cstdint>

#include "runtime/base/result.hpp"
#include "runtime/metrics/counter.hpp"

namespace sluice {

// What the operators of one task keep between calls (groups, sessions, rows that wait for a partner) lies on
// the heap, outside the pool, and is bounded all the same: the sum over the task's operators by
// runtime.state_memory. Reaching it ends the job with a sentence; the kernel never has to end the process.
// Operators say themselves what they hold, as they know it better than an allocator and at the cost of an
// addition a batch. Touched by the task's thread.
class StateBudget {
 public:
  static constexpr std::uint64_t kDefaultBytes = std::uint64_t{256} << 20;

  explicit StateBudget(std::uint64_t limit_bytes = kDefaultBytes) : limit_bytes_(limit_bytes) {}

  std::uint64_t limit_bytes() const { return limit_bytes_; }
  std::uint64_t held_bytes() const { return held_bytes_; }
  // Time to be careful with input that would be kept.
  bool crowded() const { return held_bytes_ > limit_bytes_ / 2; }

 private:
  friend class StateShare;

  const std::uint64_t limit_bytes_;
  std::uint64_t held_bytes_ = 0;
};

// One operator's part of its task's budget.
class StateShare {
 public:
  // The gauges are written by the task's thread and read by any.
  StateShare(StateBudget& budget, Gauge& bytes, Gauge& keys)
      : budget_(budget), bytes_gauge_(bytes), keys_gauge_(keys) {}

  // Says that the operator now holds `bytes` bytes for `keys` keys (absolute numbers). Cheap: once a batch.
  // The error names both, and the limit; the chain says whose they are.
  Result<void> hold(std::uint64_t bytes, std::uint64_t keys) {
    budget_.held_bytes_ += bytes - bytes_;
    bytes_ = bytes;
    bytes_gauge_.set(bytes);
    keys_gauge_.set(keys);
    if (budget_.held_bytes_ <= budget_.limit_bytes_) return {};
    return above_limit(keys);
  }

 private:
  Error above_limit(std::uint64_t keys) const;

  StateBudget& budget_;
  std::uint64_t bytes_ = 0;
  Gauge& bytes_gauge_;
  Gauge& keys_gauge_;
};

}  // namespace sluice
