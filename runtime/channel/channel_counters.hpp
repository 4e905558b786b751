#pragma once

#include "runtime/base/cache_line.hpp"
#include "runtime/metrics/counter.hpp"

namespace sluice {

// What the two ends of a channel count, each half written by its own thread. Everything else (credit
// available, occupancy, resident records) is a difference of these, taken by the reader.
struct ChannelCounters {
  struct alignas(kCacheLineBytes) Sender {
    Counter blocks;   // sent
    Counter records;  // appended to blocks, sent or still being filled
    Counter bytes;    // of the blocks sent: used bytes
    Counter starved;  // times that there was no credit when a block was to be started
  };
  struct alignas(kCacheLineBytes) Receiver {
    Counter limit_blocks;  // sum of the lanes' limits
    Counter received_blocks;
    Counter consumed_blocks;  // back in the pool
    Counter records;          // received
    Counter state_changes;
    Counter throttled_ns;
  };
  Sender sender;
  Receiver receiver;
};

}  // namespace sluice
