#include "runtime/channel/edge_sender.hpp"

#include <algorithm>

#include "runtime/data/hash.hpp"

namespace sluice {

EdgeSender::EdgeSender(PartitionKind kind, std::vector<std::size_t> hash_columns,
                       std::vector<std::unique_ptr<ChannelSender>> channels, TooLarge too_large)
    : kind_(kind),
      hash_columns_(std::move(hash_columns)),
      channels_(std::move(channels)),
      too_large_(std::move(too_large)),
      shares_(channels_.size()) {
  SLUICE_CHECK(!channels_.empty());
  SLUICE_CHECK(kind_ != PartitionKind::forward || channels_.size() == 1);
}

void EdgeSender::begin(const Batch& batch) {
  batch_ = batch;
  switch (kind_) {
    case PartitionKind::forward:
    case PartitionKind::broadcast:
      for (Share& share : shares_) share = {nullptr, 0, batch.rows};
      break;
    case PartitionKind::rebalance:
      begin_rebalance(batch.rows);
      break;
    case PartitionKind::hash:
      if (channels_.size() == 1) {
        shares_[0] = {nullptr, 0, batch.rows};
      } else {
        begin_hash(batch);
      }
      break;
  }
}

// Equal slices, starting with the channel whose turn it is, so that the remainders spread too.
void EdgeSender::begin_rebalance(std::uint32_t rows) {
  const auto n = static_cast<std::uint32_t>(channels_.size());
  std::uint32_t begin = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto end = static_cast<std::uint32_t>(std::uint64_t{rows} * (i + 1) / n);
    shares_[(next_ + i) % n] = {nullptr, begin, end};
    begin = end;
  }
  next_ = (next_ + 1) % n;
}

// A counting sort of the rows by channel, stable, so that each channel gets its rows in the order of the
// input.
void EdgeSender::begin_hash(const Batch& batch) {
  const std::uint64_t n = channels_.size();
  hashes_.resize(batch.rows);
  targets_.resize(batch.rows);
  rows_.resize(batch.rows);
  hash_columns(batch, hash_columns_, hashes_.data());
  for (Share& share : shares_) share = {};
  for (std::uint32_t r = 0; r < batch.rows; ++r) {
    // The high bits choose the task, so that the low ones still spread in the task's table.
    targets_[r] = static_cast<std::uint32_t>(((hashes_[r] >> 32) * n) >> 32);
    ++shares_[targets_[r]].end;
  }
  std::uint32_t begin = 0;
  for (Share& share : shares_) {
    share.rows = rows_.data() + begin;
    begin += std::exchange(share.end, 0);
  }
  for (std::uint32_t r = 0; r < batch.rows; ++r) {
    Share& share = shares_[targets_[r]];
    rows_[static_cast<std::size_t>(share.rows - rows_.data()) + share.end++] = r;
  }
}

bool EdgeSender::advance_share(std::size_t channel, Share& share, TimeNs now_ns) {
  while (share.begin < share.end) {
    const std::uint32_t count = share.end - share.begin;
    const AppendResult result =
        share.rows == nullptr ? channels_[channel]->append(batch_, share.begin, count, now_ns)
                              : channels_[channel]->append(batch_, share.rows + share.begin, count, now_ns);
    share.begin += result.appended;
    if (result.status == AppendStatus::kBlocked) return false;
    if (result.status == AppendStatus::kTooLarge) {
      const std::uint32_t row = share.rows == nullptr ? share.begin : share.rows[share.begin];
      // Broadcast: told once, by the first channel, though each leaves the row out.
      if (kind_ != PartitionKind::broadcast || channel == 0) too_large_(batch_, row);
      ++share.begin;
    }
  }
  return true;
}

bool EdgeSender::advance(TimeNs now_ns) {
  bool done = true;
  for (std::size_t i = 0; i < shares_.size(); ++i) done &= advance_share(i, shares_[i], now_ns);
  if (!done && kind_ == PartitionKind::rebalance) done = advance_rebalance(now_ns);
  blocked_ = !done;
  return done;
}

// What a channel without credit was to take goes to those that have some: the task behind it is slower just
// now.
bool EdgeSender::advance_rebalance(TimeNs now_ns) {
  bool done = true;
  for (Share& share : shares_) {
    for (std::size_t i = 0; i < channels_.size() && share.begin < share.end; ++i) {
      if (channels_[i]->has_credit()) advance_share(i, share, now_ns);
    }
    done &= share.begin == share.end;
  }
  return done;
}

void EdgeSender::watermark(std::int64_t event_time_us) {
  for (const auto& channel : channels_) channel->watermark(event_time_us);
}

void EdgeSender::idle() {
  for (const auto& channel : channels_) channel->idle();
}

void EdgeSender::end_of_stream() {
  for (const auto& channel : channels_) channel->end_of_stream();
}

void EdgeSender::flush() {
  for (const auto& channel : channels_) channel->flush();
}

void EdgeSender::flush_older(TimeNs before_ns) {
  for (const auto& channel : channels_) channel->flush_older(before_ns);
}

void EdgeSender::abandon() {
  for (const auto& channel : channels_) channel->abandon();
}

bool EdgeSender::pending() const {
  return std::any_of(channels_.begin(), channels_.end(), [](const auto& c) { return c->pending(); });
}

}  // namespace sluice
