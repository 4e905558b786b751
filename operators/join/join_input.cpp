#include "operators/join/join_input.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

bool same_value(const Column& a, std::uint32_t row_a, const Column& b, std::uint32_t row_b) {
  switch (physical(a.type)) {
    case Physical::int64:
      return a.int64s()[row_a] == b.int64s()[row_b];
    case Physical::float64: {
      const double x = a.float64s()[row_a], y = b.float64s()[row_b];
      return x == y || (std::isnan(x) && std::isnan(y));
    }
    case Physical::bits:
      return a.boolean(row_a) == b.boolean(row_b);
    case Physical::bytes:
      return a.string(row_a) == b.string(row_b);
  }
  return false;
}

}  // namespace

JoinInput::JoinInput(const JoinPlan& plan, std::uint32_t side)
    : schema_(plan.inputs[side]),
      keys_(plan.keys[side]),
      late_port_(side == kLeft ? kLateLeftPort : kLateRightPort),
      late_(schema_) {}

void JoinInput::read_on_time(const Batch& batch, EventTimeUs floor, OperatorCounters& counters,
                             Emitter& out) {
  const EventTimeUs* times = batch.column(schema_.event_time_index()).int64s();
  const EventTimeUs* watermarks = batch.column(schema_.watermark_index()).int64s();
  on_time_.clear();
  late_rows_.clear();
  for (std::uint32_t r = 0; r < batch.rows; ++r) {
    (times[r] < std::max(watermarks[r], floor) ? late_rows_ : on_time_).push_back(r);
  }
  if (!late_rows_.empty()) {
    counters.late.add(late_rows_.size());
    out.emit(late_port_, late_.take(batch, late_rows_));
  }
  find_keys(batch);
}

void JoinInput::read_all(const Batch& batch) {
  on_time_.resize(batch.rows);
  std::iota(on_time_.begin(), on_time_.end(), 0u);
  find_keys(batch);
}

void JoinInput::find_keys(const Batch& batch) {
  hashes_.resize(batch.rows);
  hash_columns(batch, keys_, hashes_.data());
  key_null_.clear();
  for (const std::size_t key : keys_) {
    const Column& column = batch.column(key);
    if (column.validity == nullptr) continue;
    key_null_.resize(batch.rows);
    for (std::uint32_t r = 0; r < batch.rows; ++r) key_null_[r] |= column.is_null(r) ? 1 : 0;
  }
  keyed_ = on_time_;
  if (!key_null_.empty()) std::erase_if(keyed_, [this](std::uint32_t r) { return key_null_[r] != 0; });
}

bool SameKey::same(std::uint32_t row, RowNumber stored) const {
  for (std::size_t k = 0; k < batch_columns_.size(); ++k) {
    if (!same_value(batch_.column(batch_columns_[k]), row, rows_.column(row_columns_[k], stored),
                    stored % RowStore::kChunkRows)) {
      return false;
    }
  }
  return true;
}

}  // namespace sluice
