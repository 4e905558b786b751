#include "runtime/data/hash.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace sluice {
namespace {

constexpr std::uint64_t kStart = 0x2545f4914f6cdd1du;
constexpr std::uint64_t kNullHash = 0x8c6f1a93e5b7d24bu;

std::uint64_t load64(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

std::uint64_t load32(const char* p) {
  std::uint32_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// Up to 16 bytes as two words that, together with the length, tell all short strings apart.
void load_tail(const char* p, std::size_t n, std::uint64_t& a, std::uint64_t& b) {
  if (n >= 8) {
    a = load64(p);
    b = load64(p + n - 8);
  } else if (n >= 4) {
    a = load32(p);
    b = load32(p + n - 4);
  } else if (n > 0) {
    a = static_cast<unsigned char>(p[0]) |
        static_cast<std::uint64_t>(static_cast<unsigned char>(p[n / 2])) << 8 |
        static_cast<std::uint64_t>(static_cast<unsigned char>(p[n - 1])) << 16;
    b = 0;
  } else {
    a = b = 0;
  }
}

// Adds one column to the hashes of all rows. `value_hash` gives the hash of a row's value; the chain over the
// columns is what makes (a, b) differ from (b, a).
template <typename ValueHash>
void add_column(const Column& column, std::uint32_t rows, std::uint64_t* out, ValueHash value_hash) {
  if (column.validity == nullptr) {
    for (std::uint32_t r = 0; r < rows; ++r) out[r] = hash_mix(out[r] ^ value_hash(r), kHashA);
    return;
  }
  for (std::uint32_t r = 0; r < rows; ++r) {
    const std::uint64_t h = bit_get(column.validity, r) ? value_hash(r) : kNullHash;
    out[r] = hash_mix(out[r] ^ h, kHashA);
  }
}

}  // namespace

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) {
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t state = seed ^ kStart;
  while (left > 16) {
    state = hash_mix(load64(p) ^ kHashA, load64(p + 8) ^ state);
    p += 16;
    left -= 16;
  }
  std::uint64_t a, b;
  load_tail(p, left, a, b);
  state = hash_mix(a ^ kHashA, b ^ state);
  return hash_mix(state ^ bytes.size(), kHashB);
}

double canonical_key(double value) {
  if (value == 0.0) return 0.0;
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

void hash_columns(const Batch& batch, std::span<const std::size_t> columns, std::uint64_t* out) {
  for (std::uint32_t r = 0; r < batch.rows; ++r) out[r] = kStart;
  for (const std::size_t index : columns) {
    const Column& column = batch.column(index);
    switch (physical(column.type)) {
      case Physical::int64:
        add_column(column, batch.rows, out, [v = column.int64s()](std::uint32_t r) {
          return hash_word(static_cast<std::uint64_t>(v[r]));
        });
        break;
      case Physical::float64:
        add_column(column, batch.rows, out, [v = column.float64s()](std::uint32_t r) {
          return hash_word(std::bit_cast<std::uint64_t>(canonical_key(v[r])));
        });
        break;
      case Physical::bits:
        add_column(column, batch.rows, out,
                   [&column](std::uint32_t r) { return hash_word(column.boolean(r) ? 1 : 0); });
        break;
      case Physical::bytes:
        add_column(column, batch.rows, out,
                   [&column](std::uint32_t r) { return hash_bytes(column.string(r)); });
        break;
    }
  }
}

}  // namespace sluice
