#include "operators/state/byte_arena.hpp"

#include <algorithm>
#include <cstring>

namespace sluice {

const char* ByteArena::keep(std::string_view bytes) {
  constexpr std::size_t kFirstChunk = 512, kLargestChunk = 256 * 1024;
  if (bytes.empty()) return "";
  if (chunk_bytes_ - used_ < bytes.size()) {
    chunk_bytes_ = std::max(bytes.size(), std::clamp(chunk_bytes_ * 2, kFirstChunk, kLargestChunk));
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_bytes_));
    bytes_ += chunk_bytes_;
    used_ = 0;
  }
  char* place = chunks_.back().get() + used_;
  std::memcpy(place, bytes.data(), bytes.size());
  used_ += bytes.size();
  return place;
}

}  // namespace sluice
