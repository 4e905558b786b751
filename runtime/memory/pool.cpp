#include "runtime/memory/pool.hpp"

#include <algorithm>
#include <bit>
#include <memory>

namespace sluice {

std::string_view block_state_name(BlockState state) {
  switch (state) {
    case BlockState::idle:
      return "IDLE";
    case BlockState::allocated:
      return "ALLOCATED";
    case BlockState::in_flight:
      return "IN_FLIGHT";
    case BlockState::received:
      return "RECEIVED";
  }
  return "?";
}

Result<std::unique_ptr<Pool>> Pool::create(std::span<const TierSize> tiers) {
  std::size_t bytes = 0;
  for (const TierSize& tier : tiers) {
    SLUICE_CHECK(std::has_single_bit(tier.block_bytes) && tier.block_bytes >= 4096, "{}", tier.block_bytes);
    bytes += tier.block_bytes * tier.blocks;
  }
  SLUICE_ASSIGN(Region region, Region::map(bytes));
  return std::unique_ptr<Pool>(new Pool(std::move(region), tiers));
}

Pool::Pool(Region region, std::span<const TierSize> tiers)
    : region_(std::move(region)), tiers_(tiers.size()) {
  // Largest blocks first: each tier then starts on a multiple of its own block size.
  std::vector<std::size_t> order(tiers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tiers[a].block_bytes > tiers[b].block_bytes; });
  std::byte* base = region_.data();
  for (const std::size_t i : order) {
    Tier& tier = tiers_[i];
    tier.size = tiers[i];
    tier.base = base;
    tier.records = std::make_unique<BlockRecord[]>(tier.size.blocks);
    tier.free.reserve(tier.size.blocks);
    for (std::size_t b = tier.size.blocks; b > 0; --b) tier.free.push_back(static_cast<std::uint32_t>(b - 1));
    base += tier.size.block_bytes * tier.size.blocks;
  }
}

Pool::~Pool() = default;

std::vector<HeldBlock> Pool::held_blocks() {
  std::vector<HeldBlock> held;
  for (std::size_t t = 0; t < tiers_.size(); ++t) {
    for (std::size_t b = 0; b < tiers_[t].size.blocks; ++b) {
      const BlockRecord& r = tiers_[t].records[b];
      const BlockState state = r.state.load(std::memory_order_relaxed);
      if (state == BlockState::idle) continue;
      held.push_back({{static_cast<std::uint8_t>(t), static_cast<std::uint32_t>(b)},
                      state,
                      TaskId(r.task.load(std::memory_order_relaxed)),
                      ChannelId(r.channel.load(std::memory_order_relaxed)),
                      r.sequence.load(std::memory_order_relaxed)});
    }
  }
  return held;
}

void Pool::illegal_transition(BlockRef ref, BlockState now, BlockState from, BlockState to) {
  const BlockRecord& r = record(ref);
  check_failed(
      __FILE__, __LINE__, "legal block transition",
      fmt::format(
          "block {} of tier {} is {} and not {}, so it cannot become {}; task {}, channel {}, sequence {}",
          ref.index, ref.tier, block_state_name(now), block_state_name(from), block_state_name(to),
          r.task.load(), r.channel.load(), r.sequence.load()));
}

PoolCache::PoolCache(Pool& pool) : pool_(pool), free_(pool.tier_count()) {
  for (std::size_t t = 0; t < free_.size(); ++t) free_[t].reserve(pool.tiers_[t].size.cache_blocks + 1);
}

PoolCache::~PoolCache() {
  for (std::size_t t = 0; t < free_.size(); ++t) {
    Pool::Tier& tier = pool_.tiers_[t];
    const std::lock_guard lock(tier.mutex);
    tier.free.insert(tier.free.end(), free_[t].begin(), free_[t].end());
  }
}

bool PoolCache::take(std::uint8_t tier, BlockRef& out) {
  std::vector<std::uint32_t>& mine = free_[tier];
  if (mine.empty() && !refill(tier)) return false;
  out = {tier, mine.back()};
  mine.pop_back();
  if (mine.size() >= kPrefetchDistance) pool_.prefetch({tier, mine[mine.size() - kPrefetchDistance]});
  return true;
}

bool PoolCache::refill(std::uint8_t t) {
  Pool::Tier& tier = pool_.tiers_[t];
  const std::size_t wanted = std::max<std::size_t>(1, tier.size.cache_blocks / 2);
  const std::lock_guard lock(tier.mutex);
  if (tier.free.empty()) {
    pool_.exhausted_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  const std::size_t n = std::min(wanted, tier.free.size());
  free_[t].insert(free_[t].end(), tier.free.end() - static_cast<std::ptrdiff_t>(n), tier.free.end());
  tier.free.resize(tier.free.size() - n);
  return true;
}

void PoolCache::give(BlockRef ref) {
  std::vector<std::uint32_t>& mine = free_[ref.tier];
  mine.push_back(ref.index);
  Pool::Tier& tier = pool_.tiers_[ref.tier];
  if (mine.size() <= tier.size.cache_blocks) return;
  // Spill the older half; the newest stay, they are the ones in this core's cache.
  const std::size_t n = mine.size() - tier.size.cache_blocks / 2;
  const std::lock_guard lock(tier.mutex);
  tier.free.insert(tier.free.end(), mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(n));
  mine.erase(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(n));
}

}  // namespace sluice
