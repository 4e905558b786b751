#include "runtime/worker/audit.hpp"

#include <fmt/format.h>

namespace sluice {

std::vector<std::string> AuditReport::differences(bool completed) const {
  std::vector<std::string> found;
  for (const HeldBlock& block : held) {
    found.push_back(fmt::format("block {} of tier {} is {}: task {}, channel {}, sequence {}",
                                block.ref.index, block.ref.tier, block_state_name(block.state),
                                block.task.value, block.channel.value, block.sequence));
  }
  for (const ChannelAudit& c : channels) {
    if (c.sent != c.received || c.received != c.consumed) {
      found.push_back(fmt::format("edge {}, channel {}: {} blocks sent, {} received, {} given back", c.edge,
                                  c.channel.value, c.sent, c.received, c.consumed));
    }
    if (c.sent > c.granted) {
      found.push_back(fmt::format("edge {}, channel {}: {} blocks sent with a limit of {}", c.edge,
                                  c.channel.value, c.sent, c.granted));
    }
    if (!c.windows_restored) {
      found.push_back(fmt::format("edge {}, channel {}: the window is not back at its first size", c.edge,
                                  c.channel.value));
    }
    if (completed && c.records_in != c.records_out) {
      found.push_back(fmt::format("edge {}, channel {}: {} records in, {} out", c.edge, c.channel.value,
                                  c.records_in, c.records_out));
    }
  }
  return found;
}

}  // namespace sluice
