#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/base/check.hpp"

namespace sluice {

// Credit by an absolute right edge. The receiver says how many blocks the sender may ever have sent
// (`limit`), never how many more: a lost, repeated or reordered grant is harmless, and the difference of the
// two ends is a subtraction. Unit: one block of the lane's tier. Pure arithmetic: no I/O, no clock, no
// threads.

// The sender's half. Invariant: sent ≤ limit.
class SendCredit {
 public:
  std::uint64_t sent() const { return sent_; }
  std::uint64_t limit() const { return limit_; }
  std::uint64_t available() const { return limit_ - sent_; }

  // A grant was heard. An older one than is known changes nothing.
  void hear(std::uint64_t limit) { limit_ = std::max(limit_, limit); }
  void spend() {
    SLUICE_CHECK_LT(sent_, limit_);
    ++sent_;
  }

 private:
  std::uint64_t sent_ = 0;
  std::uint64_t limit_ = 0;
};

// The receiver's half, the window: limit = consumed + reserved + floating. `reserved` is the channel's own
// for its life; the floating part follows `set_floating`. Less floating never draws the edge back: it is
// withheld as blocks are consumed. Invariants: consumed ≤ received ≤ limit; limit never falls; limit −
// consumed ≤ reserved + the largest floating so far.
class ReceiveWindow {
 public:
  ReceiveWindow(std::uint64_t reserved, std::uint64_t floating) : reserved_(reserved), floating_(floating) {
    extend();
  }

  std::uint64_t limit() const { return limit_; }
  std::uint64_t received() const { return received_; }
  std::uint64_t consumed() const { return consumed_; }
  std::uint64_t reserved() const { return reserved_; }
  std::uint64_t floating() const { return floating_; }
  std::uint64_t window() const { return reserved_ + floating_; }
  std::uint64_t outstanding() const {
    return limit_ - consumed_;
  }  // of the pool's blocks, spoken for by this lane
  std::uint64_t held() const { return received_ - consumed_; }

  // A block arrived. False: the sender exceeded its credit, a protocol error.
  bool receive() {
    if (received_ == limit_) return false;
    ++received_;
    return true;
  }
  // A received block is back in the pool.
  void consume() {
    SLUICE_CHECK_LT(consumed_, received_);
    ++consumed_;
    extend();
  }
  void set_floating(std::uint64_t floating) {
    floating_ = floating;
    extend();
  }

 private:
  void extend() { limit_ = std::max(limit_, consumed_ + reserved_ + floating_); }

  std::uint64_t limit_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t consumed_ = 0;
  std::uint64_t reserved_;
  std::uint64_t floating_;
};

// When a new limit is worth telling: each publication costs the sender a cache miss or a message. At once if
// the sender has none left as far as the receiver can know, else after a quarter of the window; whoever has
// nothing to do calls with `idle` and tells whatever there is.
class GrantSchedule {
 public:
  std::uint64_t published() const { return published_; }
  bool due(const ReceiveWindow& window, bool idle) const {
    const std::uint64_t news = window.limit() - published_;
    if (news == 0) return false;
    return idle || window.received() == published_ || news * 4 >= window.window();
  }
  void mark_published(std::uint64_t limit) { published_ = limit; }

 private:
  std::uint64_t published_ = 0;
};

}  // namespace sluice
