#pragma once

#include <memory>
#include <vector>

#include "runtime/ring/published_value.hpp"
#include "runtime/ring/spsc_ring.hpp"
#include "runtime/transport/link.hpp"
#include "runtime/transport/wake.hpp"

namespace sluice {

// A channel inside a process: the blocks' references pass through a ring, control messages through a small
// one of their own, and each lane's limit is a number on its own cache line. The data is never touched. The
// data ring holds a whole window of every lane, so a sender with credit always finds room.
class LocalLink final : public SenderLink, public ReceiverLink {
 public:
  // Control messages are coalesced by the sender, so a few slots are enough.
  static constexpr std::size_t kControlSlots = 16;

  // `sender` and `receiver`: the threads to wake; they outlive the link.
  LocalLink(std::size_t window_blocks, std::size_t lanes, Wakeable& sender, Wakeable& receiver);

  void send(LaneBlock block) override;
  bool send_control(const ControlMessage& message) override;
  void publish() override;
  std::uint64_t heard_limit(std::uint8_t lane) override { return limits_[lane].read(); }

  std::optional<LaneBlock> receive(PoolCache& cache) override;
  bool has_arrived() override { return !data_.empty(); }
  std::uint64_t arrived() override { return data_.available(); }
  bool peek_control(ControlMessage& message) override { return control_.peek(message); }
  void pop_control() override;
  void grant(std::uint8_t lane, std::uint64_t limit) override;

 private:
  struct Entry {
    BlockRef ref;
    std::uint8_t lane = 0;
  };

  static constexpr std::size_t kPrefetchDistance = 1;  // blocks behind the next one

  SpscRing<Entry> data_;
  SpscRing<ControlMessage> control_;
  std::vector<PublishedValue<>> limits_;  // one a lane; written by the receiver
  Wakeable& sender_;
  Wakeable& receiver_;
};

}  // namespace sluice
