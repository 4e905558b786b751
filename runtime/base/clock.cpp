#include "runtime/base/clock.hpp"

#include <ctime>

namespace sluice {

TimeNs MonotonicClock::now_ns() const {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * kNsPerSecond + t.tv_nsec;
}

}  // namespace sluice
