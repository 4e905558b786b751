#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/operator.hpp"

namespace sluice {

// Which inputs a task leaves alone for now, because they are ahead of others in event time and what is kept
// of them until the others have caught up fills the task's state already (Flink knows this as watermark
// alignment). Their senders run out of credit and wait; results stay the same.
//
// Inputs that have sources in common are one group, and never held back for one another: the source could not
// go on for the one that is behind. Between groups that cannot happen but by way of other operators that hold
// back too; so patience has an end. After a second without an event one held event passes, after the next
// second two, and so on, until the input that was behind has moved. Pure arithmetic, no clock; one thread.
class EventTimeAlignment {
 public:
  static constexpr TimeNs kPatienceNs = kNsPerSecond;

  explicit EventTimeAlignment(std::uint32_t groups) : watermarks_(groups, kWatermarkEnd) {}

  bool applies() const { return watermarks_.size() > 1; }

  // A new look at all inputs: begin(), see() for each that has neither ended nor gone idle, end().
  void begin() { std::fill(watermarks_.begin(), watermarks_.end(), kWatermarkEnd); }
  void see(std::uint32_t group, EventTimeUs watermark) {
    watermarks_[group] = std::min(watermarks_[group], watermark);
  }
  void end() {
    const EventTimeUs least = *std::min_element(watermarks_.begin(), watermarks_.end());
    if (least != least_) escapes_ = allowance_ = 0;
    least_ = least;
  }
  // There is room: nothing is held.
  void release() { least_ = kWatermarkEnd; }

  bool holds(std::uint32_t group) const { return watermarks_[group] > least_ && allowance_ == 0; }

  // An event was taken.
  void progress() {
    waiting_since_ns_ = kNever;
    if (allowance_ > 0) --allowance_;
  }
  // Nothing could be taken, and something was held. False: it may pass now.
  bool patient(TimeNs now_ns) {
    if (waiting_since_ns_ == kNever) waiting_since_ns_ = now_ns;
    if (now_ns - waiting_since_ns_ < kPatienceNs) return true;
    waiting_since_ns_ = kNever;
    allowance_ = ++escapes_;
    return false;
  }
  // While patient.
  TimeNs patient_until_ns() const { return waiting_since_ns_ + kPatienceNs; }

 private:
  std::vector<EventTimeUs> watermarks_;  // the least of each group
  EventTimeUs least_ = kWatermarkEnd;    // of all
  TimeNs waiting_since_ns_ = kNever;
  std::uint32_t escapes_ = 0;    // since the least watermark moved
  std::uint32_t allowance_ = 0;  // events that pass although they are ahead
};

}  // namespace sluice
