#include "operators/aggregate/aggregate_inputs.hpp"

#include "operators/binding/row_selection.hpp"

namespace sluice {

AggregateInputs::AggregateInputs(std::span<const AggregatePlan> plans) : plans_(plans) {
  for (const AggregatePlan& plan : plans_) {
    Input& input = inputs_.emplace_back();
    if (plan.where) input.where.emplace(*plan.where);
    if (plan.value && plan.value->expression) input.value.emplace(*plan.value->expression);
  }
}

void AggregateInputs::evaluate(const Batch& batch) {
  errors_.clear();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    Input& input = inputs_[i];
    if (input.where) {
      input.where_column = input.where->evaluate(batch);
      add_errors(input.where->errors(), nullptr);
    }
    if (input.value) {
      input.value_column = input.value->evaluate(batch);
      add_errors(input.value->errors(), input.where ? &input.where_column : nullptr);
    } else if (plans_[i].value) {
      input.value_column = batch.column(plans_[i].value->column);
    }
  }
  keep_first_error_a_row(errors_);
}

const GroupId* AggregateInputs::groups_where(std::size_t aggregate, std::span<const GroupId> groups) {
  const Column* condition = where(aggregate);
  if (condition == nullptr) return groups.data();
  groups_where_.assign(groups.begin(), groups.end());
  for (std::uint32_t r = 0; r < groups_where_.size(); ++r) {
    if (!is_true(*condition, r)) groups_where_[r] = kNoGroup;
  }
  return groups_where_.data();
}

void AggregateInputs::add_errors(const std::vector<RowError>& errors, const Column* where) {
  for (const RowError& e : errors) {
    if (where == nullptr || is_true(*where, e.row)) errors_.push_back(e);
  }
}

}  // namespace sluice
