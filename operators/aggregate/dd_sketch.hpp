#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace sluice {

// Quantiles within a relative error (C. Masson, J. E. Rim, H. K. Lee, "DDSketch: a fast and fully-mergeable
// quantile sketch with relative-error guarantees", 2019). Values are counted in buckets (γ^(i−1), γ^i] with
// γ = (1 + α) / (1 − α); 2 γ^i / (γ + 1) is within α of every value of its bucket, but for the rounding of
// logarithms (less than 10^-12 of the value) and for numbers so near to 0 that doubles lose digits (10^-307).
//
// Negative numbers have buckets of their own; zeros, infinities and NaN are counted apart, NaN above all. The
// smallest and the largest finite value are kept: they are exact, and bound the other results.
//
// There are at most max_buckets = ⌈41 / α⌉ buckets: room for values of one sign that fill 35 decades without
// a gap. Buckets without a value do not count, so an outlier costs one. With more, neighbours are put
// together two by two, and γ becomes γ² (I. Epicoco et al., "UDDSketch: accurate tracking of quantiles in
// data streams", 2020): then the relative error is about 2 α, after the next time 4 α …, for all quantiles
// alike; at α = 1% and with values spread evenly over all doubles of both signs it ends at 56%.
//
// What the sketch is depends on the values alone: any order, any split and any merging give the same result.
// 16 bytes a bucket in an open-addressing table of at most three quarters load, from 4 slots. One thread.
class DDSketch {
 public:
  // The range of α.
  static constexpr double kLeastAccuracy = 0.001;
  static constexpr double kLargestAccuracy = 0.2;

  // α, and what follows from it; every call of one sketch gets the same.
  struct Scale {
    double log_gamma = 0;
    std::uint32_t max_buckets = 0;

    Scale() = default;
    explicit Scale(double accuracy);
  };

  void add(double value, const Scale& scale);
  void merge(const DDSketch& other, const Scale& scale);
  std::uint64_t count() const { return count_; }
  // About the value of that rank, 1 … count().
  double at_rank(std::uint64_t rank, const Scale& scale) const;
  // The relative error that holds for the values so far.
  double accuracy(const Scale& scale) const;
  std::size_t heap_bytes() const { return slots_count_ * sizeof(Slot); }

 private:
  // Keys are ordered as values are. kOrigin + i stands for bucket i of positive numbers, −(kOrigin + i) for
  // that of negative ones.
  using Key = std::int32_t;
  static constexpr Key kOrigin = 1 << 29;
  static constexpr Key kZero = 0;
  static constexpr Key kNan = std::numeric_limits<Key>::max();
  static constexpr Key kInfinity = kNan - 1;

  struct Slot {
    Key key = 0;
    std::uint64_t count = 0;  // 0: free
  };

  static bool is_bucket(Key key) { return key != kZero && key < kInfinity && key > -kInfinity; }
  // What a key becomes when buckets are put together `times` times.
  static Key coarser(Key key, int times);
  Key key_of(double value, const Scale& scale) const;
  double value_of(Key key, const Scale& scale) const;
  void add_count(Key key, std::uint64_t count);
  Slot& slot_of(Key key);
  void rebuild(std::size_t slots, int coarser_by);
  void limit(const Scale& scale);

  std::unique_ptr<Slot[]> slots_;
  std::uint32_t slots_count_ = 0;
  std::uint32_t used_ = 0;     // slots
  std::uint32_t buckets_ = 0;  // of them, with a bucket's key
  std::int32_t level_ = 0;     // how often buckets were put together
  std::uint64_t count_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity();  // of the finite values
  double largest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace sluice
