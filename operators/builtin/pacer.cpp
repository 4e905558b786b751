#include "operators/builtin/pacer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice {

Pacer::Pacer(double per_second)
    : per_ns_(per_second / static_cast<double>(kNsPerSecond)), unlimited_(std::isinf(per_second)) {}

std::uint64_t Pacer::permitted(TimeNs now_ns) {
  if (unlimited_) return std::numeric_limits<std::uint64_t>::max();
  if (!started_) {
    started_ = true;
    origin_ns_ = now_ns;
  }
  // The one after `taken_` may go at origin + taken / rate. A nanosecond of tolerance keeps rounding from
  // making a task that woke up exactly then wait again.
  const double due = static_cast<double>(now_ns - origin_ns_ + 1) * per_ns_ + 1;
  const double behind = due - static_cast<double>(taken_);
  const double burst = std::max(1.0, static_cast<double>(kBurstNs) * per_ns_);
  if (behind > burst + 1) {
    origin_ns_ = now_ns - static_cast<TimeNs>((burst - 1) / per_ns_);
    taken_ = 0;
    return static_cast<std::uint64_t>(burst);
  }
  return behind < 1 ? 0 : static_cast<std::uint64_t>(behind);
}

TimeNs Pacer::next_ns(TimeNs now_ns) const {
  if (unlimited_ || !started_) return now_ns;
  const double portion = std::max(1.0, static_cast<double>(kPortionNs) * per_ns_);
  const double due_after = std::ceil((static_cast<double>(taken_) + portion - 1) / per_ns_);
  // A rate so slow that its next record lies beyond the clock's range never comes; so be it.
  const double latest = static_cast<double>(kNever - 1 - std::max<TimeNs>(origin_ns_, 0)) / 2;
  return std::max(now_ns + 1, origin_ns_ + static_cast<TimeNs>(std::min(due_after, latest)));
}

}  // namespace sluice
