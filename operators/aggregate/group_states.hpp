#pragma once

#include <memory>
#include <span>
#include <vector>

#include "operators/aggregate/aggregate_inputs.hpp"

namespace sluice {

// The states of all aggregates of a list, one entry a group in each: what is done to a group is done to all
// of them. One a task; the plans live longer.
class GroupStates {
 public:
  explicit GroupStates(std::span<const AggregatePlan> plans);

  std::size_t aggregates() const { return aggregates_.size(); }
  // Makes room for groups 0 … groups − 1; new ones start empty.
  void grow(std::size_t groups);
  // Adds rows begin … end − 1 of the batch that `inputs` has evaluated to their groups. `first_arrival`: how
  // many records had come before the batch's first.
  void update(AggregateInputs& inputs, std::span<const GroupId> groups, std::uint32_t begin,
              std::uint32_t end, std::uint64_t first_arrival);
  // Adds the state of from[i] to into[i].
  void merge(std::span<const GroupId> from, std::span<const GroupId> into);
  void clear(std::span<const GroupId> groups);
  void compact(std::span<const GroupId> old);

  void append_results(std::size_t aggregate, std::span<const GroupId> groups, ColumnBuilder& out,
                      std::vector<std::uint32_t>& unfit) const {
    aggregates_[aggregate]->append_results(groups, out, unfit);
  }
  // About how long the group's results are together.
  std::size_t result_bytes(GroupId group) const;
  std::size_t bytes() const;

 private:
  std::vector<std::unique_ptr<Aggregate>> aggregates_;
  std::vector<GroupId> some_;  // the groups of a part of a batch
};

}  // namespace sluice
