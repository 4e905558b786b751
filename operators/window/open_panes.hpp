#pragma once

#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "operators/state/group_table.hpp"
#include "operators/window/window_assigner.hpp"

namespace sluice {

// The records that lie in windows first … last, all of them and no others: their groups, in the order in
// which they came. A record is aggregated once, in its pane; windows that overlap share panes. A record that
// is late for the first of its windows and not for the last lies in a pane of its own with those that are
// left, so that no window ever holds a record that was late for it.
struct Pane {
  WindowIndex first = 0;
  WindowIndex last = 0;
  KeySpace space = kNoSpace;
  std::vector<GroupId> groups;
};

// The panes that may still take records, those of the earliest windows first. Panes without a record do not
// exist, so a jump in time costs nothing. One task.
class OpenPanes {
 public:
  explicit OpenPanes(const WindowAssigner& assigner) : assigner_(assigner) {}

  // spaces[r] = the space of row r's pane, or kNoSpace: it is late for all its windows (then it is added to
  // `late`), or lies in none. Rows are late against the larger of `watermarks` and `own`.
  void assign(std::span<const std::int64_t> times, const std::int64_t* watermarks, EventTimeUs own,
              std::vector<KeySpace>& spaces, std::vector<std::uint32_t>& late);
  void add(KeySpace space, GroupId group) { by_space_[space]->groups.push_back(group); }

  bool empty() const { return panes_.empty(); }
  std::size_t size() const { return panes_.size(); }
  // The first window of any pane, and the last one.
  WindowIndex first() const { return panes_.begin()->first.first; }
  WindowIndex last() const;
  // Takes out the pane with the smallest `first`, and of these with the smallest `last`.
  Pane take_front();
  // Once the groups of a pane that was taken out are forgotten.
  void give_back(KeySpace space) { free_spaces_.push_back(space); }

  void renumber_groups(std::span<const GroupId> new_of);

 private:
  Pane& at(WindowIndex first, WindowIndex last);

  const WindowAssigner& assigner_;
  std::map<std::pair<WindowIndex, WindowIndex>, Pane> panes_;
  std::array<Pane*, 16> recent_{};
  std::vector<Pane*> by_space_;
  std::vector<KeySpace> free_spaces_;
};

}  // namespace sluice
