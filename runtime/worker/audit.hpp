#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/memory/pool.hpp"

namespace sluice {

// Both ends of one channel, side by side.
struct ChannelAudit {
  ChannelId channel;
  std::string edge;
  std::uint64_t granted = 0;  // sum of the lanes' limits
  std::uint64_t sent = 0;     // blocks
  std::uint64_t received = 0;
  std::uint64_t consumed = 0;  // back in the pool
  std::uint64_t records_in = 0;
  std::uint64_t records_out = 0;
  std::uint64_t blocks_discarded = 0;  // still on the way when the job was cancelled
  bool windows_restored = false;
};

// What the end of a run is held against: every block IDLE, every credit back, every record accounted for.
struct AuditReport {
  std::vector<HeldBlock> held;
  std::vector<ChannelAudit> channels;
  std::uint64_t pool_exhausted = 0;

  // What is wrong, a sentence each; empty if nothing is. `completed`: the run was not cancelled, so in = out
  // as well.
  std::vector<std::string> differences(bool completed) const;
};

}  // namespace sluice
