#pragma once

#include <memory>
#include <vector>

#include "runtime/channel/channel_receiver.hpp"
#include "runtime/channel/channel_sender.hpp"
#include "runtime/transport/local_link.hpp"

namespace sluice::test {

// Nobody sleeps in a single-threaded test; it only counts how often somebody would have been woken.
struct CountedWakes final : Wakeable {
  int count = 0;
  void wake() override { ++count; }
};

inline std::unique_ptr<Pool> make_pool(std::vector<TierSize> tiers) {
  return std::move(Pool::create(tiers)).value();
}

// A channel over a local link with both its ends, each with a free list of its own, as two threads would
// have.
struct TwoEnds {
  TwoEnds(Pool& pool, const Schema& schema, const std::vector<LanePlan>& lanes, Watermarks marks)
      : sender_cache(pool),
        receiver_cache(pool),
        link(window(lanes), lanes.size(), sender_wakes, receiver_wakes),
        sender(std::make_unique<ChannelSender>(ChannelId(0), TaskId(0), schema, lanes, sender_cache, link,
                                               counters)),
        receiver(std::make_unique<ChannelReceiver>(ChannelId(0), TaskId(1), schema, lanes, marks,
                                                   receiver_cache, link, counters)) {}

  static std::size_t window(const std::vector<LanePlan>& lanes) {
    std::size_t sum = 0;
    for (const LanePlan& lane : lanes) sum += lane.window_blocks();
    return sum;
  }

  PoolCache sender_cache;
  PoolCache receiver_cache;
  CountedWakes sender_wakes;
  CountedWakes receiver_wakes;
  LocalLink link;
  ChannelCounters counters;
  std::unique_ptr<ChannelSender> sender;  // an EdgeSender may take it over
  std::unique_ptr<ChannelReceiver> receiver;
};

}  // namespace sluice::test
