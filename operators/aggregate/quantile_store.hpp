#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice {

// All values of a group, 8 bytes each (up to 16 as the array grows by doubling): exact quantiles cannot be
// had for less. Values are words, in an order that their owner has given them. One thread.
class QuantileStore {
 public:
  void add(std::int64_t value) { values_.push_back(value); }
  void merge(const QuantileStore& other);
  std::uint64_t size() const { return values_.size(); }
  // The value of that rank, 1 … size(), in time that is linear on average.
  std::int64_t at_rank(std::uint64_t rank) const;
  std::size_t heap_bytes() const { return values_.capacity() * sizeof(std::int64_t); }

 private:
  mutable std::vector<std::int64_t> values_;  // in whatever order the last search left them
};

}  // namespace sluice
