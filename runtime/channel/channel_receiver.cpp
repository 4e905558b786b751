#include "runtime/channel/channel_receiver.hpp"

#include <algorithm>

#include "runtime/flow/record_account.hpp"

namespace sluice {

ChannelReceiver::ChannelReceiver(ChannelId id, TaskId task, const Schema& schema,
                                 const std::vector<LanePlan>& lanes, Watermarks marks, PoolCache& cache,
                                 ReceiverLink& link, ChannelCounters& counters)
    : id_(id), task_(task), cache_(cache), link_(link), counters_(counters), gate_(marks), reader_(schema) {
  lanes_.reserve(lanes.size());
  for (const LanePlan& plan : lanes) {
    lanes_.push_back({plan, ReceiveWindow(plan.reserved_blocks, plan.floating_blocks), {}});
  }
}

void ChannelReceiver::open() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) grant(static_cast<std::uint8_t>(i));
}

void ChannelReceiver::grant(std::uint8_t lane) {
  Lane& l = lanes_[lane];
  counters_.receiver.limit_blocks.add(l.window.limit() - l.grants.published());
  l.grants.mark_published(l.window.limit());
  link_.grant(lane, l.window.limit());
}

Result<ReceiverEvent> ChannelReceiver::poll() {
  ReceiverEvent event;
  // Look for data first and for control then: a control message that goes before an arrived block is visible
  // by now.
  const bool arrived = link_.has_arrived();
  if (control_due(event)) return event;
  if (arrived) return receive_batch();
  return event;
}

bool ChannelReceiver::control_due(ReceiverEvent& event) {
  ControlMessage message;
  if (!link_.peek_control(message) || message.after_sequence > sequence_) return false;
  link_.pop_control();
  switch (message.kind) {
    case ControlMessage::Kind::end_of_stream:
      ended_ = true;
      event.kind = ReceiverEvent::Kind::end;
      break;
    case ControlMessage::Kind::idle:
      event.kind = ReceiverEvent::Kind::idle;
      break;
    case ControlMessage::Kind::event_time_watermark:
      event.kind = ReceiverEvent::Kind::watermark;
      event.watermark_us = message.value;
      break;
  }
  return true;
}

Result<ReceiverEvent> ChannelReceiver::receive_batch() {
  LaneBlock arrived = *link_.receive(cache_);
  Lane& lane = lanes_[arrived.lane];
  if (!lane.window.receive()) {
    std::move(arrived.block).discard();
    return Error(ErrorCode::credit_exceeded,
                 fmt::format("channel {}: block {} arrived with a limit of {}", id_.value,
                             lane.window.received() + 1, lane.window.limit()));
  }
  ++held_;
  counters_.receiver.received_blocks.add(1);
  // From here on the block and its credit go back whatever happens.
  ReceivedBlock block = std::move(arrived.block).receive(*this, arrived.lane, task_);
  SLUICE_ASSIGN(const Batch batch, reader_.read(block.bytes()));
  const BatchHeader& h = reader_.header();
  if (h.sequence != ++sequence_) {
    return Error(ErrorCode::accounting, fmt::format("channel {}: block {} arrived where {} was due",
                                                    id_.value, h.sequence, sequence_));
  }
  const RecordAccount account{h.records_in, h.records_out, h.records_merged, h.records_dropped,
                              h.records_resident};
  if (!account.balanced() || !account.lossless() || account.out != batch.rows) {
    return Error(ErrorCode::accounting,
                 fmt::format("channel {}, block {}: {} records in, {} out, {} rows, on a lossless edge",
                             id_.value, h.sequence, account.in, account.out, batch.rows));
  }
  counters_.receiver.records.add(batch.rows);
  ReceiverEvent event;
  event.kind = ReceiverEvent::Kind::batch;
  event.received.emplace(ReceivedBatch{std::move(block), batch});
  return event;
}

void ChannelReceiver::block_returned(std::uint8_t lane) {
  Lane& l = lanes_[lane];
  l.window.consume();
  --held_;
  counters_.receiver.consumed_blocks.add(1);
  if (l.grants.due(l.window, false)) grant(lane);
}

void ChannelReceiver::tick(TimeNs now_ns, bool idle) {
  const TimeNs throttled_before = gate_.time_in_ns(GateState::throttled);
  if (gate_.update(occupancy(), now_ns)) {
    counters_.receiver.state_changes.add(1);
    set_floating(gate_.state() == GateState::throttled);
  }
  const TimeNs throttled = gate_.time_in_ns(GateState::throttled) - throttled_before;
  if (throttled > 0) counters_.receiver.throttled_ns.add(static_cast<std::uint64_t>(throttled));
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].grants.due(lanes_[i].window, idle)) grant(static_cast<std::uint8_t>(i));
  }
}

// Throttled: the fast lane's window shrinks to the low mark as blocks are consumed. Open again: all of it at
// once.
void ChannelReceiver::set_floating(bool withhold) {
  Lane& fast = lanes_[0];
  const std::uint64_t full = fast.plan.floating_blocks;
  const std::uint64_t low = gate_.marks().low_blocks;
  const std::uint64_t reduced = low > fast.plan.reserved_blocks ? low - fast.plan.reserved_blocks : 0;
  fast.window.set_floating(withhold ? std::min(full, reduced) : full);
  if (!withhold && fast.grants.due(fast.window, true)) grant(0);
}

std::uint64_t ChannelReceiver::discard_arrived() {
  std::uint64_t discarded = 0;
  while (std::optional<LaneBlock> arrived = link_.receive(cache_)) {
    ++discarded;
    if (!lanes_[arrived->lane].window.receive()) {
      std::move(arrived->block).discard();
      continue;
    }
    ++held_;
    counters_.receiver.received_blocks.add(1);
    ReceivedBlock dropped = std::move(arrived->block).receive(*this, arrived->lane, task_);
  }
  return discarded;
}

std::uint64_t ChannelReceiver::consumed_blocks() const {
  std::uint64_t sum = 0;
  for (const Lane& lane : lanes_) sum += lane.window.consumed();
  return sum;
}

bool ChannelReceiver::windows_restored() const {
  return held_ == 0 && std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
           return lane.window.held() == 0 && lane.window.outstanding() <= lane.plan.window_blocks();
         });
}

}  // namespace sluice
