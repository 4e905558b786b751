#include "runtime/data/bitmap.hpp"

#include <algorithm>
#include <bit>

namespace sluice {
namespace {

// `count` ≤ 64 bits from bit `from` on, in the low bits.
std::uint64_t load_bits(const std::uint64_t* words, std::size_t from, std::size_t count) {
  const std::size_t word = from >> 6;
  const std::size_t shift = from & 63;
  std::uint64_t bits = words[word] >> shift;
  // The second word is touched only if bits of it are asked for: it may lie behind the map's end.
  if (shift + count > 64) bits |= words[word + 1] << (64 - shift);
  return bits;
}

std::uint64_t low_mask(std::size_t count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

std::size_t bitmap_count(const std::uint64_t* words, std::size_t bits) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < bits / 64; ++i) count += static_cast<std::size_t>(std::popcount(words[i]));
  if (bits % 64 != 0)
    count += static_cast<std::size_t>(std::popcount(words[bits / 64] & low_mask(bits % 64)));
  return count;
}

void bitmap_copy(std::uint64_t* target, std::size_t to, const std::uint64_t* source, std::size_t from,
                 std::size_t count) {
  while (count > 0) {
    const std::size_t shift = to & 63;
    const std::size_t step = std::min(count, 64 - shift);
    const std::uint64_t mask = low_mask(step) << shift;
    const std::uint64_t bits = load_bits(source, from, step) << shift;
    target[to >> 6] = (target[to >> 6] & ~mask) | (bits & mask);
    to += step;
    from += step;
    count -= step;
  }
}

void bitmap_fill(std::uint64_t* target, std::size_t to, std::size_t count, bool value) {
  while (count > 0) {
    const std::size_t shift = to & 63;
    const std::size_t step = std::min(count, 64 - shift);
    const std::uint64_t mask = low_mask(step) << shift;
    target[to >> 6] = value ? (target[to >> 6] | mask) : (target[to >> 6] & ~mask);
    to += step;
    count -= step;
  }
}

}  // namespace sluice
