#pragma once

#include <cstdint>

namespace sluice {

// Monotonic time in nanoseconds since an arbitrary start. State machines take it as an argument; only the
// outermost loops own a Clock.
using TimeNs = std::int64_t;

inline constexpr TimeNs kNsPerUs = 1'000;
inline constexpr TimeNs kNsPerMs = 1'000'000;
inline constexpr TimeNs kNsPerSecond = 1'000'000'000;
inline constexpr TimeNs kNever = INT64_MAX;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimeNs now_ns() const = 0;
};

// CLOCK_MONOTONIC: a wall clock set back or forward changes nothing here.
class MonotonicClock final : public Clock {
 public:
  TimeNs now_ns() const override;
};

// For tests and the simulator: time moves only when told to.
class ManualClock final : public Clock {
 public:
  TimeNs now_ns() const override { return now_ns_; }
  void advance(TimeNs by_ns) { now_ns_ += by_ns; }

 private:
  TimeNs now_ns_ = 0;
};

}  // namespace sluice
