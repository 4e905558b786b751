#include "operators/aggregate/hyper_log_log.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "runtime/base/check.hpp"

namespace sluice {
namespace {

std::size_t registers_of(int precision) { return std::size_t{1} << precision; }
std::size_t most_hashes(int precision) { return registers_of(precision) / 16; }

// Ertl 2017, algorithm 6: the contribution of the registers that are still empty …
double sigma(double x) {
  if (x == 1) return INFINITY;
  double y = 1, z = x, before;
  do {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  } while (z != before);
  return z;
}

// … and of those that are full.
double tau(double x) {
  if (x == 0 || x == 1) return 0;
  double y = 1, z = 1 - x, before;
  do {
    x = std::sqrt(x);
    before = z;
    y /= 2;
    z -= (1 - x) * (1 - x) * y;
  } while (z != before);
  return z / 3;
}

}  // namespace

int HyperLogLog::precision_for(double standard_error) {
  int precision = kMinPrecision;
  while (precision < kMaxPrecision &&
         1.04 / std::sqrt(static_cast<double>(registers_of(precision))) > standard_error) {
    ++precision;
  }
  return precision;
}

void HyperLogLog::add(std::uint64_t hash, int precision) {
  if (registers_ != nullptr) return add_to_registers(hash, precision);
  hashes_.insert(hash);
  if (hashes_.size() > most_hashes(precision)) make_registers(precision);
}

void HyperLogLog::add_to_registers(std::uint64_t hash, int precision) {
  // The first bits choose the register; a mark behind the others bounds the number of zeros.
  const std::uint64_t rest = hash << precision | std::uint64_t{1} << (precision - 1);
  const auto rank = static_cast<std::uint8_t>(std::countl_zero(rest) + 1);
  std::uint8_t& held = registers_[hash >> (64 - precision)];
  held = std::max(held, rank);
}

void HyperLogLog::make_registers(int precision) {
  registers_ = std::make_unique<std::uint8_t[]>(registers_of(precision));
  hashes_.for_each([&](std::uint64_t hash) { add_to_registers(hash, precision); });
  hashes_ = WordSet();
}

void HyperLogLog::merge(const HyperLogLog& other, int precision) {
  if (other.registers_ == nullptr) {
    other.hashes_.for_each([&](std::uint64_t hash) { add(hash, precision); });
    return;
  }
  if (registers_ == nullptr) make_registers(precision);
  for (std::size_t i = 0; i < registers_of(precision); ++i) {
    registers_[i] = std::max(registers_[i], other.registers_[i]);
  }
}

std::int64_t HyperLogLog::estimate(int precision) const {
  if (registers_ == nullptr) return static_cast<std::int64_t>(hashes_.size());
  const int largest = 64 - precision + 1;
  std::array<std::uint32_t, 64> with_rank{};
  for (std::size_t i = 0; i < registers_of(precision); ++i) ++with_rank[registers_[i]];

  const auto m = static_cast<double>(registers_of(precision));
  double z = m * tau(1 - with_rank[static_cast<std::size_t>(largest)] / m);
  for (int k = largest - 1; k >= 1; --k) z = (z + with_rank[static_cast<std::size_t>(k)]) / 2;
  z += m * sigma(with_rank[0] / m);
  const double estimate = m * m / (2 * std::numbers::ln2 * z);
  return estimate < 0x1p63 ? static_cast<std::int64_t>(std::round(estimate)) : INT64_MAX;
}

std::size_t HyperLogLog::heap_bytes(int precision) const {
  return registers_ != nullptr ? registers_of(precision) : hashes_.heap_bytes();
}

}  // namespace sluice
