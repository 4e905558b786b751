#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "operators/aggregate/group_states.hpp"

namespace sluice {

// The states of a list of aggregates, made and given back one by one: for operators that merge states with
// each other and do not find them by key. One task; the plans live longer.
class AggregateStates {
 public:
  explicit AggregateStates(std::span<const AggregatePlan> plans) : groups_(plans) {}

  // The states, by the numbers that make() gives.
  GroupStates& groups() { return groups_; }
  const GroupStates& groups() const { return groups_; }

  // An empty state of each aggregate.
  GroupId make();
  void give_back(GroupId state) { used_.push_back(state); }
  // Adds what `from` holds to `into`.
  void merge(GroupId into, GroupId from) { groups_.merge({&from, 1}, {&into, 1}); }

  std::size_t live() const { return limit_ - empty_.size() - used_.size(); }
  std::uint64_t bytes() const;

  // True if compact() would give back much.
  bool sparse() const { return limit_ > kMinCompact && live() < limit_ / 4; }
  // Renumbers the states that live and gives memory back. `live` has each of them, in any order; it is set to
  // the new numbers.
  void compact(std::span<GroupId* const> live);

 private:
  static constexpr GroupId kStep = 64;
  static constexpr std::size_t kMinCompact = 1024;

  GroupStates groups_;
  GroupId limit_ = 0;           // numbers below it have room
  std::vector<GroupId> empty_;  // numbers to be handed out
  std::vector<GroupId> used_;   // given back and not emptied yet
};

}  // namespace sluice
