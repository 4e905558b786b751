#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/node_hash_map.h>

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "operators/window/range_queue.hpp"
#include "runtime/operator.hpp"

namespace sluice {

// For each key the aggregates over the latest `range` of its event time.
//
// All records of a key with one time (peers) are one element: records of any time that is not closed yet are
// added to it, in any order. Elements are closed in the order of their time, across all keys; closing one
// moves it into its key's queue and gives the aggregates over (time − range, time]. What lies further back
// than any element that can still be closed is forgotten, and a key without elements too. One task.
class RangeStates {
 public:
  // The plans live longer.
  RangeStates(std::int64_t range_us, std::span<const AggregatePlan> plans)
      : range_us_(range_us), states_(plans) {}

  GroupStates& groups() { return states_.groups(); }

  // The open element of a key and time, made if there is none, as a number that is its own until it is
  // released. One more record of it is going to be counted.
  std::uint32_t add_record(const std::string& key, EventTimeUs time);
  // Where the element's own records go.
  GroupId state(std::uint32_t element) const { return elements_[element].own; }

  // The aggregates for the records of an element, which is closed by the first call: `time` is its time, and
  // not before that of the element closed last.
  GroupId result(std::uint32_t element, EventTimeUs time);
  // One record of the element, which is closed, is done with; result() is no longer valid after the last.
  void release_record(std::uint32_t element);

  // No element at or before `time` is going to be closed any more, and none there is open.
  void forget(EventTimeUs time);

  std::uint64_t keys() const { return keys_.size(); }
  std::uint64_t bytes() const;

 private:
  struct KeyState {
    RangeQueue queue;
    std::uint32_t open = 0;  // elements
  };
  using Key = std::pair<const std::string, KeyState>;
  struct Element {
    Key* key = nullptr;
    GroupId own = kNoGroup;     // the peers' aggregates; the queue's once it is closed
    GroupId result = kNoGroup;  // once it is closed
    std::uint32_t records = 0;  // not released
  };
  struct Expiry {
    EventTimeUs time;
    Key* key;
  };

  void close(Element& element, EventTimeUs time);
  void expire(EventTimeUs time);
  void forget_oldest(Key& key);
  void compact();

  std::int64_t range_us_;
  AggregateStates states_;
  absl::node_hash_map<std::string, KeyState> keys_;
  absl::flat_hash_map<std::pair<Key*, EventTimeUs>, std::uint32_t> open_;  // elements
  std::vector<Element> elements_;                                          // open, or closed and not released
  std::vector<std::uint32_t> free_elements_;
  std::deque<Expiry> closed_;  // what the queues hold, by time
  std::uint64_t key_bytes_ = 0;
  std::uint64_t queue_bytes_ = 0;
};

}  // namespace sluice
