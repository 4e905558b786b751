#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/channel/channel_counters.hpp"
#include "runtime/channel/lane.hpp"
#include "runtime/data/block_batch.hpp"
#include "runtime/flow/credit.hpp"
#include "runtime/flow/watermark_gate.hpp"
#include "runtime/memory/block.hpp"
#include "runtime/transport/link.hpp"

namespace sluice {

// A block of rows in the receiver's hands. The batch points into the block; dropping it gives block and
// credit back.
struct ReceivedBatch {
  ReceivedBlock block;
  Batch batch;
};

// What a poll found.
struct ReceiverEvent {
  enum class Kind : std::uint8_t { nothing, batch, watermark, idle, end };
  Kind kind = Kind::nothing;
  std::optional<ReceivedBatch> received;
  std::int64_t watermark_us = 0;
};

// The receiving end of a channel, owned by the receiving task: the windows of its lanes, the watermark gate,
// and the checks that pair with the sender's (no block beyond the limit, sequence unbroken, the batch's
// account balanced and lossless). Credits go back when blocks are back in the pool, told in the rhythm of
// GrantSchedule.
class ChannelReceiver final : public CreditReturn {
 public:
  ChannelReceiver(ChannelId id, TaskId task, const Schema& schema, const std::vector<LanePlan>& lanes,
                  Watermarks marks, PoolCache& cache, ReceiverLink& link, ChannelCounters& counters);

  // Grants the first credits. Before the sender runs or while it runs.
  void open();
  // The next event in order. At most one batch may be held at a time.
  Result<ReceiverEvent> poll();
  // Once a round of the task: gate, and credits that are due; `idle`: the task has nothing else to do.
  void tick(TimeNs now_ns, bool idle);

  bool ended() const { return ended_; }
  GateState gate_state() const { return gate_.state(); }
  std::uint64_t occupancy() { return link_.arrived() + held_; }

  // Takes everything that is still on its way and drops it, with its credit: after the sender has stopped.
  std::uint64_t discard_arrived();
  // For the audit, when both ends stand still.
  std::uint64_t consumed_blocks() const;
  bool windows_restored() const;

 private:
  struct Lane {
    LanePlan plan;
    ReceiveWindow window;
    GrantSchedule grants;
  };

  void block_returned(std::uint8_t lane) override;
  void grant(std::uint8_t lane);
  void set_floating(bool withhold);
  Result<ReceiverEvent> receive_batch();
  bool control_due(ReceiverEvent& event);

  const ChannelId id_;
  const TaskId task_;
  PoolCache& cache_;
  ReceiverLink& link_;
  ChannelCounters& counters_;
  std::vector<Lane> lanes_;
  WatermarkGate gate_;
  BlockReader reader_;
  std::uint64_t sequence_ = 0;  // of the last block received
  std::uint64_t held_ = 0;      // received and not back in the pool
  bool ended_ = false;
};

}  // namespace sluice
