#pragma once

#include <span>
#include <vector>

#include "operators/aggregate/group_states.hpp"
#include "operators/state/group_table.hpp"
#include "operators/window/window_plan.hpp"

namespace sluice {

// Groups whose results are to be given, one a row.
struct ResultRows {
  const GroupTable* keys = nullptr;  // where `key` numbers are found
  std::span<const GroupId> key;
  std::span<const GroupId> state;
  std::span<const WindowBounds> bounds;  // one for all, or one a row; none: unknown
};

// Builds the batch of results that one call may emit: window_start and window_end if the kind of window has
// them, the keys, the aggregates; of event-time windows also the last moment of the window as the row's event
// time and watermark (rows come in the order of window_end, so no later row is before it). A sum that does
// not fit int64 is null and a bad record that names key and window. One a task.
class WindowResults {
 public:
  WindowResults(const WindowPlan& plan, const GroupStates& states, BadRecords& bad)
      : plan_(plan), states_(states), bad_(bad), staging_(plan.output) {}

  void clear() { staging_.clear(); }
  std::uint32_t rows() const { return staging_.rows(); }
  bool full() const { return staging_.full(); }
  Batch view() { return staging_.view(); }

  // Appends as many of the rows as there is room for, at least one unless full(); gives how many.
  Result<std::size_t> append(const ResultRows& rows);

 private:
  struct Unfit {
    std::uint32_t row;
    std::size_t aggregate;
  };

  std::size_t fitting(const ResultRows& rows) const;
  void append_bounds(std::span<const WindowBounds> bounds, std::size_t count);
  Result<void> report(const std::vector<Unfit>& unfit);
  std::string key_text(const Batch& batch, std::uint32_t row) const;
  std::size_t first_key_column() const { return plan_.has_bounds() ? 2 : 0; }

  const WindowPlan& plan_;
  const GroupStates& states_;
  BadRecords& bad_;
  BatchStaging staging_;
};

}  // namespace sluice
