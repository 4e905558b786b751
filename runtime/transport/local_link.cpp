#include "runtime/transport/local_link.hpp"

namespace sluice {

LocalLink::LocalLink(std::size_t window_blocks, std::size_t lanes, Wakeable& sender, Wakeable& receiver)
    : data_(window_blocks), control_(kControlSlots), limits_(lanes), sender_(sender), receiver_(receiver) {}

void LocalLink::send(LaneBlock block) {
  const bool pushed = data_.push({std::move(block.block).into_transport(), block.lane});
  SLUICE_CHECK(pushed, "a sender with credit found the ring full");
}

bool LocalLink::send_control(const ControlMessage& message) { return control_.push(message); }

void LocalLink::publish() {
  // Control first: who sees a block then also sees the control messages that go before it.
  control_.publish();
  data_.publish();
  receiver_.wake();
}

std::optional<LaneBlock> LocalLink::receive(PoolCache& cache) {
  Entry entry;
  if (!data_.pop(entry)) return std::nullopt;
  data_.release();
  Entry next;
  if (data_.peek_ahead(kPrefetchDistance, next)) cache.pool().prefetch(next.ref);
  return LaneBlock{InFlightBlock::from_transport(cache, entry.ref), entry.lane};
}

void LocalLink::pop_control() {
  ControlMessage message;
  control_.pop(message);
  control_.release();
  // A sender whose control message found no room may be asleep over it.
  sender_.wake();
}

void LocalLink::grant(std::uint8_t lane, std::uint64_t limit) {
  limits_[lane].raise(limit);
  sender_.wake();
}

}  // namespace sluice
