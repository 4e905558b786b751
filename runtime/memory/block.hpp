#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "runtime/memory/pool.hpp"

namespace sluice {

// Told when a block for which a credit was spent is back in the pool: the receiving end of a channel. There
// is no other way to get a credit back, and no way to give a received block back without this call.
class CreditReturn {
 public:
  virtual ~CreditReturn() = default;
  virtual void block_returned(std::uint8_t lane) = 0;
};

class InFlightBlock;
class ReceivedBlock;

// A block in this thread's hands, being written. Dying gives it back: nothing was sent, no credit spent.
class AllocatedBlock {
 public:
  // nullopt if the tier has no block left.
  static std::optional<AllocatedBlock> take(PoolCache& cache, std::uint8_t tier, TaskId task,
                                            ChannelId channel);

  AllocatedBlock(AllocatedBlock&& other) noexcept
      : cache_(std::exchange(other.cache_, nullptr)), ref_(other.ref_) {}
  AllocatedBlock& operator=(AllocatedBlock&& other) noexcept;
  ~AllocatedBlock();

  BlockRef ref() const { return ref_; }
  std::span<std::byte> bytes() const {
    return {cache_->pool().data(ref_), cache_->pool().block_bytes(ref_.tier)};
  }

  // The block leaves on a channel as number `sequence`.
  InFlightBlock send(std::uint64_t sequence) &&;

 private:
  AllocatedBlock(PoolCache& cache, BlockRef ref) : cache_(&cache), ref_(ref) {}

  PoolCache* cache_;  // null once moved from
  BlockRef ref_;
};

// A block on its way. It lives in a queue of the transport as a bare BlockRef: `into_transport` and
// `from_transport` are the two ends of that. Only a transport may hold it.
class InFlightBlock {
 public:
  InFlightBlock(InFlightBlock&& other) noexcept
      : cache_(std::exchange(other.cache_, nullptr)), ref_(other.ref_) {}
  InFlightBlock& operator=(InFlightBlock&&) = delete;
  // A credit was spent for it, so it must not die: it is put into a transport, received, or given up by name.
  // Checked.
  ~InFlightBlock();

  BlockRef into_transport() && { return std::exchange(cache_, nullptr), ref_; }
  static InFlightBlock from_transport(PoolCache& cache, BlockRef ref) { return InFlightBlock(cache, ref); }

  // Gives the block back without a credit: it was sent beyond the limit, and its channel fails.
  void discard() &&;
  // Taken by the receiver, whose `credits` hear of it when the block is back in the pool.
  ReceivedBlock receive(CreditReturn& credits, std::uint8_t lane, TaskId task) &&;

 private:
  friend class AllocatedBlock;
  InFlightBlock(PoolCache& cache, BlockRef ref) : cache_(&cache), ref_(ref) {}

  PoolCache* cache_;
  BlockRef ref_;
};

// A block that the receiving task reads. Dying, in whatever branch, gives the block back to the pool and then
// its credit.
class ReceivedBlock {
 public:
  ReceivedBlock(ReceivedBlock&& other) noexcept
      : cache_(std::exchange(other.cache_, nullptr)),
        ref_(other.ref_),
        credits_(other.credits_),
        lane_(other.lane_) {}
  ReceivedBlock& operator=(ReceivedBlock&& other) noexcept;
  ~ReceivedBlock() { give_back(); }

  std::span<const std::byte> bytes() const {
    return {cache_->pool().data(ref_), cache_->pool().block_bytes(ref_.tier)};
  }

 private:
  friend class InFlightBlock;
  ReceivedBlock(PoolCache& cache, BlockRef ref, CreditReturn& credits, std::uint8_t lane)
      : cache_(&cache), ref_(ref), credits_(&credits), lane_(lane) {}
  void give_back();

  PoolCache* cache_;
  BlockRef ref_;
  CreditReturn* credits_;
  std::uint8_t lane_;
};

}  // namespace sluice
