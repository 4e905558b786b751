#pragma once

#include <cstdint>
#include <vector>

#include "operators/aggregate/aggregate_states.hpp"

namespace sluice {

// Aggregates over the latest elements of a sequence that grows at its new end and shrinks at its old one.
// An element is a state of AggregateStates; only merging is asked of it, so every aggregate can be taken.
//
// The method is that of the queue of two stacks (Tangwongsan, Hirzel, Schneider: Low-latency sliding-window
// aggregation in worst-case constant time, DEBS 2017, section 3): the older part has for each element the
// merge of it and those behind it, the newer part one merge of all. When the older part is used up, the newer
// becomes it. Here the older part keeps such merges only for the elements of its first chunk and for the
// beginning of each further chunk, a chunk being the square root of its length: an element takes part in
// about five merges in all, and besides the elements about 2·√n states are held, so that states which grow
// with what they hold (distinct values, quantiles) do not take n² memory. Which states are merged, and in
// which order, follows from the sequence of pushes and pops alone. One task.
class RangeQueue {
 public:
  bool empty() const { return head_ == elements_.size(); }
  std::size_t size() const { return elements_.size() - head_; }

  // Takes the state over.
  void push(GroupId element, AggregateStates& states);
  // Gives the oldest element back.
  void pop(AggregateStates& states);
  // Merges all elements into `result`.
  void merge_into(GroupId result, AggregateStates& states) const;

  // For AggregateStates::compact.
  void list(std::vector<GroupId*>& live);
  std::uint64_t bytes() const {
    return (elements_.capacity() + suffixes_.capacity() + checkpoints_.capacity()) * sizeof(GroupId);
  }

 private:
  void clear(AggregateStates& states);
  void flip(AggregateStates& states);
  void expand_chunk(AggregateStates& states);
  bool has_older() const { return head_ < older_end_; }

  std::vector<GroupId> elements_;  // from head_ on
  std::size_t head_ = 0;
  std::size_t older_end_ = 0;  // elements head_ … older_end_ − 1 are the older part
  std::size_t chunk_ = 1;      // its chunks' length; they end at older_end_ − k·chunk_
  // suffixes_.back(): the merge of the older part from head_ on, below it those from the next elements of the
  // first chunk on. Empty: the first chunk has not been begun, and checkpoints_.back() is that merge.
  std::vector<GroupId> suffixes_;
  std::vector<GroupId> checkpoints_;  // merges of the older part from a chunk's beginning on
  GroupId newer_ = kNoGroup;          // the merge of the newer part, if there is one
};

}  // namespace sluice
