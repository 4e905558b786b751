#pragma once

#include <cstdint>

#include "runtime/base/int128.hpp"
#include "runtime/operator.hpp"

namespace sluice {

// When a window starts and ends: microseconds, the end outside.
struct WindowBounds {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

// Which window, counted from the epoch on. Wider than a time: overlapping windows begin before the time that
// they hold.
using WindowIndex = Int128;

// The arithmetic of windows of one size at equal distances: window k is [offset + k·slide, offset + k·slide +
// size). With slide = size they tumble; with slide < size a time lies in several, with slide > size in one or
// none. Windows are aligned to the epoch; times before it floor towards the past. Results that leave int64
// stay at its ends.
struct WindowAssigner {
  std::int64_t size_us = 0;
  std::int64_t slide_us = 0;
  std::int64_t offset_us = 0;
  std::int64_t allowed_lateness_us = 0;

  // Windows first … last, and the times around one (`until` inside) that lie in just these. first > last: in
  // none.
  struct Slice {
    WindowIndex first = 0;
    WindowIndex last = -1;
    EventTimeUs from = 0;
    EventTimeUs until = -1;
    bool holds(EventTimeUs time) const { return time >= from && time <= until; }
  };
  Slice slice_of(EventTimeUs time) const;

  WindowBounds bounds(WindowIndex window) const;
  // From this event-time watermark on the window is complete, and a record for it late.
  EventTimeUs complete_at(WindowIndex window) const;
  // The first window that is not complete.
  WindowIndex first_open(EventTimeUs watermark) const;
  bool overlapping() const { return slide_us < size_us; }
};

// `time` later or earlier, and never beyond int64.
EventTimeUs shifted(EventTimeUs time, std::int64_t by_us);
// The event-time watermark of the results when that of the input is `watermark`: windows that end after it
// may still come.
EventTimeUs watermark_of_results(EventTimeUs watermark, std::int64_t allowed_lateness_us);

}  // namespace sluice
