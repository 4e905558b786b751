#include "operators/window/open_panes.hpp"

#include <algorithm>

namespace sluice {

void OpenPanes::assign(std::span<const std::int64_t> times, const std::int64_t* watermarks, EventTimeUs own,
                       std::vector<KeySpace>& spaces, std::vector<std::uint32_t>& late) {
  spaces.resize(times.size());
  // What holds for the row before mostly holds for the next: the slice of its time, and the range of
  // watermarks from `since` on and before `before` for which the first open window is the same.
  WindowAssigner::Slice slice;
  EventTimeUs since = 0, before = 0;
  KeySpace space = kNoSpace;
  bool is_late = false;
  for (std::uint32_t r = 0; r < times.size(); ++r) {
    const EventTimeUs watermark = std::max(watermarks[r], own);
    if (!slice.holds(times[r])) {
      slice = assigner_.slice_of(times[r]);
      since = before = 0;
    }
    if (watermark < since || watermark >= before) {
      const WindowIndex open = assigner_.first_open(watermark);
      const WindowIndex first = std::max(slice.first, open);
      since = open <= slice.first ? kWatermarkNone : watermark;
      before = assigner_.complete_at(std::min(first, slice.last));
      is_late = first > slice.last || watermark == kWatermarkEnd;
      if (is_late) before = kWatermarkEnd;
      if (slice.first > slice.last) is_late = false;
      space = is_late || slice.first > slice.last ? kNoSpace : at(first, slice.last).space;
    }
    spaces[r] = space;
    if (is_late) late.push_back(r);
  }
}

Pane& OpenPanes::at(WindowIndex first, WindowIndex last) {
  const auto mixed = static_cast<std::uint64_t>(first) * 3 + static_cast<std::uint64_t>(last);
  Pane*& recent = recent_[mixed % recent_.size()];
  if (recent != nullptr && recent->first == first && recent->last == last) return *recent;
  const auto [place, added] = panes_.try_emplace({first, last});
  Pane& pane = place->second;
  if (added) {
    pane.first = first;
    pane.last = last;
    if (free_spaces_.empty()) {
      free_spaces_.push_back(static_cast<KeySpace>(by_space_.size()));
      by_space_.push_back(nullptr);
    }
    pane.space = free_spaces_.back();
    free_spaces_.pop_back();
    by_space_[pane.space] = &pane;
  }
  return *(recent = &pane);
}

WindowIndex OpenPanes::last() const {
  WindowIndex last = first();
  for (const auto& [windows, pane] : panes_) last = std::max(last, windows.second);
  return last;
}

Pane OpenPanes::take_front() {
  Pane pane = std::move(panes_.begin()->second);
  panes_.erase(panes_.begin());
  recent_.fill(nullptr);
  return pane;
}

void OpenPanes::renumber_groups(std::span<const GroupId> new_of) {
  for (auto& [windows, pane] : panes_) renumber(pane.groups, new_of);
}

}  // namespace sluice
