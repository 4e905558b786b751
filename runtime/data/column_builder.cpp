#include "runtime/data/column_builder.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "runtime/base/check.hpp"

namespace sluice {
namespace {

constexpr std::size_t kMinRows = 256;

std::size_t value_bytes(Type type, std::size_t rows) {
  switch (physical(type)) {
    case Physical::int64:
    case Physical::float64:
      return rows * 8;
    case Physical::bits:
      return bitmap_words(rows) * 8;
    case Physical::bytes:
      return (rows + 1) * sizeof(std::int32_t);
  }
  return 0;
}

}  // namespace

void AlignedBuffer::Free::operator()(std::byte* p) const { std::free(p); }

void AlignedBuffer::grow(std::size_t bytes) {
  const std::size_t wanted = std::max(bytes, capacity_ * 2);
  const std::size_t rounded = (wanted + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  auto* fresh = static_cast<std::byte*>(std::aligned_alloc(kBufferAlignment, rounded));
  if (fresh == nullptr) throw std::bad_alloc();
  if (capacity_ > 0) std::memcpy(fresh, bytes_.get(), capacity_);
  // Bitmaps are read and written a word at a time; zeroes keep that defined.
  std::memset(fresh + capacity_, 0, rounded - capacity_);
  bytes_.reset(fresh);
  capacity_ = rounded;
}

void ColumnBuilder::clear() {
  rows_ = 0;
  nulls_ = 0;
  data_bytes_ = 0;
  reserve_rows(kMinRows);
  if (physical(type_) == Physical::bytes) reinterpret_cast<std::int32_t*>(values_.data())[0] = 0;
}

void ColumnBuilder::grow_rows(std::size_t more) {
  row_capacity_ = std::max({rows_ + more, row_capacity_ * 2, kMinRows});
  values_.reserve(value_bytes(type_, row_capacity_));
  validity_.reserve(bitmap_words(row_capacity_) * 8);
}

void ColumnBuilder::start_validity() {
  bitmap_fill(reinterpret_cast<std::uint64_t*>(validity_.data()), 0, rows_, true);
}

void ColumnBuilder::append_null() {
  reserve_rows(1);
  if (nulls_++ == 0) start_validity();
  bit_assign(reinterpret_cast<std::uint64_t*>(validity_.data()), rows_, false);
  switch (physical(type_)) {
    case Physical::int64:
      reinterpret_cast<std::int64_t*>(values_.data())[rows_] = 0;
      break;
    case Physical::float64:
      reinterpret_cast<double*>(values_.data())[rows_] = 0;
      break;
    case Physical::bits:
      bit_assign(reinterpret_cast<std::uint64_t*>(values_.data()), rows_, false);
      break;
    case Physical::bytes:
      reinterpret_cast<std::int32_t*>(values_.data())[rows_ + 1] = static_cast<std::int32_t>(data_bytes_);
      break;
  }
  ++rows_;
}

void ColumnBuilder::append_string(std::string_view v) {
  reserve_rows(1);
  const std::size_t end = data_bytes_ + v.size();
  SLUICE_CHECK_LE(end, static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
  data_.reserve(end);
  if (!v.empty()) std::memcpy(data_.data() + data_bytes_, v.data(), v.size());
  data_bytes_ = end;
  reinterpret_cast<std::int32_t*>(values_.data())[rows_ + 1] = static_cast<std::int32_t>(end);
  finish_valid_row();
}

void ColumnBuilder::append_repeated(std::int64_t v, std::size_t count) {
  if (nulls_ > 0) {
    for (std::size_t i = 0; i < count; ++i) append_int64(v);
    return;
  }
  reserve_rows(count);
  std::fill_n(reinterpret_cast<std::int64_t*>(values_.data()) + rows_, count, v);
  rows_ += static_cast<std::uint32_t>(count);
}

void ColumnBuilder::append(const Column& from, std::size_t row) {
  if (from.is_null(row)) return append_null();
  switch (physical(type_)) {
    case Physical::int64:
      return append_int64(from.int64s()[row]);
    case Physical::float64:
      return append_float64(from.float64s()[row]);
    case Physical::bits:
      return append_bool(from.boolean(row));
    case Physical::bytes:
      return append_string(from.string(row));
  }
}

void ColumnBuilder::append_rows(const Column& from, const std::uint32_t* rows, std::size_t count) {
  reserve_rows(count);
  if (from.validity == nullptr && nulls_ == 0 && physical(type_) == Physical::int64) {
    auto* out = reinterpret_cast<std::int64_t*>(values_.data()) + rows_;
    const std::int64_t* in = from.int64s();
    for (std::size_t i = 0; i < count; ++i) out[i] = in[rows[i]];
    rows_ += static_cast<std::uint32_t>(count);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) append(from, rows[i]);
}

void ColumnBuilder::truncate(std::uint32_t rows) {
  SLUICE_CHECK_LE(rows, rows_);
  if (nulls_ > 0) {
    const auto* validity = reinterpret_cast<const std::uint64_t*>(validity_.data());
    nulls_ = rows - static_cast<std::uint32_t>(bitmap_count(validity, rows));
  }
  rows_ = rows;
  if (physical(type_) == Physical::bytes) {
    data_bytes_ = static_cast<std::size_t>(reinterpret_cast<const std::int32_t*>(values_.data())[rows]);
  }
}

Column ColumnBuilder::view() const {
  Column column;
  column.type = type_;
  column.validity = nulls_ > 0 ? reinterpret_cast<const std::uint64_t*>(validity_.data()) : nullptr;
  column.values = values_.data();
  column.data = physical(type_) == Physical::bytes ? reinterpret_cast<const char*>(data_.data()) : nullptr;
  return column;
}

BatchStaging::BatchStaging(const Schema& schema) : schema_(schema), views_(schema.size()) {
  columns_.reserve(schema.size());
  for (const Field& field : schema.fields()) columns_.emplace_back(field.type);
}

std::size_t BatchStaging::bytes() const {
  std::size_t sum = 0;
  for (const ColumnBuilder& column : columns_) sum += column.bytes();
  return sum;
}

void BatchStaging::clear() {
  for (ColumnBuilder& column : columns_) column.clear();
}

void BatchStaging::truncate(std::uint32_t rows) {
  // After a record that failed halfway only the first columns hold its row.
  for (ColumnBuilder& column : columns_) {
    if (column.rows() > rows) column.truncate(rows);
  }
}

void BatchStaging::append(const Batch& from, std::size_t row) {
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].append(from.column(i), row);
}

Batch BatchStaging::view() {
  for (std::size_t i = 0; i < columns_.size(); ++i) views_[i] = columns_[i].view();
  return {&schema_, rows(), views_};
}

}  // namespace sluice
