#pragma once

#include <cstdint>

#include "runtime/flow/watermark_gate.hpp"

namespace sluice {

// One data lane of a channel: the tier of its blocks, and its window in blocks. Lane 0 is `fast`, the others
// take rows that do not fit into a block of the lane before.
struct LanePlan {
  std::uint8_t tier = 0;
  std::uint64_t reserved_blocks = 1;
  std::uint64_t floating_blocks = 0;

  std::uint64_t window_blocks() const { return reserved_blocks + floating_blocks; }
};

}  // namespace sluice
