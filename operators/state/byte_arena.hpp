#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace sluice {

// Bytes that live and die together: one allocation a chunk, none a piece.
class ByteArena {
 public:
  const char* keep(std::string_view bytes);
  // Of all chunks.
  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_bytes_ = 0;  // of the last one
  std::size_t used_ = 0;         // in the last one
  std::size_t bytes_ = 0;
};

}  // namespace sluice
