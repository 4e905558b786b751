#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

// Bitmaps in Arrow's layout: bit i of the map is bit i % 64 of word i / 64 (little-endian bytes make the two
// the same).
constexpr std::size_t bitmap_words(std::size_t bits) { return (bits + 63) / 64; }

inline bool bit_get(const std::uint64_t* words, std::size_t i) { return (words[i >> 6] >> (i & 63)) & 1; }

inline void bit_assign(std::uint64_t* words, std::size_t i, bool value) {
  const std::uint64_t mask = std::uint64_t{1} << (i & 63);
  words[i >> 6] = value ? (words[i >> 6] | mask) : (words[i >> 6] & ~mask);
}

// Number of set bits among the first `bits`; what stands behind them in the last word does not count.
std::size_t bitmap_count(const std::uint64_t* words, std::size_t bits);

// Copies `count` bits from bit `from` of `source` to bit `to` of `target`; the bits around them stay.
void bitmap_copy(std::uint64_t* target, std::size_t to, const std::uint64_t* source, std::size_t from,
                 std::size_t count);
// Sets `count` bits from bit `to` on to `value`.
void bitmap_fill(std::uint64_t* target, std::size_t to, std::size_t count, bool value);

}  // namespace sluice
