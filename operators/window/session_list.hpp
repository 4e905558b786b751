#pragma once

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "operators/state/group_numbers.hpp"
#include "operators/window/window_assigner.hpp"

namespace sluice {

// The rules of sessions. The record of time t belongs to a session if it is at most `gap` before its first or
// after its last record; two sessions that a record connects become one. A session never gets as long as
// `max_length`: a record that would make it so, or two sessions that together would, stay apart. It ends
// `gap` after its last record, and at the latest `max_length` after its first.
struct SessionRules {
  std::int64_t gap_us = 0;
  std::int64_t max_length_us = INT64_MAX;
  std::int64_t allowed_lateness_us = 0;

  EventTimeUs end_of(EventTimeUs first, EventTimeUs last) const {
    return std::min(shifted(last, gap_us), shifted(first, max_length_us));
  }
  // From this event-time watermark on it takes no more records.
  EventTimeUs complete_at(EventTimeUs first, EventTimeUs last) const {
    return shifted(end_of(first, last), allowed_lateness_us);
  }
  bool fits(EventTimeUs first, EventTimeUs last) const {
    return static_cast<Int128>(last) - first < max_length_us;
  }
};

struct Session {
  EventTimeUs first = 0;
  EventTimeUs last = 0;
  std::uint64_t arrival = 0;  // of the record that started it: no other session has the same
  EventTimeUs queued = 0;     // when it is to be looked at
  GroupId key = kNoGroup;     // kNoGroup: no session has this number
};

// The sessions of one key that were not given yet, numbered by their states and ordered by their first
// record. Those that still take records are disjoint; those that are complete for one record and wait to be
// given may overlap them.
using SessionsOfKey = absl::InlinedVector<GroupId, 4>;

// All sessions of one task. A record decides with the watermark that it is late against, so the sessions are
// a function of the order of the records alone.
class SessionList {
 public:
  explicit SessionList(const SessionRules& rules) : rules_(rules) {}

  // Where a record belongs.
  struct Place {
    enum class Kind : std::uint8_t { joins, starts, late };
    Kind kind = Kind::late;
    GroupId session = kNoGroup;   // that it joins
    std::vector<GroupId> merges;  // sessions that become part of that one, the earliest first
  };

  // The place of a record of `key`. Changes nothing. The reference is valid until the next call.
  const Place& find(GroupId key, EventTimeUs time, EventTimeUs watermark);
  // A new session of this record; `state` is a number that is not in use.
  void start(GroupId state, GroupId key, EventTimeUs time, std::uint64_t arrival);
  // Puts the record into the session that find() gave, and into it those that it merges.
  void join(const Place& place, EventTimeUs time);
  // Takes a session out; true if its key has no other.
  bool take(GroupId state);

  Session& operator[](GroupId state) { return sessions_[state]; }
  const Session& operator[](GroupId state) const { return sessions_[state]; }
  EventTimeUs complete_at(const Session& s) const { return rules_.complete_at(s.first, s.last); }
  WindowBounds bounds(const Session& s) const { return {s.first, rules_.end_of(s.first, s.last)}; }
  std::size_t size() const { return size_; }
  bool has(GroupId key) const { return !by_key_[key].empty(); }

  void grow_keys(std::size_t keys) { by_key_.resize(std::max(keys, by_key_.size())); }
  void compact_keys(std::span<const GroupId> old);
  void compact_states(std::span<const GroupId> old);
  std::size_t bytes() const;

 private:
  void insert(SessionsOfKey& list, GroupId state);
  void remove(SessionsOfKey& list, GroupId state);

  const SessionRules rules_;
  std::vector<Session> sessions_;      // by state
  std::vector<SessionsOfKey> by_key_;  // by key
  std::size_t size_ = 0;
  Place place_;
  SessionsOfKey near_;  // sessions within reach of a record, the earliest first
};

}  // namespace sluice
