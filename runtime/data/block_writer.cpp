#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/base/check.hpp"
#include "runtime/data/block_batch.hpp"

namespace sluice {
namespace {

constexpr std::size_t align(std::size_t n) {
  return (n + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

// Rows as a range or as a list, behind one shape.
struct RowRange {
  std::uint32_t begin;
  std::uint32_t operator[](std::uint32_t i) const { return begin + i; }
};
struct RowList {
  const std::uint32_t* rows;
  std::uint32_t operator[](std::uint32_t i) const { return rows[i]; }
};

std::size_t value_buffer_bytes(Type type, std::size_t rows) {
  switch (physical(type)) {
    case Physical::int64:
    case Physical::float64:
      return align(rows * 8);
    case Physical::bits:
      return align(bitmap_words(rows) * 8);
    case Physical::bytes:
      return align((rows + 1) * sizeof(std::int32_t));
  }
  return 0;
}

}  // namespace

BlockWriter::BlockWriter(const Schema& schema) : columns_(schema.size()) {
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].type = schema.field(i).type;
}

std::size_t BlockWriter::fixed_overhead() const {
  return align(sizeof(BatchHeader) + columns_.size() * sizeof(ColumnPlace));
}

void BlockWriter::begin(std::span<std::byte> bytes) {
  SLUICE_CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % kBufferAlignment == 0);
  bytes_ = bytes;
  rows_ = 0;
  // Without strings the layout depends on the block's size alone, and the blocks of a tier are all alike.
  if (fixed_layout_bytes_ == bytes.size()) {
    for (ColumnState& c : columns_) c.has_nulls = false;
    return;
  }
  lay_out();
}

// Chooses the row capacity that the learned string lengths allow, then places the buffers one after the
// other.
void BlockWriter::lay_out() {
  double row_bytes = 0;
  // Each buffer may lose up to one alignment unit to rounding, and an offsets buffer has one entry more than
  // rows.
  std::size_t overhead = fixed_overhead();
  for (const ColumnState& c : columns_) {
    overhead += 2 * kBufferAlignment;
    row_bytes += 1.0 / 8;
    switch (physical(c.type)) {
      case Physical::int64:
      case Physical::float64:
        row_bytes += 8;
        break;
      case Physical::bits:
        row_bytes += 1.0 / 8;
        break;
      case Physical::bytes:
        overhead += kBufferAlignment;
        row_bytes += 4 + c.mean_bytes;
        break;
    }
  }
  const double room = static_cast<double>(bytes_.size()) - static_cast<double>(overhead);
  row_capacity_ =
      static_cast<std::uint32_t>(std::max(1.0, row_bytes > 0 ? std::floor(room / row_bytes) : 1.0));

  std::size_t offset = fixed_overhead();
  double mean_sum = 0;
  std::size_t strings = 0;
  for (ColumnState& c : columns_) {
    c.has_nulls = false;
    c.place.validity = static_cast<std::uint32_t>(offset);
    offset += align(bitmap_words(row_capacity_) * 8);
    c.place.values = static_cast<std::uint32_t>(offset);
    offset += value_buffer_bytes(c.type, row_capacity_);
    c.place.data_bytes = 0;
    if (!is_variable_width(c.type)) continue;
    mean_sum += c.mean_bytes;
    ++strings;
  }
  SLUICE_CHECK_LE(offset, bytes_.size());
  // What is left goes to the strings: an alignment unit to each, the rest in proportion to their learned
  // lengths. The proportion is rounded down and the unit makes up for it, so that no column gets less than
  // its share because the areas before it were rounded up.
  const std::size_t left = bytes_.size() - offset;
  const std::size_t spread = left - std::min(left, strings * kBufferAlignment);
  for (ColumnState& c : columns_) {
    if (!is_variable_width(c.type)) continue;
    const double share = mean_sum > 0 ? c.mean_bytes / mean_sum : 0;
    const auto units = static_cast<std::size_t>(static_cast<double>(spread) * share) / kBufferAlignment;
    const std::size_t area = (1 + units) * kBufferAlignment;
    c.place.data = static_cast<std::uint32_t>(offset);
    c.data_capacity = static_cast<std::uint32_t>(std::min(area, bytes_.size() - offset));
    offset += c.data_capacity;
    reinterpret_cast<std::int32_t*>(at(c.place.values))[0] = 0;
  }
  used_ = static_cast<std::uint32_t>(offset);
  if (strings == 0) fixed_layout_bytes_ = bytes_.size();
}

template <typename Rows>
std::uint32_t BlockWriter::fitting(const Batch& batch, const Rows& rows, std::uint32_t count) const {
  std::uint32_t fit = std::min(count, row_capacity_ - rows_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnState& c = columns_[i];
    if (!is_variable_width(c.type)) continue;
    const std::int32_t* offsets = batch.column(i).offsets();
    std::uint64_t room = c.data_capacity - c.place.data_bytes;
    if constexpr (std::is_same_v<Rows, RowRange>) {
      // Offsets only rise, so the end of the last row that fits can be searched for.
      const std::int32_t* first = offsets + rows.begin;
      const std::int64_t limit = *first + static_cast<std::int64_t>(room);
      if (first[fit] > limit)
        fit = static_cast<std::uint32_t>(std::upper_bound(first, first + fit, limit) - first - 1);
      continue;
    }
    for (std::uint32_t r = 0; r < fit; ++r) {
      const auto length = static_cast<std::uint32_t>(offsets[rows[r] + 1] - offsets[rows[r]]);
      if (length > room) {
        fit = r;
        break;
      }
      room -= length;
    }
  }
  return fit;
}

void BlockWriter::start_validity(ColumnState& state) {
  state.has_nulls = true;
  auto* words = reinterpret_cast<std::uint64_t*>(at(state.place.validity));
  std::memset(words, 0xFF, bitmap_words(row_capacity_) * 8);
}

template <typename Rows>
void BlockWriter::copy_column(ColumnState& state, const Column& from, const Rows& rows, std::uint32_t count) {
  constexpr bool kRange = std::is_same_v<Rows, RowRange>;
  if (from.validity != nullptr) {
    if (!state.has_nulls) start_validity(state);
    auto* words = reinterpret_cast<std::uint64_t*>(at(state.place.validity));
    if constexpr (kRange) {
      bitmap_copy(words, rows_, from.validity, rows.begin, count);
    } else {
      for (std::uint32_t r = 0; r < count; ++r) bit_assign(words, rows_ + r, bit_get(from.validity, rows[r]));
    }
  }
  std::byte* values = at(state.place.values);
  switch (physical(state.type)) {
    case Physical::int64:
    case Physical::float64: {
      auto* out = reinterpret_cast<std::int64_t*>(values) + rows_;
      const std::int64_t* in = from.int64s();
      if constexpr (kRange) {
        std::memcpy(out, in + rows.begin, std::size_t{count} * 8);
      } else {
        for (std::uint32_t r = 0; r < count; ++r) out[r] = in[rows[r]];
      }
      break;
    }
    case Physical::bits: {
      auto* out = reinterpret_cast<std::uint64_t*>(values);
      if constexpr (kRange) {
        bitmap_copy(out, rows_, from.bits(), rows.begin, count);
      } else {
        for (std::uint32_t r = 0; r < count; ++r) bit_assign(out, rows_ + r, from.boolean(rows[r]));
      }
      break;
    }
    case Physical::bytes: {
      auto* out = reinterpret_cast<std::int32_t*>(values) + rows_;
      const std::int32_t* in = from.offsets();
      std::byte* data = at(state.place.data);
      std::uint32_t end = state.place.data_bytes;
      if constexpr (kRange) {
        const std::int32_t first = in[rows.begin];
        const auto bytes = static_cast<std::uint32_t>(in[rows.begin + count] - first);
        if (bytes > 0) std::memcpy(data + end, from.data + first, bytes);
        const std::int32_t shift = static_cast<std::int32_t>(end) - first;
        for (std::uint32_t r = 1; r <= count; ++r) out[r] = in[rows.begin + r] + shift;
        end += bytes;
      } else {
        for (std::uint32_t r = 0; r < count; ++r) {
          const std::string_view text = from.string(rows[r]);
          if (!text.empty()) std::memcpy(data + end, text.data(), text.size());
          end += static_cast<std::uint32_t>(text.size());
          out[r + 1] = static_cast<std::int32_t>(end);
        }
      }
      state.place.data_bytes = end;
      break;
    }
  }
}

template <typename Rows>
std::uint32_t BlockWriter::append_rows(const Batch& batch, const Rows& rows, std::uint32_t count) {
  std::uint32_t fit = fitting(batch, rows, count);
  if (fit == 0 && rows_ == 0 && count > 0) {
    // The learned lengths do not suit this row: lay the empty block out for rows like it.
    if (block_bytes_for_row(batch, rows[0]) > bytes_.size()) return 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!is_variable_width(columns_[i].type)) continue;
      columns_[i].mean_bytes = static_cast<double>(batch.column(i).string(rows[0]).size()) + 1;
    }
    lay_out();
    fit = fitting(batch, rows, count);
  }
  if (fit == 0) return 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) copy_column(columns_[i], batch.column(i), rows, fit);
  rows_ += fit;
  return fit;
}

std::uint32_t BlockWriter::append(const Batch& batch, std::uint32_t begin, std::uint32_t count) {
  return append_rows(batch, RowRange{begin}, count);
}

std::uint32_t BlockWriter::append(const Batch& batch, const std::uint32_t* rows, std::uint32_t count) {
  return append_rows(batch, RowList{rows}, count);
}

std::int64_t* BlockWriter::int64s(std::size_t column) {
  return reinterpret_cast<std::int64_t*>(at(columns_[column].place.values));
}

BatchHeader& BlockWriter::finish(std::uint64_t sequence) {
  auto* header = new (bytes_.data()) BatchHeader;
  header->columns = static_cast<std::uint32_t>(columns_.size());
  header->rows = rows_;
  header->bytes = used_;
  header->sequence = sequence;
  header->records_in = header->records_out = rows_;
  auto* places = reinterpret_cast<ColumnPlace*>(bytes_.data() + sizeof(BatchHeader));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    ColumnState& c = columns_[i];
    places[i] = c.place;
    if (!c.has_nulls) places[i].validity = 0;
    // Half of the old estimate and half of what this block held, with a tenth to spare.
    if (is_variable_width(c.type) && rows_ > 0) {
      c.mean_bytes = 0.5 * c.mean_bytes + 0.55 * static_cast<double>(c.place.data_bytes) / rows_ + 0.25;
    }
  }
  bytes_ = {};
  return *header;
}

std::size_t BlockWriter::least_block_bytes(const Schema& schema) {
  std::size_t bytes = align(sizeof(BatchHeader) + schema.size() * sizeof(ColumnPlace));
  for (const Field& field : schema.fields())
    bytes += (is_variable_width(field.type) ? 6 : 4) * kBufferAlignment;
  return bytes;
}

std::size_t BlockWriter::block_bytes_for_row(const Batch& batch, std::uint32_t row) const {
  // The same sums as lay_out for one row, with room for rounding each string area down to its share.
  std::size_t bytes = fixed_overhead();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    bytes += 4 * kBufferAlignment;
    if (is_variable_width(columns_[i].type))
      bytes += align(batch.column(i).string(row).size() + 2) + kBufferAlignment;
  }
  return bytes;
}

}  // namespace sluice
