#include "operators/expression/text_arena.hpp"

#include <algorithm>

namespace sluice::expression {

void TextArena::enter(std::size_t chunk) {
  current_ = chunk;
  at_ = chunks_[chunk].bytes.get();
  end_ = at_ + chunks_[chunk].size;
}

void TextArena::next_chunk(std::size_t bytes) {
  const std::size_t next = at_ == nullptr ? 0 : current_ + 1;
  if (next < chunks_.size() && chunks_[next].size < bytes) chunks_.resize(next);
  if (next == chunks_.size()) {
    const std::size_t size = std::max(bytes, kChunkBytes);
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
  }
  enter(next);
}

void TextArena::reset() {
  std::size_t kept_bytes = 0;
  std::size_t kept = 0;
  while (kept < chunks_.size() && kept_bytes + chunks_[kept].size <= kKeptBytes)
    kept_bytes += chunks_[kept++].size;
  chunks_.resize(kept);
  at_ = end_ = nullptr;
  current_ = 0;
  if (!chunks_.empty()) enter(0);
}

}  // namespace sluice::expression
