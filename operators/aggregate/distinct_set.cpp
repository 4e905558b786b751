#include "operators/aggregate/distinct_set.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

constexpr std::size_t kMinDistinctSlots = 4;
constexpr int kOffsetBits = 40;
constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kOffsetBits) - 1;

bool distinct_slots_full(std::size_t used, std::size_t slots) { return used * 4 >= slots * 3; }

}  // namespace

std::uint64_t& WordSet::slot_of(std::uint64_t word) {
  const std::size_t mask = slots_count_ - 1;
  std::size_t i = hash_word(word) & mask;
  while (slots_[i] != 0 && slots_[i] != word) i = (i + 1) & mask;
  return slots_[i];
}

bool WordSet::insert(std::uint64_t word) {
  if (word == 0) return !std::exchange(holds_zero_, true);
  if (slots_count_ > 0) {
    std::uint64_t& slot = slot_of(word);
    if (slot == word) return false;
    if (!distinct_slots_full(used_, slots_count_)) {
      slot = word;
      ++used_;
      return true;
    }
  }
  grow();
  slot_of(word) = word;
  ++used_;
  return true;
}

void WordSet::grow() {
  const std::size_t old_count = slots_count_;
  const std::unique_ptr<std::uint64_t[]> old = std::move(slots_);
  slots_count_ = std::max(kMinDistinctSlots, old_count * 2);
  slots_ = std::make_unique<std::uint64_t[]>(slots_count_);
  for (std::size_t i = 0; i < old_count; ++i) {
    if (old[i] != 0) slot_of(old[i]) = old[i];
  }
}

std::string_view TextSet::text_at(std::size_t offset) const {
  std::uint32_t length;
  std::memcpy(&length, bytes_.data() + offset, sizeof length);
  return std::string_view(bytes_).substr(offset + sizeof length, length);
}

bool TextSet::insert(std::string_view text) {
  if (distinct_slots_full(used_, slots_count_)) grow();
  const std::uint64_t hash = hash_bytes(text);
  const std::uint64_t tag = hash >> kOffsetBits;
  const std::size_t mask = slots_count_ - 1;
  std::size_t i = hash & mask;
  for (; slots_[i] != 0; i = (i + 1) & mask) {
    if (slots_[i] >> kOffsetBits == tag && text_at((slots_[i] & kOffsetMask) - 1) == text) return false;
  }
  slots_[i] = tag << kOffsetBits | (bytes_.size() + 1);
  ++used_;
  const auto length = static_cast<std::uint32_t>(text.size());
  bytes_.append(reinterpret_cast<const char*>(&length), sizeof length);
  bytes_.append(text);
  return true;
}

void TextSet::grow() {
  slots_count_ = std::max(kMinDistinctSlots, slots_count_ * 2);
  slots_ = std::make_unique<std::uint64_t[]>(slots_count_);
  const std::size_t mask = slots_count_ - 1;
  for_each([&](std::string_view text) {
    const std::uint64_t hash = hash_bytes(text);
    std::size_t i = hash & mask;
    while (slots_[i] != 0) i = (i + 1) & mask;
    const auto offset = static_cast<std::size_t>(text.data() - bytes_.data()) - sizeof(std::uint32_t);
    slots_[i] = hash >> kOffsetBits << kOffsetBits | (offset + 1);
  });
}

std::size_t TextSet::heap_bytes() const {
  static const std::size_t kInPlace = std::string().capacity();
  return slots_count_ * sizeof(std::uint64_t) + (bytes_.capacity() > kInPlace ? bytes_.capacity() + 1 : 0);
}

}  // namespace sluice
