#pragma once

#include <cstdint>

namespace sluice {

// The account of an edge in raw records. At any time in = out + merged + dropped + resident; on a lossless
// edge merged and dropped stay 0, and when it is empty in = out.
struct RecordAccount {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t merged = 0;
  std::uint64_t dropped = 0;
  std::uint64_t resident = 0;

  bool balanced() const { return in == out + merged + dropped + resident; }
  bool lossless() const { return merged == 0 && dropped == 0; }
};

}  // namespace sluice
