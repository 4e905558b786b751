#pragma once

#include <map>
#include <span>
#include <vector>

#include "operators/aggregate/group_states.hpp"
#include "operators/state/group_table.hpp"
#include "operators/window/open_panes.hpp"

namespace sluice {

// Merges panes that overlapping windows share, at a cost per result that does not grow with the number of
// panes a window has.
//
// An interval tree over the windows (Edelsbrunner 1980): a pane belongs to the window m in (first, last] that
// has the most trailing zero bits, the middle of its node. Windows from `first` on and before m want all
// panes of the node that have begun: a running total a key. Windows from m on want all that have not ended:
// totals from the last pane backwards, made once when m comes (van Herk 1992, Gil and Werman 1993: sliding
// extrema in three comparisons). So each group of a pane is merged twice, and a result is the merge of one
// total of each node on the path to its window that holds its key: on the path are at most 2 + log2(windows a
// record lies in), and without late records two or three. Which states are merged, and in which order,
// depends on the panes alone and not on when they came, so that sketches give the same too.
//
// The caller hands over panes when their first window is to be given, enters each window in turn, and reads
// its rows before it enters the next. Numbers of states come from the caller's pool and go back to it. One
// task.
class PaneTree {
 public:
  // `keys`: columns of `input`. `table`: where the panes' groups were made; it numbers the states.
  PaneTree(const Schema& input, const std::vector<std::size_t>& keys, GroupTable& table, GroupStates& states)
      : keys_(input, keys), table_(table), states_(states) {}

  // pane.first is the window that is entered next. Its groups' keys are taken over: the caller's table
  // forgets them.
  Result<void> add(Pane pane);
  void enter(WindowIndex window);
  // True if the window after the one that was entered holds something that was added.
  bool reaches(WindowIndex window) const;
  // The last window that holds anything; only if !empty().
  WindowIndex last() const;
  bool empty() const { return nodes_.empty(); }

  // The rows of the window that was entered: the key of each, and its states, a list a node: kNoGroup where
  // the node does not hold the key.
  const GroupTable& keys() const { return keys_; }
  std::span<const GroupId> row_keys() const { return row_keys_; }
  std::span<const std::vector<GroupId>> row_states() const { return {row_states_.data(), row_lists_}; }
  // The rows are not needed any more.
  void leave();

  // Between windows only.
  void renumber_states(std::span<const GroupId> new_of);
  // Gives back what is not needed; no window is entered.
  void compact();
  std::size_t bytes() const;

 private:
  struct KeyState {
    GroupId key;
    GroupId state;
  };
  struct SealedPane {
    WindowIndex last;
    std::vector<KeyState> groups;
  };
  // A total of all groups of a key that do not end before the window `reach` after the middle; `next`: that
  // of those that end later.
  struct Link {
    std::uint32_t reach;
    GroupId state;
    std::uint32_t next;
  };
  struct Node {
    WindowIndex middle = 0;
    WindowIndex last = 0;  // of any pane
    std::size_t groups = 0;
    // Before the middle:
    std::vector<SealedPane> panes;
    std::vector<KeyState> totals;
    // From the middle on; `state` is the place of a link.
    std::vector<Link> links;
    std::vector<KeyState> heads;
  };

  void add_to_totals(Node& node, const std::vector<KeyState>& groups);
  void turn(Node& node);
  void drop_ended(Node& node, WindowIndex window);
  void collect();
  void collect_node(const Node& node);
  void release(std::vector<GroupId>& states);
  void forget_unused_keys();

  GroupTable keys_;
  GroupTable& table_;
  GroupStates& states_;
  std::map<WindowIndex, Node> nodes_;  // by their middle
  WindowIndex entered_ = 0;
  std::vector<std::uint32_t> uses_;  // by key: groups that have it
  std::vector<std::uint32_t>
      place_;  // by key: where it stands in the list in hand; all kNowhere between uses
  std::vector<GroupId> unused_keys_;
  // The rows of the window that was entered:
  std::vector<GroupId> row_keys_;
  std::vector<std::vector<GroupId>> row_states_;  // the first row_lists_ are in use
  std::size_t row_lists_ = 0;
  // Kept for their memory:
  std::vector<GroupId> from_, into_;
};

// The window of (first, last] that has the most trailing zero bits; `last` if that is `first`.
WindowIndex middle_of(WindowIndex first, WindowIndex last);

}  // namespace sluice
