#include "operators/window/pane_tree.hpp"

#include <algorithm>
#include <bit>

#include "operators/state/give_memory_back.hpp"

namespace sluice {
namespace {

constexpr std::uint32_t kNowhere = UINT32_MAX;

}  // namespace

// Above the highest bit in which the two differ they are alike, and there last has a one: cleared below it,
// last is the middle. The sign bit is flipped so that negative numbers come first.
WindowIndex middle_of(WindowIndex first, WindowIndex last) {
  __extension__ using Bits = unsigned __int128;
  constexpr Bits kSign = static_cast<Bits>(1) << 127;
  const Bits a = static_cast<Bits>(first) ^ kSign;
  const Bits b = static_cast<Bits>(last) ^ kSign;
  const Bits differ = a ^ b;
  if (differ == 0) return last;
  const auto high = static_cast<std::uint64_t>(differ >> 64);
  const int highest =
      high != 0 ? 64 + std::bit_width(high) - 1 : std::bit_width(static_cast<std::uint64_t>(differ)) - 1;
  return static_cast<WindowIndex>((b >> highest << highest) ^ kSign);
}

Result<void> PaneTree::add(Pane pane) {
  std::vector<GroupId> keys(pane.groups.size()), fresh;
  SLUICE_TRY(keys_.adopt(table_, pane.groups, 0, keys.data(), fresh));
  uses_.resize(keys_.numbers().limit());
  place_.resize(keys_.numbers().limit(), kNowhere);
  SealedPane sealed{pane.last, {}};
  sealed.groups.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    sealed.groups.push_back({keys[i], pane.groups[i]});
    ++uses_[keys[i]];
  }
  table_.forget(pane.groups);
  const WindowIndex middle = middle_of(pane.first, pane.last);
  const auto [place, added] = nodes_.try_emplace(middle);
  Node& node = place->second;
  node.middle = middle;
  node.last = added ? pane.last : std::max(node.last, pane.last);
  node.groups += sealed.groups.size();
  if (pane.first < middle) add_to_totals(node, sealed.groups);
  node.panes.push_back(std::move(sealed));
  return {};
}

void PaneTree::add_to_totals(Node& node, const std::vector<KeyState>& groups) {
  for (std::uint32_t i = 0; i < node.totals.size(); ++i) place_[node.totals[i].key] = i;
  from_.clear();
  into_.clear();
  for (const KeyState& group : groups) {
    if (place_[group.key] == kNowhere) {
      place_[group.key] = static_cast<std::uint32_t>(node.totals.size());
      node.totals.push_back({group.key, table_.numbers().take()});
    }
    from_.push_back(group.state);
    into_.push_back(node.totals[place_[group.key]].state);
  }
  for (const KeyState& total : node.totals) place_[total.key] = kNowhere;
  states_.grow(table_.numbers().limit());
  states_.merge(from_, into_);
}

void PaneTree::enter(WindowIndex window) {
  entered_ = window;
  for (auto it = nodes_.begin(); it != nodes_.end();) {
    auto& [middle, node] = *it;
    if (middle > window) break;
    if (!node.panes.empty()) turn(node);
    drop_ended(node, window);
    it = node.heads.empty() ? nodes_.erase(it) : std::next(it);
  }
  forget_unused_keys();
  collect();
}

// From running totals to totals from the last pane backwards: each group takes in that of its key which ends
// next.
void PaneTree::turn(Node& node) {
  std::vector<GroupId> totals;
  for (const KeyState& total : node.totals) totals.push_back(total.state);
  release(totals);
  give_memory_back(node.totals);
  std::stable_sort(node.panes.begin(), node.panes.end(),
                   [](const SealedPane& a, const SealedPane& b) { return a.last > b.last; });
  node.links.reserve(node.groups);
  for (SealedPane& pane : node.panes) {
    from_.clear();
    into_.clear();
    for (const KeyState& group : pane.groups) {
      std::uint32_t& place = place_[group.key];
      std::uint32_t next = kNowhere;
      if (place == kNowhere) {
        place = static_cast<std::uint32_t>(node.heads.size());
        node.heads.push_back({group.key, 0});
      } else {
        next = node.heads[place].state;
        from_.push_back(node.links[next].state);
        into_.push_back(group.state);
      }
      node.heads[place].state = static_cast<std::uint32_t>(node.links.size());
      node.links.push_back({static_cast<std::uint32_t>(pane.last - node.middle), group.state, next});
    }
    states_.merge(from_, into_);
    give_memory_back(pane.groups);
  }
  give_memory_back(node.panes);
  for (const KeyState& head : node.heads) place_[head.key] = kNowhere;
}

void PaneTree::drop_ended(Node& node, WindowIndex window) {
  const auto reach = static_cast<std::uint64_t>(window - node.middle);
  std::vector<GroupId> ended;
  std::size_t kept = 0;
  for (KeyState head : node.heads) {
    while (head.state != kNowhere && node.links[head.state].reach < reach) {
      ended.push_back(node.links[head.state].state);
      if (--uses_[head.key] == 0) unused_keys_.push_back(head.key);
      head.state = node.links[head.state].next;
    }
    if (head.state != kNowhere) node.heads[kept++] = head;
  }
  node.heads.resize(kept);
  release(ended);
}

void PaneTree::release(std::vector<GroupId>& states) {
  states_.clear(states);
  table_.numbers().give_back(states);
}

void PaneTree::forget_unused_keys() {
  keys_.erase(unused_keys_);
  unused_keys_.clear();
}

bool PaneTree::reaches(WindowIndex window) const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [&](const auto& node) { return node.second.last >= window; });
}

WindowIndex PaneTree::last() const {
  WindowIndex last = nodes_.begin()->second.last;
  for (const auto& [middle, node] : nodes_) last = std::max(last, node.last);
  return last;
}

void PaneTree::collect() {
  row_keys_.clear();
  row_lists_ = 0;
  for (const auto& [middle, node] : nodes_) collect_node(node);
  for (const GroupId key : row_keys_) place_[key] = kNowhere;
  for (std::size_t i = 0; i < row_lists_; ++i) row_states_[i].resize(row_keys_.size(), kNoGroup);
}

void PaneTree::collect_node(const Node& node) {
  if (row_lists_ == row_states_.size()) row_states_.emplace_back();
  std::vector<GroupId>& states = row_states_[row_lists_];
  states.assign(row_keys_.size(), kNoGroup);
  const auto add = [&](GroupId key, GroupId state) {
    if (place_[key] == kNowhere) {
      place_[key] = static_cast<std::uint32_t>(row_keys_.size());
      row_keys_.push_back(key);
      states.push_back(state);
    } else {
      states[place_[key]] = state;
    }
  };
  for (const KeyState& total : node.totals) add(total.key, total.state);
  for (const KeyState& head : node.heads) add(head.key, node.links[head.state].state);
  if (!node.totals.empty() || !node.heads.empty()) ++row_lists_;
}

void PaneTree::leave() {
  // What no later window wants goes at once, not when the next one comes.
  for (auto it = nodes_.begin(); it != nodes_.end();) {
    if (it->second.last > entered_) {
      ++it;
      continue;
    }
    drop_ended(it->second, entered_ + 1);
    it = nodes_.erase(it);
  }
  forget_unused_keys();
  row_keys_.clear();
  row_lists_ = 0;
}

void PaneTree::renumber_states(std::span<const GroupId> new_of) {
  for (auto& [middle, node] : nodes_) {
    for (SealedPane& pane : node.panes) {
      for (KeyState& group : pane.groups) group.state = new_of[group.state];
    }
    for (KeyState& total : node.totals) total.state = new_of[total.state];
    // Links of groups that ended are not followed any more, and their numbers may be gone.
    for (Link& link : node.links) link.state = link.state < new_of.size() ? new_of[link.state] : kNoGroup;
  }
}

void PaneTree::compact() {
  for (std::vector<GroupId>& states : row_states_) {
    states.clear();
    trim_room(states);
  }
  for (auto* list : {&row_keys_, &unused_keys_, &from_, &into_}) trim_room(*list);
  if (!keys_.numbers().sparse()) return;
  const std::vector<GroupId> old = keys_.compact();
  const std::vector<GroupId> new_of = new_numbers(old);
  for (auto& [middle, node] : nodes_) {
    for (SealedPane& pane : node.panes) {
      for (KeyState& group : pane.groups) group.key = new_of[group.key];
    }
    for (KeyState& total : node.totals) total.key = new_of[total.key];
    for (KeyState& head : node.heads) head.key = new_of[head.key];
  }
  std::vector<std::uint32_t> uses;
  uses.reserve(old.size());
  for (const GroupId key : old) uses.push_back(uses_[key]);
  uses_ = std::move(uses);
  place_ = std::vector<std::uint32_t>(old.size(), kNowhere);
}

std::size_t PaneTree::bytes() const {
  std::size_t bytes = keys_.bytes() + uses_.capacity() * 8;
  for (const auto& [middle, node] : nodes_) {
    bytes += node.links.capacity() * sizeof(Link) + node.heads.capacity() * sizeof(KeyState) +
             node.totals.capacity() * sizeof(KeyState);
    if (!node.panes.empty()) bytes += node.groups * sizeof(KeyState) + node.panes.size() * sizeof(SealedPane);
  }
  for (const auto* list : {&row_keys_, &unused_keys_, &from_, &into_})
    bytes += list->capacity() * sizeof(GroupId);
  for (const auto& states : row_states_) bytes += states.capacity() * sizeof(GroupId);
  return bytes;
}

}  // namespace sluice
