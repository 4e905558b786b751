#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace sluice::reference {

// Numbers from a seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  // first … last, both included.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(first, last)(engine_);
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  template <typename T>
  const T& element(const std::vector<T>& of) {
    return of[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(of.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace sluice::reference
