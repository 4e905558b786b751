#include "operators/aggregate/dd_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "runtime/base/check.hpp"
#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

constexpr std::uint32_t kMinSlots = 4;

bool full(std::size_t used, std::size_t slots) { return used * 4 >= slots * 3; }

}  // namespace

DDSketch::Scale::Scale(double accuracy)
    : log_gamma(std::log1p(accuracy) - std::log1p(-accuracy)),
      max_buckets(static_cast<std::uint32_t>(std::ceil(41 / accuracy))) {}

DDSketch::Key DDSketch::coarser(Key key, int times) {
  if (!is_bucket(key)) return key;
  // ⌈i / 2^times⌉, by a shift that rounds down.
  const Key i = (key > 0 ? key : -key) - kOrigin;
  const Key together = kOrigin + ((i + (Key{1} << times) - 1) >> times);
  return key > 0 ? together : -together;
}

DDSketch::Key DDSketch::key_of(double value, const Scale& scale) const {
  if (std::isnan(value)) return kNan;
  if (value == 0) return kZero;
  if (std::isinf(value)) return value > 0 ? kInfinity : -kInfinity;
  const Key key = kOrigin + static_cast<Key>(std::ceil(std::log(std::abs(value)) / scale.log_gamma));
  return coarser(value > 0 ? key : -key, level_);
}

double DDSketch::value_of(Key key, const Scale& scale) const {
  if (key == kNan) return std::numeric_limits<double>::quiet_NaN();
  if (key == kZero) return 0;
  if (key == kInfinity || key == -kInfinity) {
    return std::copysign(std::numeric_limits<double>::infinity(), static_cast<double>(key));
  }
  const Key i = (key > 0 ? key : -key) - kOrigin;
  const double log_gamma = std::ldexp(scale.log_gamma, level_);
  const double value = std::exp(i * log_gamma - std::log1p(std::expm1(log_gamma) / 2));
  return std::clamp(key > 0 ? value : -value, smallest_, largest_);
}

DDSketch::Slot& DDSketch::slot_of(Key key) {
  const std::size_t mask = slots_count_ - 1;
  std::size_t i = hash_mix(static_cast<std::uint32_t>(key) ^ kHashA, kHashB) & mask;
  while (slots_[i].count != 0 && slots_[i].key != key) i = (i + 1) & mask;
  return slots_[i];
}

void DDSketch::add_count(Key key, std::uint64_t count) {
  if (slots_count_ == 0) rebuild(kMinSlots, 0);
  Slot* slot = &slot_of(key);
  if (slot->count == 0) {
    if (full(used_, slots_count_)) {
      rebuild(std::size_t{slots_count_} * 2, 0);
      slot = &slot_of(key);
    }
    slot->key = key;
    ++used_;
    buckets_ += is_bucket(key);
  }
  slot->count += count;
}

void DDSketch::rebuild(std::size_t slots, int coarser_by) {
  const std::size_t old_count = std::exchange(slots_count_, static_cast<std::uint32_t>(slots));
  const std::unique_ptr<Slot[]> old = std::exchange(slots_, std::make_unique<Slot[]>(slots));
  used_ = buckets_ = 0;
  for (std::size_t i = 0; i < old_count; ++i) {
    if (old[i].count != 0) add_count(coarser(old[i].key, coarser_by), old[i].count);
  }
}

void DDSketch::limit(const Scale& scale) {
  while (buckets_ > scale.max_buckets) {
    rebuild(slots_count_, 1);
    ++level_;
  }
}

void DDSketch::add(double value, const Scale& scale) {
  if (std::isfinite(value)) {
    if (value == 0) value = 0;  // never −0.0
    smallest_ = std::min(smallest_, value);
    largest_ = std::max(largest_, value);
  }
  ++count_;
  add_count(key_of(value, scale), 1);
  limit(scale);
}

void DDSketch::merge(const DDSketch& other, const Scale& scale) {
  if (other.level_ > level_) {
    if (slots_count_ > 0) rebuild(slots_count_, other.level_ - level_);
    level_ = other.level_;
  }
  const int coarser_by = level_ - other.level_;
  for (std::size_t i = 0; i < other.slots_count_; ++i) {
    const Slot& slot = other.slots_[i];
    if (slot.count != 0) add_count(coarser(slot.key, coarser_by), slot.count);
  }
  limit(scale);
  count_ += other.count_;
  smallest_ = std::min(smallest_, other.smallest_);
  largest_ = std::max(largest_, other.largest_);
}

double DDSketch::at_rank(std::uint64_t rank, const Scale& scale) const {
  SLUICE_CHECK(rank >= 1 && rank <= count_);
  std::vector<Slot> ordered;
  ordered.reserve(used_);
  for (std::size_t i = 0; i < slots_count_; ++i) {
    if (slots_[i].count != 0) ordered.push_back(slots_[i]);
  }
  std::sort(ordered.begin(), ordered.end(), [](const Slot& a, const Slot& b) { return a.key < b.key; });
  // The outermost finite values are known.
  const auto infinite = [](const Slot& slot) { return slot.key == -kInfinity; };
  if (rank == 1 + (infinite(ordered.front()) ? ordered.front().count : 0) && smallest_ <= largest_)
    return smallest_;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const Slot& slot = ordered[i];
    const bool last_finite =
        slot.key < kInfinity && (i + 1 == ordered.size() || ordered[i + 1].key >= kInfinity);
    if (rank == slot.count && last_finite && !infinite(slot)) return largest_;
    if (rank <= slot.count) return value_of(slot.key, scale);
    rank -= slot.count;
  }
  return value_of(ordered.back().key, scale);
}

double DDSketch::accuracy(const Scale& scale) const {
  return std::tanh(std::ldexp(scale.log_gamma, level_) / 2);
}

}  // namespace sluice
