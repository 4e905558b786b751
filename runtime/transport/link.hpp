#pragma once

#include <cstdint>
#include <optional>

#include "runtime/memory/block.hpp"

namespace sluice {

// What travels in order with the data and needs no credit: it takes effect once data block `after_sequence`
// has been handed to the receiver.
struct ControlMessage {
  enum class Kind : std::uint8_t { event_time_watermark, idle, end_of_stream };
  Kind kind = Kind::event_time_watermark;
  std::uint64_t after_sequence = 0;
  std::int64_t value = 0;  // event_time_watermark: microseconds
};

// A block as it leaves or arrives, with the lane (and so the tier) it travels on.
struct LaneBlock {
  InFlightBlock block;
  std::uint8_t lane;
};

// The seam between a channel and what carries it. Each half is used by one thread. A link moves blocks,
// control messages and absolute limits; it knows nothing of windows or gates, and never blocks. Back-pressure
// does not happen here: the sender's credit guarantees that there is room for its block.
class SenderLink {
 public:
  virtual ~SenderLink() = default;
  virtual void send(LaneBlock block) = 0;
  // False: no room just now; try again later. Control has little room of its own and never waits behind data.
  virtual bool send_control(const ControlMessage& message) = 0;
  // Makes what was sent visible to the receiver and wakes it.
  virtual void publish() = 0;
  // The newest limit that was heard for the lane.
  virtual std::uint64_t heard_limit(std::uint8_t lane) = 0;
};

class ReceiverLink {
 public:
  virtual ~ReceiverLink() = default;
  // The next block in order, if one has arrived; `cache` will own it.
  virtual std::optional<LaneBlock> receive(PoolCache& cache) = 0;
  // Whether receive() will find a block. Control messages that go before it are then visible.
  virtual bool has_arrived() = 0;
  // Data blocks that have arrived and were not received yet.
  virtual std::uint64_t arrived() = 0;
  virtual bool peek_control(ControlMessage& message) = 0;
  // Makes room for another one, and wakes the sender.
  virtual void pop_control() = 0;
  // Tells the sender a lane's new limit and wakes it.
  virtual void grant(std::uint8_t lane, std::uint64_t limit) = 0;
};

}  // namespace sluice
