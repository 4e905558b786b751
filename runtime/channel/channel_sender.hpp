#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/channel/channel_counters.hpp"
#include "runtime/channel/lane.hpp"
#include "runtime/data/block_batch.hpp"
#include "runtime/flow/credit.hpp"
#include "runtime/memory/block.hpp"
#include "runtime/transport/link.hpp"

namespace sluice {

// How far an append came, and why no further.
enum class AppendStatus : std::uint8_t {
  kDone,      // all rows are in blocks
  kBlocked,   // no credit (or no block): go on with the rest later
  kTooLarge,  // the next row does not fit into a block of any lane; the caller gets rid of it and goes on
              // behind it
};

struct AppendResult {
  AppendStatus status = AppendStatus::kDone;
  std::uint32_t appended = 0;
};

// The sending end of a channel, owned by the sending task. Rows are written straight into a block; full
// blocks leave at once, others when flush() is called. A block is started only with a credit in hand, so the
// window bounds blocks being built and in flight together: sent + building ≤ limit. Event-time watermarks and
// the end of the stream go out behind the data that they follow and need no credit; of several watermarks
// that wait, the newest is sent.
class ChannelSender {
 public:
  ChannelSender(ChannelId id, TaskId task, const Schema& schema, const std::vector<LanePlan>& lanes,
                PoolCache& cache, SenderLink& link, ChannelCounters& counters);

  AppendResult append(const Batch& batch, std::uint32_t begin, std::uint32_t count, TimeNs now_ns);
  AppendResult append(const Batch& batch, const std::uint32_t* rows, std::uint32_t count, TimeNs now_ns);

  // For writers of fixed-width columns: the writer of a block with room for at least one row, or null without
  // credit.
  BlockWriter* direct_writer(TimeNs now_ns);
  void direct_written(std::uint32_t rows_more) { counters_.sender.records.add(rows_more); }

  // Sends what has been written, and control messages that are due.
  void flush();
  // Sends a block whose first row was written before `before_ns`.
  void flush_older(TimeNs before_ns);
  void watermark(std::int64_t event_time_us);
  // Until the next record or watermark this channel must not hold event time back.
  void idle() { idle_pending_ = true; }
  // Gives the block that is being built back; no credit was spent for it.
  void abandon();
  void end_of_stream();

  // Something written or a control message has not left yet.
  bool pending() const { return building_rows() > 0 || watermark_ || idle_pending_ || end_pending_; }
  bool has_credit();
  std::uint64_t sent_blocks() const { return sequence_; }

 private:
  struct Lane {
    LanePlan plan;
    SendCredit credit;
    BlockWriter writer;
  };

  std::uint32_t building_rows() const { return building_ ? lanes_[building_lane_].writer.rows() : 0; }
  bool start_block(std::uint8_t lane, TimeNs now_ns);
  std::optional<std::uint8_t> lane_for(const Batch& batch, std::uint32_t row) const;
  template <typename Rows>
  AppendResult append_rows(const Batch& batch, Rows rows, std::uint32_t count, TimeNs now_ns);
  void seal();
  bool send_controls();

  // Fixed.
  const ChannelId id_;
  const TaskId task_;
  PoolCache& cache_;
  SenderLink& link_;
  ChannelCounters& counters_;
  // The block being built, if any, and the lane that it will leave on.
  std::vector<Lane> lanes_;
  std::optional<AllocatedBlock> building_;
  std::uint8_t building_lane_ = 0;
  TimeNs building_since_ns_ = 0;
  std::uint64_t sequence_ = 0;  // data blocks sent, over all lanes
  // Control that waits for the building block to leave, or for room.
  std::optional<std::int64_t> watermark_;
  bool idle_pending_ = false;
  bool end_pending_ = false;
};

}  // namespace sluice
