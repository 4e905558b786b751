#pragma once

#include <cstddef>

#include "runtime/base/result.hpp"

namespace sluice {

// A worker's data memory: mapped and touched once, so that nothing on the data path allocates, and so that a
// machine that cannot give the memory says so at the start. Aligned to 2 MiB where the kernel offers huge
// pages. Owner: the pool.
class Region {
 public:
  static Result<Region> map(std::size_t bytes);

  Region(Region&& other) noexcept;
  Region& operator=(Region&&) = delete;
  ~Region();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Region(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}

  std::byte* data_;
  std::size_t bytes_;
};

}  // namespace sluice
