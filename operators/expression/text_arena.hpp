#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace sluice::expression {

// Where kernels put the texts that they make: bump allocation, emptied between batches, nothing freed in
// between. One thread. What one odd batch needed beyond kKeptBytes is given back with the next reset.
class TextArena {
 public:
  static constexpr std::size_t kKeptBytes = 4 * 1024 * 1024;
  static constexpr std::size_t kChunkBytes = 64 * 1024;

  char* allocate(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(end_ - at_)) [[unlikely]]
      next_chunk(bytes);
    char* place = at_;
    at_ += bytes;
    return place;
  }

  // Gives the unused tail of the latest allocation back.
  void shrink_to(char* end) { at_ = end; }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* place = allocate(text.size());
    std::memcpy(place, text.data(), text.size());
    return {place, text.size()};
  }

  void reset();

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size;
  };
  void next_chunk(std::size_t bytes);
  void enter(std::size_t chunk);

  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;
  char* at_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace sluice::expression
