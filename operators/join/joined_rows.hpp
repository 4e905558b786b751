#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "operators/join/join_plan.hpp"
#include "operators/state/row_store.hpp"

namespace sluice {

// The rows of a batch, as JoinedRows wants them: what RowStore has for stored ones.
class BatchRows {
 public:
  BatchRows(const Batch& batch, const Schema& schema);

  EventTimeUs time(std::uint32_t row) const { return times_[row]; }
  EventTimeUs watermark(std::uint32_t row) const { return watermarks_[row]; }
  void append_column(std::size_t column, std::span<const std::uint32_t> rows, ColumnBuilder& out) const {
    out.append_rows(batch_.column(column), rows.data(), rows.size());
  }
  std::size_t row_bytes(std::uint32_t row) const;

 private:
  const Batch& batch_;
  std::size_t visible_;
  const EventTimeUs* times_ = nullptr;
  const EventTimeUs* watermarks_ = nullptr;
};

// Gathers pairs of a left and a right row and makes the join's output of them, a column at a time. A row is
// that of a BatchRows or of a RowStore; the right one may be kNoRow, for nulls (then of a RowStore).
//
// A call's output is bounded: the caller stops adding once full(), calls emit() and says kHasMore. A joined
// row that is larger than an edge can carry (its two rows just did) is a bad record, whether or not the join
// is in one task with what follows. One task.
class JoinedRows {
 public:
  explicit JoinedRows(const JoinPlan& plan);

  void open(const OperatorContext& context);

  template <typename Left, typename Right>
  Result<void> add(const Left& left, std::uint32_t left_row, const Right& right, std::uint32_t right_row) {
    const std::size_t bytes = fixed_bytes_ > 0 ? fixed_bytes_ : pair_bytes(left, left_row, right, right_row);
    if (bytes > limit_) [[unlikely]]
      return refuse(left, left_row, right, right_row, bytes);
    left_rows_.push_back(left_row);
    right_rows_.push_back(right_row);
    bytes_ += bytes;
    return {};
  }
  bool full() const {
    return left_rows_.size() >= kTargetBatchRows || bytes_ >= kTargetBatchBytes ||
           bad_.pending() >= kMostDeadLetters;
  }
  // Emits the pairs, and the dead letters, that were added since the last emit. The sources are those of add.
  template <typename Left, typename Right>
  void emit(const Left& left, const Right& right, Emitter& out) {
    if (!left_rows_.empty()) {
      results_.clear();
      append(left, left_rows_, right, right_rows_, results_);
      out.emit(kJoinOutPort, results_.view());
      left_rows_.clear();
      right_rows_.clear();
      bytes_ = 0;
    }
    bad_.flush(out);
  }

 private:
  static constexpr std::uint32_t kMostDeadLetters = 64;  // each holds up to 4 KiB of its record

  template <typename Left, typename Right>
  std::size_t pair_bytes(const Left& left, std::uint32_t left_row, const Right& right,
                         std::uint32_t right_row) const {
    const std::size_t right_bytes = right_row == kNoRow ? right_visible_ * 8 : right.row_bytes(right_row);
    return left.row_bytes(left_row) + right_bytes + hidden_bytes_;
  }

  template <typename Left, typename Right>
  Result<void> refuse(const Left& left, std::uint32_t left_row, const Right& right, std::uint32_t right_row,
                      std::size_t bytes) {
    one_row_.clear();
    append(left, {&left_row, 1}, right, {&right_row, 1}, one_row_);
    return add_too_large(bytes);
  }
  Result<void> add_too_large(std::size_t bytes);

  template <typename Left, typename Right>
  void append(const Left& left, std::span<const std::uint32_t> left_rows, const Right& right,
              std::span<const std::uint32_t> right_rows, BatchStaging& out) {
    for (std::size_t c = 0; c < left_visible_; ++c) left.append_column(c, left_rows, out.column(c));
    for (std::size_t c = 0; c < right_visible_; ++c) {
      right.append_column(c, right_rows, out.column(left_visible_ + c));
    }
    if (!plan_.output.has_event_time()) return;
    ColumnBuilder& times = out.column(plan_.output.event_time_index());
    ColumnBuilder& watermarks = out.column(plan_.output.watermark_index());
    for (std::size_t i = 0; i < left_rows.size(); ++i) {
      const bool both = left_timed_ && right_timed_ && right_rows[i] != kNoRow;
      if (both) {
        times.append_int64(std::max(left.time(left_rows[i]), right.time(right_rows[i])));
      } else {
        times.append_int64(left_timed_ ? left.time(left_rows[i]) : right.time(right_rows[i]));
      }
      if (both && !plan_.watermark_of_left) {
        watermarks.append_int64(std::min(left.watermark(left_rows[i]), right.watermark(right_rows[i])));
      } else {
        watermarks.append_int64(left_timed_ ? left.watermark(left_rows[i]) : right.watermark(right_rows[i]));
      }
    }
  }

  const JoinPlan& plan_;
  std::size_t left_visible_;
  std::size_t right_visible_;
  bool left_timed_;
  bool right_timed_;
  std::size_t hidden_bytes_;
  std::size_t fixed_bytes_;  // of every joined row; 0: they differ
  std::size_t limit_ = SIZE_MAX;
  std::size_t bytes_ = 0;
  std::vector<std::uint32_t> left_rows_;
  std::vector<std::uint32_t> right_rows_;
  BatchStaging results_;
  BatchStaging one_row_;
  BadRecords bad_;
};

}  // namespace sluice
