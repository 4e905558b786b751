#pragma once

#include <cstdint>

#include "operators/expression/vector.hpp"
#include "runtime/data/column.hpp"
#include "runtime/data/column_builder.hpp"

namespace sluice::expression {

// Room behind the rows of a register: packing to bits reads whole words.
inline constexpr std::size_t kSpareBytes = 64;

// Between Arrow's layout, in which batches carry columns, and vectors, on which kernels work.

// A batch's column as a vector: numbers in place, bits as bytes and texts as views in memory that it keeps.
class ColumnReader {
 public:
  Vector read(const Column& column, std::uint32_t rows);

 private:
  AlignedBuffer values_;
  AlignedBuffer validity_;
};

// A vector as a column: numbers in place unless they are one constant. The column is valid until the next
// call.
class ColumnWriter {
 public:
  Column write(const Vector& vector, std::uint32_t rows);

  // The row from which on the texts did not fit below 2 GiB and stand empty; `rows` of the latest write:
  // none.
  std::uint32_t first_beyond() const { return first_beyond_; }

 private:
  const void* write_values(const Vector& vector, std::uint32_t rows);
  const void* write_texts(const Vector& vector, std::uint32_t rows);

  AlignedBuffer values_;
  AlignedBuffer validity_;
  AlignedBuffer data_;
  std::uint32_t first_beyond_ = 0;
};

}  // namespace sluice::expression
