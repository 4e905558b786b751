#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "operators/builtin/aggregate.hpp"

namespace sluice {

// The states of several aggregates under one set of numbers, made and given back one by one: for operators
// that merge states with each other. One task.
class AggregateStates {
 public:
  explicit AggregateStates(std::vector<std::unique_ptr<Aggregate>> aggregates)
      : aggregates_(std::move(aggregates)) {}

  std::size_t size() const { return aggregates_.size(); }
  Aggregate& at(std::size_t aggregate) { return *aggregates_[aggregate]; }

  // An empty state of each aggregate.
  GroupId make();
  void give_back(GroupId state) { used_.push_back(state); }
  // Adds what `from` holds, as if its records came behind those of `into`.
  void merge(GroupId into, GroupId from) {
    for (auto& aggregate : aggregates_) aggregate->merge({&from, 1}, {&into, 1});
  }

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

  std::vector<std::unique_ptr<Aggregate>> aggregates_;
  GroupId limit_ = 0;           // numbers below it have room
  std::vector<GroupId> empty_;  // numbers to be handed out
  std::vector<GroupId> used_;   // given back and not emptied yet
};

}  // namespace sluice
