#pragma once

#include <cstddef>

namespace sluice {

// Fields written by different threads stand this far apart. Two lines of 64 bytes: the adjacent-line
// prefetcher of x86 pulls lines in pairs, so 64 would still let two writers disturb each other.
inline constexpr std::size_t kCacheLineBytes = 128;

}  // namespace sluice
