#include "runtime/channel/channel_sender.hpp"

namespace sluice {
namespace {

struct RangeRows {
  std::uint32_t begin;
  std::uint32_t row(std::uint32_t i) const { return begin + i; }
  std::uint32_t write(BlockWriter& writer, const Batch& batch, std::uint32_t from,
                      std::uint32_t count) const {
    return writer.append(batch, begin + from, count);
  }
};

struct ListRows {
  const std::uint32_t* rows;
  std::uint32_t row(std::uint32_t i) const { return rows[i]; }
  std::uint32_t write(BlockWriter& writer, const Batch& batch, std::uint32_t from,
                      std::uint32_t count) const {
    return writer.append(batch, rows + from, count);
  }
};

}  // namespace

ChannelSender::ChannelSender(ChannelId id, TaskId task, const Schema& schema,
                             const std::vector<LanePlan>& lanes, PoolCache& cache, SenderLink& link,
                             ChannelCounters& counters)
    : id_(id), task_(task), cache_(cache), link_(link), counters_(counters) {
  lanes_.reserve(lanes.size());
  for (const LanePlan& plan : lanes) lanes_.push_back({plan, {}, BlockWriter(schema)});
}

bool ChannelSender::start_block(std::uint8_t lane, TimeNs now_ns) {
  Lane& l = lanes_[lane];
  if (l.credit.available() == 0) l.credit.hear(link_.heard_limit(lane));
  if (l.credit.available() == 0) {
    counters_.sender.starved.add(1);
    return false;
  }
  building_ = AllocatedBlock::take(cache_, l.plan.tier, task_, id_);
  if (!building_) return false;
  building_lane_ = lane;
  building_since_ns_ = now_ns;
  l.writer.begin(building_->bytes());
  return true;
}

bool ChannelSender::has_credit() {
  if (building_) return true;
  SendCredit& credit = lanes_[0].credit;
  credit.hear(link_.heard_limit(0));
  return credit.available() > 0;
}

std::optional<std::uint8_t> ChannelSender::lane_for(const Batch& batch, std::uint32_t row) const {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const std::size_t needed = lanes_[i].writer.block_bytes_for_row(batch, row);
    if (needed <= cache_.pool().block_bytes(lanes_[i].plan.tier)) return static_cast<std::uint8_t>(i);
  }
  return std::nullopt;
}

template <typename Rows>
AppendResult ChannelSender::append_rows(const Batch& batch, Rows rows, std::uint32_t count, TimeNs now_ns) {
  idle_pending_ = false;
  std::uint32_t done = 0;
  std::uint8_t lane = 0;
  while (done < count) {
    if (!building_ && !start_block(lane, now_ns)) return {AppendStatus::kBlocked, done};
    BlockWriter& writer = lanes_[building_lane_].writer;
    const std::uint32_t n = rows.write(writer, batch, done, count - done);
    done += n;
    counters_.sender.records.add(n);
    if (done == count) break;
    if (writer.rows() > 0) {
      seal();
      link_.publish();
      lane = 0;
      continue;
    }
    // Not even an empty block of this lane takes the row: give the block back and take the lane that does.
    const std::optional<std::uint8_t> fitting = lane_for(batch, rows.row(done));
    writer.abandon();
    building_.reset();
    if (!fitting) return {AppendStatus::kTooLarge, done};
    SLUICE_CHECK(*fitting != building_lane_, "a row of {} bytes fits lane {} and does not",
                 lanes_[*fitting].writer.block_bytes_for_row(batch, rows.row(done)), *fitting);
    lane = *fitting;
  }
  return {AppendStatus::kDone, done};
}

AppendResult ChannelSender::append(const Batch& batch, std::uint32_t begin, std::uint32_t count,
                                   TimeNs now_ns) {
  return append_rows(batch, RangeRows{begin}, count, now_ns);
}

AppendResult ChannelSender::append(const Batch& batch, const std::uint32_t* rows, std::uint32_t count,
                                   TimeNs now_ns) {
  return append_rows(batch, ListRows{rows}, count, now_ns);
}

BlockWriter* ChannelSender::direct_writer(TimeNs now_ns) {
  idle_pending_ = false;
  if (building_ && building_rows() == lanes_[building_lane_].writer.row_capacity()) {
    seal();
    link_.publish();
  }
  if (!building_ && !start_block(0, now_ns)) return nullptr;
  return &lanes_[building_lane_].writer;
}

// The building block leaves: its credit is spent here and nowhere else.
void ChannelSender::seal() {
  Lane& lane = lanes_[building_lane_];
  const BatchHeader& header = lane.writer.finish(++sequence_);
  counters_.sender.blocks.add(1);
  counters_.sender.bytes.add(header.bytes);
  lane.credit.spend();
  AllocatedBlock block = *std::move(building_);
  building_.reset();
  link_.send({std::move(block).send(sequence_), building_lane_});
  send_controls();
}

bool ChannelSender::send_controls() {
  bool sent = false;
  if (watermark_ &&
      link_.send_control({ControlMessage::Kind::event_time_watermark, sequence_, *watermark_})) {
    watermark_.reset();
    sent = true;
  }
  if (!watermark_ && idle_pending_ && link_.send_control({ControlMessage::Kind::idle, sequence_, 0})) {
    idle_pending_ = false;
    sent = true;
  }
  if (!watermark_ && !idle_pending_ && end_pending_ &&
      link_.send_control({ControlMessage::Kind::end_of_stream, sequence_, 0})) {
    end_pending_ = false;
    sent = true;
  }
  return sent;
}

void ChannelSender::flush() {
  if (building_rows() > 0) {
    seal();
    link_.publish();
    return;
  }
  abandon();
  if (send_controls()) link_.publish();
}

void ChannelSender::flush_older(TimeNs before_ns) {
  if (building_rows() > 0 ? building_since_ns_ < before_ns : pending()) flush();
}

void ChannelSender::abandon() {
  if (!building_) return;
  lanes_[building_lane_].writer.abandon();
  building_.reset();
}

void ChannelSender::watermark(std::int64_t event_time_us) {
  watermark_ = event_time_us;
  idle_pending_ = false;
}

void ChannelSender::end_of_stream() {
  end_pending_ = true;
  flush();
}

}  // namespace sluice
