#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "operators/aggregate/distinct_set.hpp"

namespace sluice {

// How many different values there were, from their hashes (P. Flajolet, É. Fusy, O. Gandouet, F. Meunier,
// "HyperLogLog: the analysis of a near-optimal cardinality estimation algorithm", 2007), with 64 bits of hash
// and the estimator of O. Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", 2017, which
// needs no table of corrections and is without bias over the whole range.
//
// m = 2^precision registers of a byte: the standard error is 1.04 / √m of the count, two of three results are
// within it and 997 of 1000 within three times as much (below 128 registers it would be more, so there are
// none). Up to m / 16 different hashes are kept as they are: small groups are exact, and take 8 to 11 bytes a
// value. What the sketch is depends on the set of hashes that it has seen and on nothing else, so any order,
// any split and any merging give the same result. One thread.
class HyperLogLog {
 public:
  static constexpr int kMinPrecision = 7;
  static constexpr int kMaxPrecision = 18;
  // The relative standard errors for which there is a precision.
  static constexpr double kLeastError = 0.0025;
  static constexpr double kLargestError = 0.1;
  // The smallest precision whose standard error is no more than that.
  static int precision_for(double standard_error);

  // Every call of one sketch gets the same precision.
  void add(std::uint64_t hash, int precision);
  void merge(const HyperLogLog& other, int precision);
  std::int64_t estimate(int precision) const;
  std::size_t heap_bytes(int precision) const;

 private:
  void add_to_registers(std::uint64_t hash, int precision);
  void make_registers(int precision);

  WordSet hashes_;                             // until there are registers
  std::unique_ptr<std::uint8_t[]> registers_;  // the most leading zeros + 1 among the hashes of each
};

}  // namespace sluice
