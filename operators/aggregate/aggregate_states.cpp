#include "operators/aggregate/aggregate_states.hpp"

#include <algorithm>

#include "operators/state/give_memory_back.hpp"

namespace sluice {

GroupId AggregateStates::make() {
  if (empty_.empty() && used_.size() >= kStep) {
    groups_.clear(used_);
    empty_.swap(used_);
  }
  if (empty_.empty()) {
    for (GroupId i = kStep; i-- > 0;) empty_.push_back(limit_ + i);
    limit_ += kStep;
    groups_.grow(limit_);
  }
  const GroupId state = empty_.back();
  empty_.pop_back();
  return state;
}

std::uint64_t AggregateStates::bytes() const {
  return groups_.bytes() + (empty_.capacity() + used_.capacity()) * sizeof(GroupId);
}

void AggregateStates::compact(std::span<GroupId* const> live) {
  std::vector<GroupId*> by_number(live.begin(), live.end());
  std::sort(by_number.begin(), by_number.end(), [](const GroupId* a, const GroupId* b) { return *a < *b; });
  std::vector<GroupId> old;
  old.reserve(by_number.size());
  for (GroupId* state : by_number) {
    old.push_back(*state);
    *state = static_cast<GroupId>(old.size() - 1);
  }
  groups_.compact(old);
  limit_ = static_cast<GroupId>(old.size());
  give_memory_back(empty_);
  give_memory_back(used_);
}

}  // namespace sluice
