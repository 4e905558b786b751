#include "operators/state/group_numbers.hpp"

#include "operators/state/give_memory_back.hpp"

namespace sluice {

std::vector<GroupId> GroupNumbers::compact() {
  std::vector<bool> is_free(limit_);
  for (const GroupId group : free_) is_free[group] = true;
  std::vector<GroupId> old;
  old.reserve(live());
  for (GroupId group = 0; group < limit_; ++group) {
    if (!is_free[group]) old.push_back(group);
  }
  limit_ = old.size();
  give_memory_back(free_);
  return old;
}

std::vector<GroupId> new_numbers(std::span<const GroupId> old) {
  std::vector<GroupId> new_of(old.empty() ? 0 : old.back() + std::size_t{1}, kNoGroup);
  for (GroupId group = 0; group < old.size(); ++group) new_of[old[group]] = group;
  return new_of;
}

}  // namespace sluice
