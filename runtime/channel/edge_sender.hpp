#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/channel/channel_sender.hpp"

namespace sluice {

// How the rows of an edge spread over the receiving tasks.
enum class PartitionKind : std::uint8_t {
  forward,    // all to one channel
  rebalance,  // evenly, to whichever channel has credit
  broadcast,  // each row to every channel
  hash,       // by key: equal keys to the same channel
};

// A sending task's end of one edge: a channel a receiving task, and the partitioner. A batch is begun and
// then advanced until it is done; while one channel has no credit the others go on, and the task comes back
// later. Until then the batch must stay. Owned and called by the sending task.
class EdgeSender {
 public:
  // Called for a row that no block can hold.
  using TooLarge = std::function<void(const Batch& batch, std::uint32_t row)>;

  EdgeSender(PartitionKind kind, std::vector<std::size_t> hash_columns,
             std::vector<std::unique_ptr<ChannelSender>> channels, TooLarge too_large);

  void begin(const Batch& batch);
  // True once every row of the batch is in a block.
  bool advance(TimeNs now_ns);

  void watermark(std::int64_t event_time_us);
  void idle();
  void end_of_stream();
  void flush();
  void flush_older(TimeNs before_ns);
  // Gives back what has been built and not sent: the job has been cancelled.
  void abandon();
  bool pending() const;
  // A channel that still had rows of the current batch to take and no credit, for "the slowest edge and why".
  bool blocked() const { return blocked_; }
  const std::vector<std::unique_ptr<ChannelSender>>& channels() const { return channels_; }

 private:
  // The rows that a channel still has to take: a range (rows == nullptr) or a list.
  struct Share {
    const std::uint32_t* rows = nullptr;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  void begin_rebalance(std::uint32_t rows);
  void begin_hash(const Batch& batch);
  bool advance_share(std::size_t channel, Share& share, TimeNs now_ns);
  bool advance_rebalance(TimeNs now_ns);

  const PartitionKind kind_;
  const std::vector<std::size_t> hash_columns_;
  const std::vector<std::unique_ptr<ChannelSender>> channels_;
  const TooLarge too_large_;
  Batch batch_;
  std::vector<Share> shares_;
  std::size_t next_ = 0;  // rebalance: the channel whose turn it is
  bool blocked_ = false;
  // hash: scratch, reused.
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> targets_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace sluice
