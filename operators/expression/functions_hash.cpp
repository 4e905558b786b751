#include <bit>
#include <cmath>
#include <cstring>

#include "operators/expression/functions.hpp"

namespace sluice::expression {
namespace {

// The values of hash64 are a contract: the same on every machine and in every version, because users keep
// them and split data by them. Two 64-bit words are multiplied to 128 bits and folded, which mixes every bit
// into every other.
constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;    // 2^64 divided by the golden ratio
constexpr std::uint64_t kStart = 0x243f6a8885a308d3u;  // the first digits of pi
constexpr std::uint64_t kNull = 0x13198a2e03707344u;   // and some later ones

constexpr std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  return fold((hash ^ word) + kOdd, (hash + word * 2) | 1) ^ (hash * kOdd) ^ std::rotl(word, 29);
}

std::uint64_t load(const char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, count);
  return word;
}

std::uint64_t hash_bytes(std::uint64_t hash, std::string_view text) {
  hash = mix(hash, text.size());
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) hash = mix(hash, load(text.data() + at, 8));
  if (at < text.size()) hash = mix(hash, load(text.data() + at, text.size() - at));
  return hash;
}

std::uint64_t hash_float(std::uint64_t hash, double value) {
  if (value == 0) value = 0;  // -0 equals 0
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return mix(hash, std::bit_cast<std::uint64_t>(value));
}

std::uint64_t hash_value(std::uint64_t hash, const Vector& v, std::uint32_t row) {
  if (v.is_null(row)) return mix(hash, kNull);
  const std::size_t i = row & v.mask();
  switch (physical(v.type)) {
    case Physical::int64:
      return mix(hash, static_cast<std::uint64_t>(v.values<std::int64_t>()[i]));
    case Physical::float64:
      return hash_float(hash, v.values<double>()[i]);
    case Physical::bits:
      return mix(hash, v.values<std::uint8_t>()[i]);
    case Physical::bytes:
      return hash_bytes(hash, v.values<std::string_view>()[i]);
  }
  return hash;
}

void hash(KernelCall& call) {
  auto* out = call.out<std::int64_t>();
  call.rows.each([&](std::uint32_t row) {
    std::uint64_t value = kStart;
    for (const Vector& v : call.args) value = hash_value(value, v, row);
    out[row] = static_cast<std::int64_t>(mix(value, kOdd));
  });
}

}  // namespace

Kernel hash_kernel() { return hash; }

}  // namespace sluice::expression
