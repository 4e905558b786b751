#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/data/batch.hpp"

namespace sluice {

// Bytes on the heap, 64-byte aligned, that keep their capacity over `clear`. Growth doubles and keeps the
// content.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  AlignedBuffer(AlignedBuffer&&) noexcept = default;
  AlignedBuffer& operator=(AlignedBuffer&&) noexcept = default;

  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  std::size_t capacity() const { return capacity_; }
  // Makes room for at least `bytes` bytes in all; what lay in the buffer before stays.
  void reserve(std::size_t bytes) {
    if (bytes > capacity_) [[unlikely]]
      grow(bytes);
  }

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  void grow(std::size_t bytes);

  std::unique_ptr<std::byte[], Free> bytes_;
  std::size_t capacity_ = 0;
};

// Builds one column row by row in memory that it owns and reuses: for sources, expressions and windows, whose
// output is copied into a block when it leaves the task. One thread. The view is valid until the next append
// or clear.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(Type type) : type_(type) { clear(); }

  Type type() const { return type_; }
  std::uint32_t rows() const { return rows_; }
  std::size_t bytes() const { return data_bytes_ + rows_ * 8ull; }
  // What it holds of the heap, whatever lies in it.
  std::size_t allocated_bytes() const { return values_.capacity() + validity_.capacity() + data_.capacity(); }
  void clear();

  void append_null();
  void append_int64(std::int64_t v) {  // int64 and timestamp
    reserve_rows(1);
    reinterpret_cast<std::int64_t*>(values_.data())[rows_] = v;
    finish_valid_row();
  }
  void append_float64(double v) {
    reserve_rows(1);
    reinterpret_cast<double*>(values_.data())[rows_] = v;
    finish_valid_row();
  }
  void append_bool(bool v) {
    reserve_rows(1);
    bit_assign(reinterpret_cast<std::uint64_t*>(values_.data()), rows_, v);
    finish_valid_row();
  }
  // string and json. All strings of one column together stay under 2 GiB (checked).
  void append_string(std::string_view v);
  // The same value `count` times.
  void append_repeated(std::int64_t v, std::size_t count);
  // One row, or many, of a column of the same type.
  void append(const Column& from, std::size_t row);
  void append_rows(const Column& from, const std::uint32_t* rows, std::size_t count);
  // Takes the last row back: for a record that turns out bad halfway through its columns.
  void truncate(std::uint32_t rows);

  Column view() const;

 private:
  void reserve_rows(std::size_t more) {
    if (rows_ + more > row_capacity_) [[unlikely]]
      grow_rows(more);
  }
  void grow_rows(std::size_t more);
  void finish_valid_row() {
    if (nulls_ > 0) bit_assign(reinterpret_cast<std::uint64_t*>(validity_.data()), rows_, true);
    ++rows_;
  }
  void start_validity();

  Type type_;
  std::uint32_t rows_ = 0;
  std::uint32_t nulls_ = 0;  // the validity bitmap exists once this is > 0
  std::size_t row_capacity_ = 0;
  std::size_t data_bytes_ = 0;
  AlignedBuffer values_;
  AlignedBuffer validity_;
  AlignedBuffer data_;
};

// A builder a column, and the batch made of their views.
class BatchStaging {
 public:
  explicit BatchStaging(const Schema& schema);

  const Schema& schema() const { return schema_; }
  ColumnBuilder& column(std::size_t i) { return columns_[i]; }
  std::uint32_t rows() const { return columns_.empty() ? 0 : columns_[0].rows(); }
  std::size_t bytes() const;
  bool full() const { return rows() >= kTargetBatchRows || bytes() >= kTargetBatchBytes; }
  void clear();
  void truncate(std::uint32_t rows);
  void append(const Batch& from, std::size_t row);
  // Valid until the next change.
  Batch view();

 private:
  Schema schema_;
  std::vector<ColumnBuilder> columns_;
  std::vector<Column> views_;
};

}  // namespace sluice
