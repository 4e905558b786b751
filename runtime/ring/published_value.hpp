#pragma once

#include <cstdint>

#include "runtime/base/cache_line.hpp"
#include "runtime/ring/native_memory.hpp"

namespace sluice {

// A number that one thread raises and another reads, on a cache line of its own: the credit path inside a
// process. Because it carries an absolute right edge, a reader that misses intermediate values misses
// nothing.
template <typename Memory = NativeMemory>
class PublishedValue {
 public:
  PublishedValue() { Memory::store_relaxed(value_, std::uint64_t{0}); }

  // Writer's thread. Release: the blocks that this credit stands for are back in the pool before it can be
  // seen.
  void raise(std::uint64_t value) { Memory::publish(value_, value); }
  // Reader's thread. Acquire: pairs with raise.
  std::uint64_t read() const { return Memory::observe(value_); }

 private:
  alignas(kCacheLineBytes) typename Memory::template Atomic<std::uint64_t> value_;
};

}  // namespace sluice
