#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "operators/binding/row_selection.hpp"
#include "operators/join/join_plan.hpp"
#include "operators/state/row_store.hpp"

namespace sluice {

// One side of a join looks at a batch: which rows are late, which have a key, and its hash. One task; what
// read() finds is valid until the next.
class JoinInput {
 public:
  JoinInput(const JoinPlan& plan, std::uint32_t side);

  // A row is late if its time is before the event-time watermark that it carries, or before `floor`, up to
  // which results have been given. Late rows are counted and go to the side's port as they came.
  void read_on_time(const Batch& batch, EventTimeUs floor, OperatorCounters& counters, Emitter& out);
  // No row is late.
  void read_all(const Batch& batch);

  // The rows that are not late; those of them whose key has no null.
  std::span<const std::uint32_t> on_time() const { return on_time_; }
  std::span<const std::uint32_t> keyed() const { return keyed_; }
  std::uint64_t hash(std::uint32_t row) const { return hashes_[row]; }
  bool has_key(std::uint32_t row) const { return key_null_.empty() || key_null_[row] == 0; }

 private:
  void find_keys(const Batch& batch);

  const Schema& schema_;
  const std::vector<std::size_t>& keys_;
  std::uint32_t late_port_;
  RowSelection late_;
  std::vector<std::uint32_t> on_time_;
  std::vector<std::uint32_t> keyed_;
  std::vector<std::uint32_t> late_rows_;
  std::vector<std::uint8_t> key_null_;  // empty: none is
  std::vector<std::uint64_t> hashes_;
};

// Whether the key of a batch's row is that of a stored one; neither may hold a null. For one call.
class SameKey {
 public:
  // The key's columns in each: as many, of the same types.
  SameKey(const Batch& batch, std::span<const std::size_t> batch_columns, const RowStore& rows,
          std::span<const std::size_t> row_columns)
      : batch_(batch), batch_columns_(batch_columns), rows_(rows), row_columns_(row_columns) {
    const Column& first = batch.column(batch_columns_.front());
    if (batch_columns_.size() == 1 && physical(first.type) == Physical::int64) word_ = first.int64s();
  }

  bool operator()(std::uint32_t row, RowNumber stored) const {
    if (word_ == nullptr) return same(row, stored);
    return rows_.column(row_columns_.front(), stored).int64s()[stored % RowStore::kChunkRows] == word_[row];
  }

 private:
  bool same(std::uint32_t row, RowNumber stored) const;

  const Batch batch_;
  std::span<const std::size_t> batch_columns_;
  const RowStore& rows_;
  std::span<const std::size_t> row_columns_;
  const std::int64_t* word_ = nullptr;  // the key, if it is one number
};

}  // namespace sluice
