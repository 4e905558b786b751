#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/memory/block_table.hpp"
#include "runtime/memory/region.hpp"

namespace sluice {

// A size class of blocks. Tiers never borrow from each other.
struct TierSize {
  std::size_t block_bytes = 0;  // a power of two, at least 4096
  std::size_t blocks = 0;
  std::size_t cache_blocks = 0;  // how many of them each thread may keep in its own free list; 0 = none
};

// A block that is not idle, for the audit.
struct HeldBlock {
  BlockRef ref;
  BlockState state;
  TaskId task;
  ChannelId channel;
  std::uint64_t sequence;
};

// All blocks of a process: one region cut into tiers, the table of their owners, and a shared free list a
// tier. Threads go through a PoolCache each; only refills and spills take the lock. Thread-safe. The sizes
// come from a plan whose named sum has been checked, so a holder that keeps to its window finds a block.
class Pool {
 public:
  static Result<std::unique_ptr<Pool>> create(std::span<const TierSize> tiers);
  ~Pool();

  std::size_t tier_count() const { return tiers_.size(); }
  std::size_t block_bytes(std::uint8_t tier) const { return tiers_[tier].size.block_bytes; }
  std::size_t block_count(std::uint8_t tier) const { return tiers_[tier].size.blocks; }
  std::size_t bytes() const { return region_.bytes(); }

  std::byte* data(BlockRef ref) const {
    const Tier& tier = tiers_[ref.tier];
    return tier.base + std::size_t{ref.index} * tier.size.block_bytes;
  }
  BlockRecord& record(BlockRef ref) { return tiers_[ref.tier].records[ref.index]; }

  // Checks that `ref` is in state `from` and moves it on. Anything else is a bug of ours: the process stops
  // with a sentence that names the block, its states and its owner.
  void transition(BlockRef ref, BlockState from, BlockState to) {
    BlockRecord& r = record(ref);
    const BlockState now = r.state.load(std::memory_order_relaxed);
    if (now != from) [[unlikely]]
      illegal_transition(ref, now, from, to);
    r.state.store(to, std::memory_order_relaxed);
  }

  // The block's record and the front of its data will be written (by its next owner) in a moment: without
  // this, each hand-over waits for their cache lines to come over from the other core.
  void prefetch(BlockRef ref) {
    __builtin_prefetch(&record(ref), 1);
    const std::byte* front = data(ref);
    for (std::size_t line = 0; line < kPrefetchLines; ++line) __builtin_prefetch(front + line * 64, 1);
  }

  std::vector<HeldBlock> held_blocks();
  // Times that a thread asked for a block and there was none.
  std::uint64_t exhausted() const { return exhausted_.load(std::memory_order_relaxed); }

 private:
  friend class PoolCache;
  static constexpr std::size_t kPrefetchLines = 4;  // a batch's header and the places of its first columns

  struct Tier {
    TierSize size;
    std::byte* base = nullptr;
    std::unique_ptr<BlockRecord[]> records;
    std::mutex mutex;
    std::vector<std::uint32_t> free;  // guarded by mutex; a stack: what was used last is still in a cache
  };

  Pool(Region region, std::span<const TierSize> tiers);
  [[noreturn]] void illegal_transition(BlockRef ref, BlockState now, BlockState from, BlockState to);

  Region region_;
  std::vector<Tier> tiers_;
  std::atomic<std::uint64_t> exhausted_{0};
};

// One thread's free lists. Takes and gives blocks singly and moves them from and to the pool in batches of
// half its size. What it holds when it dies goes back. Not thread-safe.
class PoolCache {
 public:
  explicit PoolCache(Pool& pool);
  ~PoolCache();
  PoolCache(const PoolCache&) = delete;
  PoolCache& operator=(const PoolCache&) = delete;

  Pool& pool() const { return pool_; }
  // False if the tier has none left. The block is idle; who calls moves it on.
  bool take(std::uint8_t tier, BlockRef& out);
  void give(BlockRef ref);

 private:
  static constexpr std::size_t kPrefetchDistance = 2;  // takes from now
  bool refill(std::uint8_t tier);

  Pool& pool_;
  std::vector<std::vector<std::uint32_t>> free_;
};

}  // namespace sluice
