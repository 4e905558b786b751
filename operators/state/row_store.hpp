#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/data/column_builder.hpp"
#include "runtime/operator.hpp"

namespace sluice {

// The number of a stored row: valid until the row's chunk is given back, after which it is used again.
using RowNumber = std::uint32_t;
inline constexpr RowNumber kNoRow = UINT32_MAX;

// What stands beside a stored row: its event time (0 in a store without), and its neighbours in the chain of
// its key (see KeyIndex).
struct RowLink {
  static constexpr RowNumber kInNoChain = kNoRow - 1;  // `previous` of a row that no index knows

  EventTimeUs time = 0;
  RowNumber next = kNoRow;
  RowNumber previous = kInNoChain;
};

// Rows that an operator keeps between calls, as columns in chunks of kChunkRows rows in order of arrival.
//
// A row is numbered by its chunk and its place there, in 32 bits. Memory is given back a chunk at a time:
// when the owner frees it, or has released each of its rows. A chunk also ends at about kChunkBytes, so wide
// rows do not pin each other. Bound: the chunks that hold a row still needed, one that is being filled, one
// spare. $event_time lies in the row's link, all other columns in builders. One thread.
class RowStore {
 public:
  static constexpr std::uint32_t kChunkRows = 1024;
  static constexpr std::size_t kChunkBytes = 1 << 20;

  explicit RowStore(const Schema& schema);

  // Appends rows of a batch of the store's schema; numbers[i] becomes that of rows[i]. Fails only when there
  // are more rows at a time than numbers for them.
  Result<void> append(const Batch& batch, std::span<const std::uint32_t> rows, RowNumber* numbers);
  // Takes over a row of another store of the same schema.
  Result<RowNumber> append_from(const RowStore& other, RowNumber row);

  RowLink& link(RowNumber row) { return links_[row / kChunkRows][row % kChunkRows]; }
  const RowLink& link(RowNumber row) const { return links_[row / kChunkRows][row % kChunkRows]; }
  EventTimeUs time(RowNumber row) const { return link(row).time; }
  EventTimeUs watermark(RowNumber row) const {
    return stored_column(visible_, row).int64s()[row % kChunkRows];
  }
  // A visible column of the schema, of the row's chunk; the row's place in it is row % kChunkRows.
  const Column& column(std::size_t column, RowNumber row) const { return stored_column(column, row); }
  // Appends the rows' values of one visible column; a null for each kNoRow.
  void append_column(std::size_t column, std::span<const RowNumber> rows, ColumnBuilder& out) const;
  // What the visible values of a row come to: 8 bytes a column, and the strings.
  std::size_t row_bytes(RowNumber row) const;

  // A mark that the owner sets on rows; rows begin without.
  void mark(RowNumber row);
  bool marked(RowNumber row) const;

  // Says that a row is not needed any more, once.
  void release(RowNumber row);

  std::uint64_t rows() const { return rows_; }  // that have not been released or freed
  std::uint64_t stored_rows() const {
    return stored_rows_;
  }  // with those that are released, in chunks that are not
  std::uint64_t bytes() const {
    return bytes_ + chunks_.capacity() * (2 * sizeof(void*) + types_.size() * sizeof(Column));
  }
  void clear();

  // The row's chunk as a batch of the given visible columns, in this order and without a schema. Valid until
  // the next change.
  Batch chunk_of(RowNumber row, std::span<const std::size_t> columns);
  // Frees the chunks all of whose times are before `time`; `leave(row, count)` is told of each before.
  template <typename Leave>
  void free_before(EventTimeUs time, Leave leave);

 private:
  struct Chunk {
    std::vector<ColumnBuilder> columns;
    std::unique_ptr<RowLink[]> links;
    std::array<std::uint64_t, kChunkRows / 64> marks{};
    std::uint32_t rows = 0;
    std::uint32_t released = 0;
    EventTimeUs latest = kWatermarkNone;
    std::size_t data_bytes = 0;
    std::uint64_t bytes = 0;  // what it has allocated
  };
  static constexpr std::uint32_t kNoChunk = UINT32_MAX;
  static constexpr std::size_t kFewChunks = 16;
  static constexpr std::size_t kMaxChunks = (std::size_t{1} << 22) - 1;

  const Column& stored_column(std::size_t column, RowNumber row) const {
    return views_[column][row / kChunkRows];
  }
  Result<void> open_chunk();
  std::uint32_t fitting(const Batch& batch, std::span<const std::uint32_t> rows) const;
  void append_part(const Batch& batch, std::span<const std::uint32_t> rows, RowNumber* numbers);
  void account(std::uint32_t chunk);
  void free_chunk(std::uint32_t chunk);
  void forget_numbers();
  void find_earliest();

  std::vector<Type> types_;           // of the columns in the builders
  std::vector<std::size_t> strings_;  // those of them that are visible and of variable width
  std::vector<std::size_t> places_;   // where in the schema each column in the builders comes from
  std::size_t visible_;
  std::size_t time_column_;  // in the schema; only if timed_
  bool timed_;
  std::vector<std::unique_ptr<Chunk>> chunks_;  // null: the number is free
  std::vector<RowLink*> links_;                 // of each chunk
  std::vector<std::vector<Column>> views_;      // by column, then by chunk
  std::vector<std::uint32_t> free_numbers_;
  std::unique_ptr<Chunk> spare_;
  std::uint32_t open_ = kNoChunk;
  EventTimeUs earliest_latest_ = kWatermarkEnd;  // no chunk's latest time is before it
  std::uint64_t rows_ = 0;
  std::uint64_t stored_rows_ = 0;
  std::uint64_t bytes_ = 0;
  std::vector<Column> chunk_view_;
};

template <typename Leave>
void RowStore::free_before(EventTimeUs time, Leave leave) {
  if (time <= earliest_latest_) return;
  for (std::uint32_t c = 0; c < chunks_.size(); ++c) {
    if (chunks_[c] == nullptr || chunks_[c]->rows == 0 || chunks_[c]->latest >= time) continue;
    leave(RowNumber{c * kChunkRows}, chunks_[c]->rows);
    free_chunk(c);
  }
  find_earliest();
}

}  // namespace sluice
