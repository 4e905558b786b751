#include "operators/window/window_assigner.hpp"

#include <algorithm>

namespace sluice {
namespace {

std::int64_t saturate(Int128 v) {
  return static_cast<std::int64_t>(std::clamp<Int128>(v, INT64_MIN, INT64_MAX));
}

// For b > 0. A division of 64 bits is several times faster than one of 128.
Int128 floor_divide(Int128 a, std::int64_t b) {
  if (a >= INT64_MIN && a <= INT64_MAX) {
    const auto narrow = static_cast<std::int64_t>(a);
    return narrow / b - (narrow % b < 0 ? 1 : 0);
  }
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace

// Between two starts of windows the set changes once more, where one ends: at size % slide after each start.
WindowAssigner::Slice WindowAssigner::slice_of(EventTimeUs time) const {
  const Int128 since = static_cast<Int128>(time) - offset_us;
  const WindowIndex last = floor_divide(since, slide_us);
  const Int128 start = last * slide_us;
  const std::int64_t whole = size_us / slide_us;
  const std::int64_t rest = size_us % slide_us;
  const bool before_end = since - start < rest;
  const Int128 from = before_end ? start : start + rest;
  const Int128 until = before_end ? start + rest : start + slide_us;
  return {last - whole + (before_end ? 0 : 1), last, saturate(from + offset_us),
          saturate(until + offset_us - 1)};
}

WindowBounds WindowAssigner::bounds(WindowIndex window) const {
  const Int128 start = window * slide_us + offset_us;
  return {saturate(start), saturate(start + size_us)};
}

EventTimeUs WindowAssigner::complete_at(WindowIndex window) const {
  return saturate(window * slide_us + offset_us + size_us + allowed_lateness_us);
}

WindowIndex WindowAssigner::first_open(EventTimeUs watermark) const {
  return floor_divide(static_cast<Int128>(watermark) - offset_us - size_us - allowed_lateness_us, slide_us) +
         1;
}

EventTimeUs shifted(EventTimeUs time, std::int64_t by_us) {
  return saturate(static_cast<Int128>(time) + by_us);
}

EventTimeUs watermark_of_results(EventTimeUs watermark, std::int64_t allowed_lateness_us) {
  if (watermark == kWatermarkNone || watermark == kWatermarkEnd) return watermark;
  return std::max(saturate(static_cast<Int128>(watermark) - allowed_lateness_us), kWatermarkNone + 1);
}

}  // namespace sluice
