#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

// A small dense number: the place of one group's state in every state column.
using GroupId = std::uint32_t;
inline constexpr GroupId kNoGroup = UINT32_MAX;

// Gives numbers out and takes them back; those that came back are used again, the last one first, so that
// state columns stay dense. One thread.
class GroupNumbers {
 public:
  GroupId take() {
    if (free_.empty()) return static_cast<GroupId>(limit_++);
    const GroupId group = free_.back();
    free_.pop_back();
    return group;
  }
  void give_back(GroupId group) { free_.push_back(group); }
  void give_back(std::span<const GroupId> groups) { free_.insert(free_.end(), groups.begin(), groups.end()); }

  // All numbers given out so far lie below: state columns need this many rows.
  std::size_t limit() const { return limit_; }
  std::size_t live() const { return limit_ - free_.size(); }
  // True if renumbering would give back much.
  bool sparse() const { return limit_ > kMinCompact && live() < limit_ / 4; }
  // Renumbers those that live, in their order; returns the old numbers: new number i was old[i].
  std::vector<GroupId> compact();

  std::size_t bytes() const { return free_.capacity() * sizeof(GroupId); }

 private:
  static constexpr std::size_t kMinCompact = 1024;

  std::size_t limit_ = 0;
  std::vector<GroupId> free_;
};

// The other direction of what compact() gives: the new number of each old one.
std::vector<GroupId> new_numbers(std::span<const GroupId> old);

inline void renumber(std::vector<GroupId>& groups, std::span<const GroupId> new_of) {
  for (GroupId& group : groups) group = new_of[group];
}

}  // namespace sluice
