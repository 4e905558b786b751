#pragma once

#include <cstdint>

#include "runtime/operator.hpp"

namespace sluice {

enum class WindowKind : std::uint8_t { tumbling, global };

// What `window` says, and the arithmetic of it: which window a time belongs to, when a record is late, when a
// window is complete. Windows are aligned to the epoch; times before it floor towards the past. Results that
// leave int64 stay at its ends.
struct WindowAssigner {
  struct Bounds {
    std::int64_t start;
    std::int64_t end;
    bool holds(EventTimeUs time) const { return time >= start && time < end; }
  };

  WindowKind kind = WindowKind::global;
  std::int64_t size_us = 0;
  std::int64_t offset_us = 0;  // 0 ≤ offset < size
  std::int64_t allowed_lateness_us = 0;

  Bounds window_of(EventTimeUs time) const;
  // From this event-time watermark on the window is complete, and a record for it late.
  EventTimeUs complete_at(std::int64_t window_end) const;
  // The event-time watermark of the results when that of the input is `watermark`: windows that end after it
  // may still come.
  EventTimeUs watermark_out(EventTimeUs watermark) const;
};

}  // namespace sluice
