#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/base/int128.hpp"
#include "runtime/operator.hpp"

namespace sluice {

// Arithmetic on event times and durations, in microseconds. Results that leave int64 stay at its ends, so a
// time at one of them is compared rightly and nothing wraps.

inline EventTimeUs saturated_time(Int128 time) {
  return static_cast<EventTimeUs>(std::clamp<Int128>(time, INT64_MIN, INT64_MAX));
}

inline EventTimeUs time_plus(EventTimeUs time, std::int64_t duration_us) {
  EventTimeUs sum = 0;
  if (!__builtin_add_overflow(time, duration_us, &sum)) return sum;
  return duration_us > 0 ? INT64_MAX : INT64_MIN;
}

inline std::uint64_t time_distance(EventTimeUs a, EventTimeUs b) {
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  return a > b ? ua - ub : ub - ua;
}

// Rounded towards the past: times before 1970 lie in the slice that begins before them. `width_us` > 0.
inline std::int64_t floor_div(EventTimeUs time, std::int64_t width_us) {
  return time / width_us - (time % width_us < 0 ? 1 : 0);
}

}  // namespace sluice
