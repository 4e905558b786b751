#include "operators/window/session_list.hpp"

#include <algorithm>

namespace sluice {

const SessionList::Place& SessionList::find(GroupId key, EventTimeUs time, EventTimeUs watermark) {
  const SessionsOfKey& list = by_key_[key];
  const EventTimeUs reach_before = shifted(time, -rules_.gap_us), reach_after = shifted(time, rules_.gap_us);
  const auto beyond = std::upper_bound(list.begin(), list.end(), reach_after,
                                       [&](EventTimeUs t, GroupId s) { return t < sessions_[s].first; });
  near_.clear();
  for (auto it = beyond; it != list.begin();) {
    const Session& session = sessions_[*--it];
    if (complete_at(session) <= watermark) continue;
    if (session.last < reach_before) break;
    near_.insert(near_.begin(), *it);
  }
  place_.session = kNoGroup;
  place_.merges.clear();
  // The session around the record, else the earliest that may take it.
  EventTimeUs first = time, last = time;
  for (const GroupId s : near_) {
    const EventTimeUs with_first = std::min(sessions_[s].first, time);
    const EventTimeUs with_last = std::max(sessions_[s].last, time);
    const bool around = sessions_[s].first <= time && time <= sessions_[s].last;
    if (!around && (place_.session != kNoGroup || !rules_.fits(with_first, with_last) ||
                    rules_.complete_at(with_first, with_last) <= watermark))
      continue;
    place_.session = s;
    first = with_first;
    last = with_last;
    if (around) break;
  }
  if (place_.session == kNoGroup) {
    place_.kind = rules_.complete_at(time, time) <= watermark ? Place::Kind::late : Place::Kind::starts;
    return place_;
  }
  place_.kind = Place::Kind::joins;
  for (const GroupId s : near_) {
    const EventTimeUs with_first = std::min(first, sessions_[s].first);
    const EventTimeUs with_last = std::max(last, sessions_[s].last);
    if (s == place_.session || !rules_.fits(with_first, with_last)) continue;
    place_.merges.push_back(s);
    first = with_first;
    last = with_last;
  }
  return place_;
}

void SessionList::start(GroupId state, GroupId key, EventTimeUs time, std::uint64_t arrival) {
  if (state >= sessions_.size()) sessions_.resize(state + std::size_t{1});
  sessions_[state] = {time, time, arrival, 0, key};
  insert(by_key_[key], state);
  ++size_;
}

void SessionList::join(const Place& place, EventTimeUs time) {
  Session& session = sessions_[place.session];
  SessionsOfKey& list = by_key_[session.key];
  const bool moves = time < session.first || !place.merges.empty();
  if (moves) remove(list, place.session);
  session.first = std::min(session.first, time);
  session.last = std::max(session.last, time);
  for (const GroupId other : place.merges) {
    session.first = std::min(session.first, sessions_[other].first);
    session.last = std::max(session.last, sessions_[other].last);
    remove(list, other);
    sessions_[other].key = kNoGroup;
    --size_;
  }
  if (moves) insert(list, place.session);
}

bool SessionList::take(GroupId state) {
  SessionsOfKey& list = by_key_[sessions_[state].key];
  remove(list, state);
  sessions_[state].key = kNoGroup;
  --size_;
  return list.empty();
}

void SessionList::insert(SessionsOfKey& list, GroupId state) {
  const auto place =
      std::upper_bound(list.begin(), list.end(), sessions_[state].first,
                       [&](EventTimeUs first, GroupId other) { return first < sessions_[other].first; });
  list.insert(place, state);
}

void SessionList::remove(SessionsOfKey& list, GroupId state) {
  auto place =
      std::lower_bound(list.begin(), list.end(), sessions_[state].first,
                       [&](GroupId other, EventTimeUs first) { return sessions_[other].first < first; });
  while (*place != state) ++place;
  list.erase(place);
}

void SessionList::compact_keys(std::span<const GroupId> old) {
  std::vector<SessionsOfKey> kept;
  kept.reserve(old.size());
  for (const GroupId key : old) kept.push_back(std::move(by_key_[key]));
  by_key_ = std::move(kept);
  for (GroupId key = 0; key < by_key_.size(); ++key) {
    for (const GroupId state : by_key_[key]) sessions_[state].key = key;
  }
}

void SessionList::compact_states(std::span<const GroupId> old) {
  const std::vector<GroupId> new_of = new_numbers(old);
  std::vector<Session> kept;
  kept.reserve(old.size());
  for (const GroupId state : old) kept.push_back(sessions_[state]);
  sessions_ = std::move(kept);
  for (SessionsOfKey& list : by_key_) {
    for (GroupId& state : list) state = new_of[state];
  }
}

// A list of more than four sessions lies on the heap.
std::size_t SessionList::bytes() const {
  return sessions_.capacity() * sizeof(Session) + by_key_.capacity() * sizeof(SessionsOfKey) +
         (size_ > 4 ? size_ - 4 : 0) * sizeof(GroupId);
}

}  // namespace sluice
