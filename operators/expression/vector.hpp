#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/data/type.hpp"

namespace sluice::expression {

// Values of one node of an expression for the rows of a batch, as kernels see them (Arrow's bits become bytes
// in between, so that single rows can be written without touching their neighbours, and strings become views,
// so that taking a part of a text copies nothing):
//   int64, timestamp: int64_t   float64: double   bool: uint8_t 0 or 1   string, json: std::string_view
struct Vector {
  Type type = Type::int64;
  bool constant = false;  // one value, at index 0, for all rows
  const void* data = nullptr;
  const std::uint8_t* valid = nullptr;  // a byte a row, 0 = null; nullptr: no row is null

  template <typename T>
  const T* values() const {
    return static_cast<const T*>(data);
  }
  // What turns a row into an index: everything for a column, 0 for a constant.
  std::size_t mask() const { return constant ? 0 : ~std::size_t{0}; }
  bool is_null(std::size_t row) const { return valid != nullptr && valid[row & mask()] == 0; }
};

// The rows that a kernel works on: all of a batch, or those that a lazy branch reaches, in ascending order.
struct Rows {
  const std::uint32_t* index = nullptr;  // nullptr: rows 0 … count - 1
  std::uint32_t count = 0;
  std::uint32_t total = 0;  // of the batch

  bool all() const { return index == nullptr; }

  template <typename F>
  void each(F&& f) const {
    if (index == nullptr) {
      for (std::uint32_t row = 0; row < count; ++row) f(row);
    } else {
      for (std::uint32_t k = 0; k < count; ++k) f(index[k]);
    }
  }
};

constexpr std::size_t vector_value_bytes(Type type) {
  switch (physical(type)) {
    case Physical::int64:
    case Physical::float64:
      return 8;
    case Physical::bits:
      return 1;
    case Physical::bytes:
      return sizeof(std::string_view);
  }
  return 0;
}

}  // namespace sluice::expression
