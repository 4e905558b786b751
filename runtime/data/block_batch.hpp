#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/data/batch.hpp"

namespace sluice {

// What travels at the front of a block, followed by one ColumnPlace a column and the column buffers, each on
// 64 bytes. Everything is an offset from the block's first byte, so that the block can be read wherever it is
// mapped.
struct BatchHeader {
  static constexpr std::uint32_t kMagic = 0x43494C53;  // "SLIC"

  std::uint32_t magic = kMagic;
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
  std::uint32_t bytes = 0;     // used, from the block's start
  std::uint64_t sequence = 0;  // of this block on its channel, from 1
  // The account of this batch in raw records: in = out + merged + dropped + resident. On a lossless edge out
  // = in = rows.
  std::uint64_t records_in = 0;
  std::uint64_t records_out = 0;
  std::uint64_t records_merged = 0;
  std::uint64_t records_dropped = 0;
  std::uint64_t records_resident = 0;  // held back by the sender's loss stage when the batch left
};

struct ColumnPlace {
  std::uint32_t validity = 0;  // 0: no row is null
  std::uint32_t values = 0;
  std::uint32_t data = 0;
  std::uint32_t data_bytes = 0;
};

// Writes rows into one block, column by column, in place. Fixed-width columns get room for as many rows as
// the block holds; string columns share the rest in proportion to the string lengths that the earlier blocks
// of the same writer had. A block is full when a row does not fit any more. One thread; the writer outlives
// many blocks and learns from them.
class BlockWriter {
 public:
  explicit BlockWriter(const Schema& schema);

  // Starts a block. `bytes` must be 64-byte aligned and hold at least one row of the schema's fixed columns.
  void begin(std::span<std::byte> bytes);
  bool begun() const { return !bytes_.empty(); }
  std::uint32_t rows() const { return rows_; }
  std::uint32_t row_capacity() const { return row_capacity_; }

  // Appends rows begin … begin + count − 1, or the listed ones, of a batch of the same schema, as far as they
  // fit; returns how many did. 0 with rows() == 0 means that the first row alone does not fit into the block
  // at all.
  std::uint32_t append(const Batch& batch, std::uint32_t begin, std::uint32_t count);
  std::uint32_t append(const Batch& batch, const std::uint32_t* rows, std::uint32_t count);

  // For writers that fill fixed-width columns directly: the column's buffer, then how many rows were written
  // in all.
  std::int64_t* int64s(std::size_t column);
  void set_rows(std::uint32_t rows) { rows_ = rows; }

  // Completes the header; afterwards another block may begin.
  BatchHeader& finish(std::uint64_t sequence);
  void abandon() { bytes_ = {}; }

  // The bytes that a block must have to hold a row whose strings are all empty.
  static std::size_t least_block_bytes(const Schema& schema);
  // The bytes that a block must have to hold this one row.
  std::size_t block_bytes_for_row(const Batch& batch, std::uint32_t row) const;

 private:
  struct ColumnState {
    Type type;
    ColumnPlace place;
    std::uint32_t data_capacity = 0;
    bool has_nulls = false;
    double mean_bytes = 16;  // learned length of a string
  };

  std::size_t fixed_overhead() const;
  void lay_out();
  template <typename Rows>
  std::uint32_t append_rows(const Batch& batch, const Rows& rows, std::uint32_t count);
  template <typename Rows>
  std::uint32_t fitting(const Batch& batch, const Rows& rows, std::uint32_t count) const;
  template <typename Rows>
  void copy_column(ColumnState& state, const Column& from, const Rows& rows, std::uint32_t count);
  void start_validity(ColumnState& state);
  std::byte* at(std::uint32_t offset) { return bytes_.data() + offset; }

  std::vector<ColumnState> columns_;
  std::span<std::byte> bytes_;
  std::uint32_t rows_ = 0;
  std::uint32_t row_capacity_ = 0;
  std::uint32_t used_ = 0;
  std::size_t fixed_layout_bytes_ = 0;  // the block size that the layout is for, if it has no strings
};

// Sees the batch in a block. Checks what a wrong header could do harm with (magic, counts, bounds of every
// buffer, the end of the strings), so that a damaged block is an error. The offsets of single strings are
// taken as the writer left them: reader and writer are one program. The view is valid while the block is.
class BlockReader {
 public:
  explicit BlockReader(const Schema& schema) : schema_(schema), columns_(schema.size()) {
    for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].type = schema.field(i).type;
  }

  Result<Batch> read(std::span<const std::byte> bytes);
  const BatchHeader& header() const { return *header_; }

 private:
  std::optional<std::string_view> check_places(const ColumnPlace* places, std::uint64_t rows,
                                               std::uint64_t bytes) const;

  const Schema& schema_;
  std::vector<Column> columns_;
  const BatchHeader* header_ = nullptr;
  // What was checked last: the blocks of an edge are mostly laid out alike, and then bounds need no second
  // look.
  std::vector<ColumnPlace> checked_places_;
  std::uint32_t checked_rows_ = 0;
  std::uint32_t checked_bytes_ = 0;
};

}  // namespace sluice
