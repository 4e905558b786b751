#include "operators/window/range_queue.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/base/check.hpp"

namespace sluice {

void RangeQueue::push(GroupId element, AggregateStates& states) {
  elements_.push_back(element);
  if (newer_ == kNoGroup) newer_ = states.make();
  states.merge(newer_, element);
}

void RangeQueue::pop(AggregateStates& states) {
  SLUICE_CHECK(!empty());
  if (size() == 1) return clear(states);
  if (!has_older()) flip(states);
  if (suffixes_.empty()) expand_chunk(states);
  states.give_back(suffixes_.back());
  suffixes_.pop_back();
  states.give_back(elements_[head_++]);
  if (head_ < 32 || head_ < elements_.size() / 2) return;
  elements_.erase(elements_.begin(), elements_.begin() + static_cast<std::ptrdiff_t>(head_));
  older_end_ -= head_;
  head_ = 0;
  if (elements_.size() < elements_.capacity() / 4) elements_.shrink_to_fit();
}

void RangeQueue::merge_into(GroupId result, AggregateStates& states) const {
  if (has_older()) states.merge(result, suffixes_.empty() ? checkpoints_.back() : suffixes_.back());
  if (newer_ != kNoGroup) states.merge(result, newer_);
}

void RangeQueue::list(std::vector<GroupId*>& live) {
  for (std::size_t i = head_; i < elements_.size(); ++i) live.push_back(&elements_[i]);
  for (GroupId& state : suffixes_) live.push_back(&state);
  for (GroupId& state : checkpoints_) live.push_back(&state);
  if (newer_ != kNoGroup) live.push_back(&newer_);
}

// The last element goes, and with it all merges.
void RangeQueue::clear(AggregateStates& states) {
  std::vector<GroupId*> live;
  list(live);
  for (const GroupId* state : live) states.give_back(*state);
  *this = RangeQueue();
}

// All elements become the older part.
void RangeQueue::flip(AggregateStates& states) {
  states.give_back(newer_);
  newer_ = kNoGroup;
  older_end_ = elements_.size();
  const std::size_t count = size();
  chunk_ = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  // From the newest chunk to the one behind the oldest, which is expanded at once.
  const std::size_t chunks = (count + chunk_ - 1) / chunk_;
  for (std::size_t k = 1; k < chunks; ++k) {
    const std::size_t end = older_end_ - (k - 1) * chunk_;
    const GroupId merged = states.make();
    for (std::size_t i = end - chunk_; i < end; ++i) states.merge(merged, elements_[i]);
    if (!checkpoints_.empty()) states.merge(merged, checkpoints_.back());
    checkpoints_.push_back(merged);
  }
  expand_chunk(states);
}

// Merges from each element of the chunk that begins at head_ on.
void RangeQueue::expand_chunk(AggregateStates& states) {
  const std::size_t end = older_end_ - (older_end_ - head_ - 1) / chunk_ * chunk_;
  const std::size_t chunks_behind = (older_end_ - end) / chunk_;
  if (checkpoints_.size() > chunks_behind) {  // the merge of this chunk and those behind it
    states.give_back(checkpoints_.back());
    checkpoints_.pop_back();
  }
  GroupId behind = checkpoints_.empty() ? kNoGroup : checkpoints_.back();
  for (std::size_t i = end; i-- > head_;) {
    const GroupId merged = states.make();
    states.merge(merged, elements_[i]);
    if (behind != kNoGroup) states.merge(merged, behind);
    suffixes_.push_back(behind = merged);
  }
}

}  // namespace sluice
