#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sluice {

// The pool's size as a sum of named holders, one line each: who may hold how many blocks of which tier at the
// same time. A plan whose sum is larger than the memory it was given is refused with this table.
class Budget {
 public:
  struct Line {
    std::string holder;  // "edge time → counts: 2 channels × window 24"
    std::size_t block_bytes = 0;
    std::size_t blocks = 0;
    std::size_t bytes() const { return block_bytes * blocks; }
  };

  void add(std::string holder, std::size_t block_bytes, std::size_t blocks) {
    if (blocks > 0) lines_.push_back({std::move(holder), block_bytes, blocks});
  }
  const std::vector<Line>& lines() const { return lines_; }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Line& line : lines_) sum += line.bytes();
    return sum;
  }

 private:
  std::vector<Line> lines_;
};

}  // namespace sluice
