#include "operators/builtin/window_assigner.hpp"

#include <algorithm>

#include "operators/builtin/exact_sum.hpp"

namespace sluice {
namespace {

std::int64_t saturate(Int128 v) {
  return static_cast<std::int64_t>(std::clamp<Int128>(v, INT64_MIN, INT64_MAX));
}

}  // namespace

WindowAssigner::Bounds WindowAssigner::window_of(EventTimeUs time) const {
  const auto since = static_cast<Int128>(time) - offset_us;
  auto into = since % size_us;
  if (into < 0) into += size_us;
  const Int128 start = time - into;
  return {saturate(start), saturate(start + size_us)};
}

EventTimeUs WindowAssigner::complete_at(std::int64_t window_end) const {
  return saturate(static_cast<Int128>(window_end) + allowed_lateness_us);
}

EventTimeUs WindowAssigner::watermark_out(EventTimeUs watermark) const {
  if (watermark == kWatermarkNone || watermark == kWatermarkEnd) return watermark;
  return std::max(saturate(static_cast<Int128>(watermark) - allowed_lateness_us), kWatermarkNone + 1);
}

}  // namespace sluice
