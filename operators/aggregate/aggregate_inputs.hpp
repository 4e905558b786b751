#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "operators/aggregate/aggregate_plan.hpp"

namespace sluice {

// Evaluates what a list of aggregates needs of a batch, values and conditions, and tells which rows have
// failed. One a task; the plans live longer. What it gives is valid until the next evaluate, and only while
// the batch is.
class AggregateInputs {
 public:
  explicit AggregateInputs(std::span<const AggregatePlan> plans);

  void evaluate(const Batch& batch);

  // At most one a row, in row order. A value that its own `where` leaves out cannot make the record bad.
  const std::vector<RowError>& errors() const { return errors_; }
  // Null for a count of records.
  const Column* value(std::size_t aggregate) const {
    return plans_[aggregate].value ? &inputs_[aggregate].value_column : nullptr;
  }
  // Null without a condition.
  const Column* where(std::size_t aggregate) const {
    return plans_[aggregate].where ? &inputs_[aggregate].where_column : nullptr;
  }
  // The rows' groups with kNoGroup where the aggregate's own condition leaves the row out. Valid until the
  // next call.
  const GroupId* groups_where(std::size_t aggregate, std::span<const GroupId> groups);

  static bool is_true(const Column& condition, std::uint32_t row) {
    return !condition.is_null(row) && condition.boolean(row);
  }

 private:
  struct Input {
    std::optional<Evaluator> where;
    std::optional<Evaluator> value;
    Column where_column;
    Column value_column;
  };

  void add_errors(const std::vector<RowError>& errors, const Column* where);

  std::span<const AggregatePlan> plans_;
  std::deque<Input> inputs_;  // evaluators do not move
  std::vector<RowError> errors_;
  std::vector<GroupId> groups_where_;
};

}  // namespace sluice
