#pragma once

#include <cstdint>
#include <vector>

#include "operators/state/row_store.hpp"

namespace sluice {

// Finds the stored rows of a key: an open-addressing table of hashes whose entries are chains of rows, in
// order of arrival, linked through the store's RowLinks.
//
// Linear probing at no more than half load, 16 bytes a slot. It knows no keys: the caller brings the hash
// and compares a candidate, the first row of a chain, with `equal`; so equal hashes cost time, never
// correctness, and what a key is (columns, columns and a stretch of time) is the caller's business. Rows may
// leave in any order. It shrinks as keys leave. One thread; find_* may be called while nothing changes.
class KeyIndex {
 public:
  explicit KeyIndex(RowStore& rows) : rows_(rows), slots_(kMinSlots) {}

  // The first row of the chain whose hash is `hash` and for whose first row equal(row) is true; or kNoRow.
  template <typename Equal>
  RowNumber find(std::uint64_t hash, Equal equal) const {
    return slots_[find_slot(hash, equal)].first;
  }
  // Puts the row at the end of its chain, or begins one.
  template <typename Equal>
  void add(std::uint64_t hash, RowNumber row, Equal equal);
  // Makes the row the only one of its chain; returns the first row of the chain that was, or kNoRow.
  template <typename Equal>
  RowNumber replace(std::uint64_t hash, RowNumber row, Equal equal);
  // Takes a row out of its chain; nothing happens if it is in none.
  void remove(std::uint64_t hash, RowNumber row);

  // The slot that a search begins with will be needed soon.
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }

  // Calls visit(row) for each chain; the row that it returns takes the place of the chain's first one. Only
  // for chains of one row.
  template <typename Visit>
  void renumber(Visit visit) {
    for (Slot& slot : slots_) {
      if (slot.first != kNoRow) slot.first = slot.last = visit(slot.first);
    }
  }
  // The store's rows are gone.
  void clear();

  std::uint64_t size() const { return size_; }  // chains
  std::uint64_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  static constexpr std::size_t kMinSlots = 64;

  struct Slot {
    std::uint64_t hash = 0;
    RowNumber first = kNoRow;  // kNoRow: the slot is empty
    RowNumber last = kNoRow;
  };

  // The slot of the chain, or the empty one where it would begin.
  template <typename Equal>
  std::size_t find_slot(std::uint64_t hash, Equal equal) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    while (slots_[i].first != kNoRow && (slots_[i].hash != hash || !equal(slots_[i].first))) {
      i = (i + 1) & mask;
    }
    return i;
  }
  void begin_chain(std::size_t slot, std::uint64_t hash, RowNumber row);
  void erase(std::size_t slot);
  void resize(std::size_t slots);

  RowStore& rows_;
  std::vector<Slot> slots_;  // a power of two
  std::uint64_t size_ = 0;
};

template <typename Equal>
void KeyIndex::add(std::uint64_t hash, RowNumber row, Equal equal) {
  const std::size_t i = find_slot(hash, equal);
  Slot& slot = slots_[i];
  if (slot.first == kNoRow) return begin_chain(i, hash, row);
  rows_.link(slot.last).next = row;
  rows_.link(row).previous = slot.last;
  rows_.link(row).next = kNoRow;
  slot.last = row;
}

template <typename Equal>
RowNumber KeyIndex::replace(std::uint64_t hash, RowNumber row, Equal equal) {
  const std::size_t i = find_slot(hash, equal);
  const RowNumber old = slots_[i].first;
  if (old == kNoRow) {
    begin_chain(i, hash, row);
  } else {
    slots_[i].first = slots_[i].last = row;
  }
  return old;
}

}  // namespace sluice
