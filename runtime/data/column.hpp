#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/data/bitmap.hpp"
#include "runtime/data/type.hpp"

namespace sluice {

// What every buffer of a column starts on, in bytes.
inline constexpr std::size_t kBufferAlignment = 64;

// One column of a batch, seen and not owned. The buffers have Arrow's physical layout and start on 64 bytes:
//   validity  one bit a row, set = not null; nullptr = no row is null
//   values    int64 and timestamp: int64[rows]; float64: double[rows]; bool: one bit a row;
//             string and json: int32 offsets[rows + 1] into `data`, offsets[0] may be any value ≥ 0
//   data      the bytes of all strings; nullptr for the other types
// The value of a null row is unspecified but readable.
struct Column {
  Type type = Type::int64;
  const std::uint64_t* validity = nullptr;
  const void* values = nullptr;
  const char* data = nullptr;

  bool is_null(std::size_t row) const { return validity != nullptr && !bit_get(validity, row); }
  const std::int64_t* int64s() const { return static_cast<const std::int64_t*>(values); }
  const double* float64s() const { return static_cast<const double*>(values); }
  const std::uint64_t* bits() const { return static_cast<const std::uint64_t*>(values); }
  const std::int32_t* offsets() const { return static_cast<const std::int32_t*>(values); }
  bool boolean(std::size_t row) const { return bit_get(bits(), row); }
  std::string_view string(std::size_t row) const {
    const std::int32_t* o = offsets();
    return {data + o[row], static_cast<std::size_t>(o[row + 1] - o[row])};
  }
};

}  // namespace sluice
