#pragma once

#include <cstdint>

#include "runtime/base/clock.hpp"

namespace sluice {

// Says how many records may go at a time so that they go evenly at a rate. Plain arithmetic: the time is an
// argument. The first may go at once. Time in which nobody asked is made up for by at most kBurstNs worth of
// records, so a stall is not followed by a flood. Rates above one a millisecond are handed out in portions of
// a millisecond or more: a task that woke up for each record would do nothing else. One thread.
class Pacer {
 public:
  // per_second > 0; infinity: everything may go at once.
  explicit Pacer(double per_second);

  // How many may go now (0: not before next_ns()).
  std::uint64_t permitted(TimeNs now_ns);
  // `count` of those permitted went.
  void take(std::uint64_t count) { taken_ += count; }
  // When the next portion may go; after `now_ns` if nothing is permitted now.
  TimeNs next_ns(TimeNs now_ns) const;

 private:
  static constexpr TimeNs kPortionNs = kNsPerMs;
  static constexpr TimeNs kBurstNs = 100 * kNsPerMs;

  double per_ns_;
  bool unlimited_;
  bool started_ = false;
  TimeNs origin_ns_ = 0;     // the count started here
  std::uint64_t taken_ = 0;  // since origin_ns_
};

}  // namespace sluice
