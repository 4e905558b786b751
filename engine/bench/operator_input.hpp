#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/data/batch.hpp"
#include "runtime/data/column_builder.hpp"

namespace sluice {

enum class KeySpread : std::uint8_t { uniform, zipf };

// Rows in memory as a source and event_time would give them, in the order of time: k and v int64, f float64,
// and the hidden event time and watermark. Keys are spread over int64, so that no table profits from their
// being dense. The same seed gives the same rows.
class OperatorInput {
 public:
  static constexpr std::uint32_t kBatchRows = 1024;

  struct Shape {
    std::size_t rows = 0;  // a multiple of kBatchRows
    std::uint64_t keys = 1;
    KeySpread spread = KeySpread::uniform;  // zipf: the i-th key has a weight of 1/i
    std::int64_t step_us = 1;               // between one row's time and the next
    std::uint64_t seed = 1;
  };

  explicit OperatorInput(const Shape& shape);

  static const Schema& schema();
  std::size_t rows() const { return rows_; }
  std::size_t batches() const { return rows_ / kBatchRows; }
  // Valid until the next call.
  Batch batch(std::size_t index);

  const std::int64_t* keys() const { return column<std::int64_t>(0); }
  const std::int64_t* values() const { return column<std::int64_t>(1); }
  const double* floats() const { return column<double>(2); }
  const std::int64_t* times() const { return column<std::int64_t>(3); }
  const std::int64_t* watermarks() const { return column<std::int64_t>(4); }

 private:
  static constexpr std::size_t kColumns = 5;

  template <typename T>
  T* column(std::size_t i) {
    return reinterpret_cast<T*>(buffers_[i].data());
  }
  template <typename T>
  const T* column(std::size_t i) const {
    return reinterpret_cast<const T*>(buffers_[i].data());
  }

  std::size_t rows_;
  std::array<AlignedBuffer, kColumns> buffers_;
  std::array<Column, kColumns> views_;
};

}  // namespace sluice
