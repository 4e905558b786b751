#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/base/check.hpp"
#include "runtime/base/clock.hpp"

namespace sluice {

// Next states: open → throttled; throttled → open, and lossy on an edge whose policy allows loss; lossy →
// open; starved is the sender's own view of having no credit and stands beside the three.
enum class GateState : std::uint8_t { open, throttled, lossy, starved };

std::string_view gate_state_name(GateState state);

// The two marks of a channel's queue, in blocks. Occupancy ≥ high closes the gate, ≤ low opens it again.
struct Watermarks {
  std::uint64_t high_blocks = 0;
  std::uint64_t low_blocks = 0;
};

// A channel's gate, at the receiver: hysteresis between two marks and a minimum time in each state, so that
// it cannot flap. While throttled the caller withholds floating credit down to `low`. Counts changes and the
// time spent in each state. Pure: occupancy and time come as arguments; time never goes back.
class WatermarkGate {
 public:
  static constexpr TimeNs kMinHoldNs = 10 * kNsPerMs;

  explicit WatermarkGate(Watermarks marks) : marks_(marks) {
    SLUICE_CHECK_LT(marks.low_blocks, marks.high_blocks);
  }

  const Watermarks& marks() const { return marks_; }
  GateState state() const { return state_; }
  std::uint64_t changes() const { return changes_; }
  TimeNs time_in_ns(GateState state) const { return time_ns_[static_cast<std::size_t>(state)]; }

  // True if the state has changed.
  bool update(std::uint64_t occupancy_blocks, TimeNs now_ns) {
    if (since_ns_ == kNever) since_ns_ = entered_ns_ = now_ns;
    time_ns_[static_cast<std::size_t>(state_)] += now_ns - since_ns_;
    since_ns_ = now_ns;
    const bool close = state_ == GateState::open && occupancy_blocks >= marks_.high_blocks;
    const bool open = state_ == GateState::throttled && occupancy_blocks <= marks_.low_blocks;
    if (!close && !open) return false;
    if (changes_ > 0 && now_ns - entered_ns_ < kMinHoldNs) return false;
    state_ = close ? GateState::throttled : GateState::open;
    entered_ns_ = now_ns;
    ++changes_;
    return true;
  }

 private:
  Watermarks marks_;
  GateState state_ = GateState::open;
  std::uint64_t changes_ = 0;
  TimeNs entered_ns_ = 0;
  TimeNs since_ns_ = kNever;  // kNever until the first update
  TimeNs time_ns_[4] = {};
};

}  // namespace sluice
