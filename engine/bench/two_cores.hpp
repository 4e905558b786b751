#pragma once

#include <cstdint>
#include <functional>

namespace sluice {

// Two cores between which something is handed over. On shared machines the same pair may be near (a cache
// line goes there and back in about 100 ns) or far (300 ns and more), and change about once a second; a
// figure between cores means something only with that said.
enum class CoreDistance : std::uint8_t { near, far, changed };

// Pins the calling thread. False if the machine does not allow it.
bool pin_to_core(unsigned core);

// The time that a cache line takes from this thread to a helper on core 1 and back, in nanoseconds: the
// median of a few thousand.
double line_round_trip_ns();

// Runs `producer` on core 0 (this thread) and `consumer` on core 1, started together; returns the seconds
// until both are done.
double run_on_two_cores(const std::function<void()>& producer, const std::function<void()>& consumer);

// The same with a probe before and after; `changed` if the two probes disagree.
struct TwoCoreSample {
  double seconds = 0;
  CoreDistance distance = CoreDistance::near;
};
TwoCoreSample sample_on_two_cores(const std::function<void()>& producer,
                                  const std::function<void()>& consumer);

}  // namespace sluice
