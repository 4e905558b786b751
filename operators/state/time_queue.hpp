#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "operators/state/give_memory_back.hpp"
#include "operators/state/row_store.hpp"

namespace sluice {

// Stored rows in the order of their times, those of equal time in order of arrival. Rows that come in order
// cost nothing but their place in a queue; the others go to a heap beside it. One thread.
class TimeQueue {
 public:
  void push(EventTimeUs time, RowNumber row) {
    const Entry entry{time, arrivals_++, row};
    if (ordered_.empty() || time >= ordered_.back().time) {
      ordered_.push_back(entry);
    } else {
      early_.push_back(entry);
      std::push_heap(early_.begin(), early_.end(), after);
    }
  }

  bool empty() const { return ordered_.empty() && early_.empty(); }
  std::size_t size() const { return ordered_.size() + early_.size(); }
  std::uint64_t bytes() const { return ordered_.size() * sizeof(Entry) + early_.capacity() * sizeof(Entry); }
  // Of the first row; only if there is one.
  EventTimeUs time() const { return front().time; }
  RowNumber row() const { return front().row; }

  // Of the last row; only if there is one. (Whatever lies in the heap came after a later one.)
  EventTimeUs latest() const { return ordered_.back().time; }

  void pop() {
    if (early_first()) {
      std::pop_heap(early_.begin(), early_.end(), after);
      early_.pop_back();
      if (early_.empty()) give_memory_back(early_);
    } else {
      ordered_.pop_front();
    }
  }

  void clear() { *this = {}; }
  // Each row gets the number that visit(row) gives.
  template <typename Visit>
  void renumber(Visit visit) {
    for (Entry& entry : ordered_) entry.row = visit(entry.row);
    for (Entry& entry : early_) entry.row = visit(entry.row);
  }

 private:
  struct Entry {
    EventTimeUs time;
    std::uint64_t arrival;
    RowNumber row;
  };
  static bool after(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time > b.time : a.arrival > b.arrival;
  }
  bool early_first() const {
    return !early_.empty() && (ordered_.empty() || after(ordered_.front(), early_.front()));
  }
  const Entry& front() const { return early_first() ? early_.front() : ordered_.front(); }

  std::deque<Entry> ordered_;
  std::vector<Entry> early_;  // a heap, the first on top
  std::uint64_t arrivals_ = 0;
};

}  // namespace sluice
