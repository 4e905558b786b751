#pragma once

#include <memory>

#include "runtime/channel/channel_receiver.hpp"
#include "runtime/channel/channel_sender.hpp"
#include "runtime/memory/pool.hpp"
#include "runtime/transport/local_link.hpp"
#include "runtime/worker/parker.hpp"

namespace sluice {

// One edge as the worker builds it (pool, thread caches, parkers, link, both ends), without tasks: what a
// benchmark drives.
struct EdgeFixture {
  static constexpr std::size_t kBlockBytes = 16 << 10;
  static constexpr std::uint64_t kWindowBlocks = 96;
  static constexpr std::size_t kCacheBlocks = 64;

  explicit EdgeFixture(const Schema& edge_schema) : schema(edge_schema) {
    const TierSize tier{kBlockBytes, kWindowBlocks + 2 * kCacheBlocks, kCacheBlocks};
    pool = Pool::create(std::span(&tier, 1)).value();
    sender_cache = std::make_unique<PoolCache>(*pool);
    receiver_cache = std::make_unique<PoolCache>(*pool);
    link = std::make_unique<LocalLink>(kWindowBlocks, 1, sender_parker, receiver_parker);
    const std::vector<LanePlan> lanes = {{0, 2, kWindowBlocks - 2}};
    const Watermarks marks{kWindowBlocks * 8 / 10, kWindowBlocks / 2};
    sender = std::make_unique<ChannelSender>(ChannelId(0), TaskId(0), schema, lanes, *sender_cache, *link,
                                             counters);
    receiver = std::make_unique<ChannelReceiver>(ChannelId(0), TaskId(1), schema, lanes, marks,
                                                 *receiver_cache, *link, counters);
    receiver->open();
  }

  const Schema schema;
  std::unique_ptr<Pool> pool;
  Parker sender_parker;
  Parker receiver_parker;
  std::unique_ptr<PoolCache> sender_cache;
  std::unique_ptr<PoolCache> receiver_cache;
  std::unique_ptr<LocalLink> link;
  ChannelCounters counters;
  std::unique_ptr<ChannelSender> sender;
  std::unique_ptr<ChannelReceiver> receiver;
};

}  // namespace sluice
