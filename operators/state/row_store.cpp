#include "operators/state/row_store.hpp"

#include <algorithm>
#include <numeric>

#include "operators/state/give_memory_back.hpp"
#include "runtime/base/check.hpp"

namespace sluice {

RowStore::RowStore(const Schema& schema) : visible_(schema.visible()), timed_(schema.has_event_time()) {
  time_column_ = timed_ ? schema.event_time_index() : 0;
  for (std::size_t c = 0; c < schema.size(); ++c) {
    if (timed_ && c == time_column_) continue;
    types_.push_back(schema.field(c).type);
    places_.push_back(c);
    if (is_variable_width(types_.back())) strings_.push_back(types_.size() - 1);
  }
  views_.resize(types_.size());
}

Result<void> RowStore::open_chunk() {
  if (free_numbers_.empty()) {
    if (chunks_.size() == kMaxChunks) {
      return Error(ErrorCode::out_of_memory, "more than four thousand million rows are held at a time");
    }
    free_numbers_.push_back(static_cast<std::uint32_t>(chunks_.size()));
    chunks_.emplace_back();
    links_.push_back(nullptr);
    for (auto& views : views_) views.emplace_back();
  }
  open_ = free_numbers_.back();
  free_numbers_.pop_back();
  if (spare_) {
    bytes_ -= spare_->bytes;
    chunks_[open_] = std::move(spare_);
  } else {
    auto chunk = std::make_unique<Chunk>();
    chunk->links = std::make_unique<RowLink[]>(kChunkRows);
    chunk->columns.reserve(types_.size());
    for (const Type type : types_) chunk->columns.emplace_back(type);
    chunks_[open_] = std::move(chunk);
  }
  chunks_[open_]->bytes = 0;
  links_[open_] = chunks_[open_]->links.get();
  return {};
}

Result<void> RowStore::append(const Batch& batch, std::span<const std::uint32_t> rows, RowNumber* numbers) {
  while (!rows.empty()) {
    if (open_ != kNoChunk &&
        (chunks_[open_]->rows == kChunkRows || chunks_[open_]->data_bytes >= kChunkBytes)) {
      open_ = kNoChunk;
    }
    if (open_ == kNoChunk) SLUICE_TRY(open_chunk());
    const std::uint32_t count = fitting(batch, rows);
    append_part(batch, rows.first(count), numbers);
    rows = rows.subspan(count);
    numbers += count;
  }
  return {};
}

// How many of the rows the open chunk takes, at least one.
std::uint32_t RowStore::fitting(const Batch& batch, std::span<const std::uint32_t> rows) const {
  const Chunk& chunk = *chunks_[open_];
  const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(rows.size(), kChunkRows - chunk.rows));
  if (strings_.empty()) return most;
  std::size_t bytes = chunk.data_bytes;
  std::uint32_t count = 0;
  for (; count < most && (count == 0 || bytes < kChunkBytes); ++count) {
    for (const std::size_t c : strings_) bytes += batch.column(places_[c]).string(rows[count]).size();
  }
  return count;
}

void RowStore::append_part(const Batch& batch, std::span<const std::uint32_t> rows, RowNumber* numbers) {
  Chunk& chunk = *chunks_[open_];
  for (std::size_t c = 0; c < types_.size(); ++c) {
    chunk.columns[c].append_rows(batch.column(places_[c]), rows.data(), rows.size());
    views_[c][open_] = chunk.columns[c].view();
  }
  for (const std::size_t c : strings_) {
    for (const std::uint32_t row : rows) chunk.data_bytes += batch.column(places_[c]).string(row).size();
  }
  const EventTimeUs* times = timed_ ? batch.column(time_column_).int64s() : nullptr;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const EventTimeUs time = timed_ ? times[rows[i]] : 0;
    chunk.links[chunk.rows + i] = {time, kNoRow, RowLink::kInNoChain};
    chunk.latest = std::max(chunk.latest, time);
    numbers[i] = static_cast<RowNumber>(open_ * kChunkRows + chunk.rows + i);
  }
  chunk.rows += static_cast<std::uint32_t>(rows.size());
  rows_ += rows.size();
  stored_rows_ += rows.size();
  // A chunk's latest time only rises, so this stays a lower bound.
  earliest_latest_ = std::min(earliest_latest_, chunk.latest);
  account(open_);
}

Result<RowNumber> RowStore::append_from(const RowStore& other, RowNumber row) {
  if (open_ == kNoChunk || chunks_[open_]->rows == kChunkRows || chunks_[open_]->data_bytes >= kChunkBytes) {
    SLUICE_TRY(open_chunk());
  }
  Chunk& chunk = *chunks_[open_];
  for (std::size_t c = 0; c < types_.size(); ++c) {
    chunk.columns[c].append(other.stored_column(c, row), row % kChunkRows);
    views_[c][open_] = chunk.columns[c].view();
  }
  chunk.data_bytes += other.row_bytes(row) - visible_ * 8;
  const EventTimeUs time = other.time(row);
  chunk.links[chunk.rows] = {time, kNoRow, RowLink::kInNoChain};
  chunk.latest = std::max(chunk.latest, time);
  earliest_latest_ = std::min(earliest_latest_, chunk.latest);
  ++rows_;
  ++stored_rows_;
  account(open_);
  return static_cast<RowNumber>(open_ * kChunkRows + chunk.rows++);
}

void RowStore::account(std::uint32_t number) {
  Chunk& chunk = *chunks_[number];
  std::uint64_t bytes = sizeof(Chunk) + kChunkRows * sizeof(RowLink) + types_.size() * sizeof(Column);
  for (const ColumnBuilder& column : chunk.columns) bytes += sizeof(ColumnBuilder) + column.allocated_bytes();
  bytes_ += bytes - chunk.bytes;
  chunk.bytes = bytes;
}

void RowStore::append_column(std::size_t column, std::span<const RowNumber> rows, ColumnBuilder& out) const {
  const Column* chunks = views_[column].data();
  const auto each = [&](auto append) {
    for (const RowNumber row : rows) {
      if (row == kNoRow) {
        out.append_null();
        continue;
      }
      const Column& from = chunks[row / kChunkRows];
      const std::uint32_t place = row % kChunkRows;
      from.is_null(place) ? out.append_null() : append(from, place);
    }
  };
  switch (physical(types_[column])) {
    case Physical::int64:
      return each([&](const Column& from, std::uint32_t r) { out.append_int64(from.int64s()[r]); });
    case Physical::float64:
      return each([&](const Column& from, std::uint32_t r) { out.append_float64(from.float64s()[r]); });
    case Physical::bits:
      return each([&](const Column& from, std::uint32_t r) { out.append_bool(from.boolean(r)); });
    case Physical::bytes:
      return each([&](const Column& from, std::uint32_t r) { out.append_string(from.string(r)); });
  }
}

std::size_t RowStore::row_bytes(RowNumber row) const {
  std::size_t bytes = visible_ * 8;
  for (const std::size_t c : strings_) bytes += stored_column(c, row).string(row % kChunkRows).size();
  return bytes;
}

void RowStore::mark(RowNumber row) {
  bit_assign(chunks_[row / kChunkRows]->marks.data(), row % kChunkRows, true);
}

bool RowStore::marked(RowNumber row) const {
  return bit_get(chunks_[row / kChunkRows]->marks.data(), row % kChunkRows);
}

void RowStore::release(RowNumber row) {
  Chunk& chunk = *chunks_[row / kChunkRows];
  SLUICE_CHECK_LT(chunk.released, chunk.rows);
  --rows_;
  if (++chunk.released == chunk.rows) free_chunk(row / kChunkRows);
}

void RowStore::free_chunk(std::uint32_t number) {
  std::unique_ptr<Chunk> chunk = std::move(chunks_[number]);
  links_[number] = nullptr;
  free_numbers_.push_back(number);
  if (open_ == number) open_ = kNoChunk;
  rows_ -= chunk->rows - chunk->released;
  stored_rows_ -= chunk->rows;
  if (stored_rows_ == 0 && chunks_.size() > kFewChunks) forget_numbers();
  if (spare_ || chunk->data_bytes >= kChunkBytes) {
    bytes_ -= chunk->bytes;
    return;
  }
  for (ColumnBuilder& column : chunk->columns) column.clear();
  chunk->marks.fill(0);
  chunk->rows = chunk->released = 0;
  chunk->latest = kWatermarkNone;
  chunk->data_bytes = 0;
  spare_ = std::move(chunk);
}

// No chunk is left: numbers begin at 0 again, so that lists by row number are short again too.
void RowStore::forget_numbers() {
  give_memory_back(chunks_);
  give_memory_back(links_);
  give_memory_back(free_numbers_);
  for (std::vector<Column>& views : views_) give_memory_back(views);
}

void RowStore::find_earliest() {
  earliest_latest_ = kWatermarkEnd;
  for (const auto& chunk : chunks_) {
    if (chunk != nullptr && chunk->rows > 0) earliest_latest_ = std::min(earliest_latest_, chunk->latest);
  }
}

void RowStore::clear() {
  for (std::uint32_t c = 0; c < chunks_.size(); ++c) {
    if (chunks_[c] != nullptr) free_chunk(c);
  }
  if (spare_) bytes_ -= spare_->bytes;
  spare_.reset();
  earliest_latest_ = kWatermarkEnd;
}

Batch RowStore::chunk_of(RowNumber row, std::span<const std::size_t> columns) {
  const std::uint32_t chunk = row / kChunkRows;
  chunk_view_.clear();
  for (const std::size_t c : columns) chunk_view_.push_back(views_[c][chunk]);
  return {nullptr, chunks_[chunk]->rows, chunk_view_};
}

}  // namespace sluice
