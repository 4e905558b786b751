#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/base/id.hpp"

namespace sluice {

// Next states: idle → allocated; allocated → idle (dropped before sending), in_flight (sent), received
// (passed on in place); in_flight → received (taken by the receiver), idle (channel closed with blocks on the
// way); received → idle.
enum class BlockState : std::uint8_t { idle, allocated, in_flight, received };

std::string_view block_state_name(BlockState state);

// A block's place in the pool: tier and number within the tier.
struct BlockRef {
  std::uint8_t tier = 0;
  std::uint32_t index = 0;

  bool operator==(const BlockRef&) const = default;
};

// Who has a block and where it is. Beside the data, not in it, so that a corrupt payload cannot corrupt
// ownership; a cache line each, so that owners on different cores do not disturb one another. Written by the
// block's owner of the moment alone; ownership passes through a ring or the free list, which order these
// writes. Relaxed, because other readers (the audit) only report.
struct alignas(64) BlockRecord {
  std::atomic<BlockState> state{BlockState::idle};
  std::atomic<std::uint32_t> task{0};      // TaskId of the owner, meaningful unless idle
  std::atomic<std::uint32_t> channel{0};   // ChannelId it was last sent on or is built for
  std::atomic<std::uint64_t> sequence{0};  // its data sequence on that channel
};

}  // namespace sluice
