#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "operators/state/row_store.hpp"
#include "operators/state/time_queue.hpp"

namespace sluice {

// Rows that wait for the event-time watermark, each with a number of its owner's (its tag), and leave in the
// order of time and then of arrival. Rows that wait far longer than those around them are moved together now
// and then: what is held is a few times what waits. One thread.
class RowsByTime {
 public:
  // `schema` has event time, and lives longer.
  explicit RowsByTime(const Schema& schema) : schema_(schema), rows_(schema) {}

  // Copies rows of a batch; row rows[i] gets tags[i].
  Result<void> add(const Batch& batch, std::span<const std::uint32_t> rows,
                   std::span<const std::uint32_t> tags);

  bool empty() const { return queue_.empty(); }
  std::size_t size() const { return queue_.size(); }
  // Of the first row, and the last one; only if there is one.
  EventTimeUs earliest() const { return queue_.time(); }
  EventTimeUs latest() const { return queue_.latest(); }

  // Takes the first row out of the order. Its values stay until it is released.
  RowNumber pop() {
    const RowNumber row = queue_.row();
    queue_.pop();
    return row;
  }
  std::uint32_t tag(RowNumber row) const { return tags_[row]; }
  const RowStore& store() const { return rows_; }
  void release(RowNumber row) { rows_.release(row); }
  // Moves what waits together, where it is few. Only when all that was popped is released.
  Result<void> tidy();

  std::uint64_t bytes() const {
    return rows_.bytes() + queue_.bytes() + tags_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint64_t kMinTidy = 16 * 1024;

  const Schema& schema_;
  RowStore rows_;
  TimeQueue queue_;
  std::vector<std::uint32_t> tags_;  // by row number
  std::vector<RowNumber> numbers_;
};

}  // namespace sluice
