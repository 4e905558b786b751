#include "operators/state/key_index.hpp"

#include <algorithm>
#include <bit>

namespace sluice {

void KeyIndex::begin_chain(std::size_t slot, std::uint64_t hash, RowNumber row) {
  slots_[slot] = {hash, row, row};
  rows_.link(row).previous = kNoRow;
  rows_.link(row).next = kNoRow;
  if (++size_ * 2 > slots_.size()) resize(slots_.size() * 2);
}

void KeyIndex::remove(std::uint64_t hash, RowNumber row) {
  RowLink& link = rows_.link(row);
  if (link.previous == RowLink::kInNoChain) return;
  if (link.previous != kNoRow) rows_.link(link.previous).next = link.next;
  if (link.next != kNoRow) rows_.link(link.next).previous = link.previous;
  if (link.previous == kNoRow || link.next == kNoRow) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    while (slots_[i].first != row && slots_[i].last != row) i = (i + 1) & mask;
    if (slots_[i].first == slots_[i].last) {
      erase(i);
    } else if (link.previous == kNoRow) {
      slots_[i].first = link.next;
    } else {
      slots_[i].last = link.previous;
    }
  }
  link.previous = RowLink::kInNoChain;
}

void KeyIndex::erase(std::size_t hole) {
  const std::size_t mask = slots_.size() - 1;
  // Close the hole: each later entry of the run moves back unless that would put it in front of its own
  // place.
  for (std::size_t i = (hole + 1) & mask; slots_[i].first != kNoRow; i = (i + 1) & mask) {
    const std::size_t home = slots_[i].hash & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole] = Slot{};
  --size_;
  if (slots_.size() > kMinSlots && size_ * 8 < slots_.size()) resize(slots_.size() / 4);
}

void KeyIndex::resize(std::size_t slots) {
  slots = std::max(slots, kMinSlots);
  std::vector<Slot> old(slots);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.first == kNoRow) continue;
    std::size_t i = slot.hash & mask;
    while (slots_[i].first != kNoRow) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

void KeyIndex::clear() {
  slots_ = std::vector<Slot>(kMinSlots);
  size_ = 0;
}

}  // namespace sluice
