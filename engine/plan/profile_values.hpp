#pragma once

#include <cstddef>

#include "engine/graph/graph.hpp"
#include "runtime/base/clock.hpp"

namespace sluice {

// The numbers behind a profile (design: flow.md, section 1), and how long a partly filled block of a busy
// task may wait.
struct ProfileValues {
  double window;  // of the channel's share of the pool
  double high;    // of the window
  double low;     // of the window
  std::size_t fast_block_bytes;
  std::size_t bulk_block_bytes;
  TimeNs linger_ns;
};

constexpr ProfileValues profile_values(Profile profile) {
  switch (profile) {
    case Profile::throughput:
      return {0.9, 0.9, 0.7, 64 << 10, 1 << 20, 20 * kNsPerMs};
    case Profile::latency:
      return {0.3, 0.6, 0.3, 4 << 10, 64 << 10, 1 * kNsPerMs};
    case Profile::balanced:
      break;
  }
  return {0.6, 0.8, 0.5, 16 << 10, 256 << 10, 5 * kNsPerMs};
}

}  // namespace sluice
