#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/data/batch.hpp"

namespace sluice {

// Hashes of values and rows. They decide to which task a key goes (hash partitioning) and where a group lies
// in a table, so the same key has the same hash on every node and in every run: no per-process seed, no
// dependence on addresses, on the batch a row came in or on the representation (-0.0 hashes as 0.0, every NaN
// alike, as grouping treats them). Not for input that an attacker chooses to collide; a table must stay
// correct, if slower, when hashes are equal.

// The two halves of a 128-bit product, folded. Two rounds of it avalanche fully.
constexpr std::uint64_t hash_mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline constexpr std::uint64_t kHashA = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio, odd
inline constexpr std::uint64_t kHashB = 0xd1b54a32d192ed03u;  // odd, bits evenly spread

constexpr std::uint64_t hash_word(std::uint64_t word, std::uint64_t seed = 0) {
  return hash_mix(hash_mix(word ^ seed ^ kHashA, kHashB) ^ kHashB, kHashA);
}

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0);

// The double that stands for all that compare equal as keys: 0.0 for -0.0, one NaN for all.
double canonical_key(double value);

// out[r] = hash of row r over `columns` (indexes into batch.columns), for all rows of the batch; an empty
// list gives one constant. A null hashes to a constant of its own. Whole columns at a time. All 64 bits are
// usable: partitioners should take the high ones (multiply and shift) and tables the low ones, so that a
// task's share still spreads in its table.
void hash_columns(const Batch& batch, std::span<const std::size_t> columns, std::uint64_t* out);

}  // namespace sluice
