#include <algorithm>

#include "operators/state/give_memory_back.hpp"
#include "operators/window/session_list.hpp"
#include "operators/window/window_operator.hpp"

namespace sluice {
namespace {

// Session windows: which session a record joins is decided record by record in the order in which they come,
// with the watermark that each carries. Where two sessions become one, what came before is added to their
// states first, so that the result does not depend on how records were cut into batches. Results come in the
// order of window_end as the event-time watermark passes it, those of equal end by their first arrival.
// Memory: the sessions that are not complete.
class SessionWindows final : public WindowOperator {
 public:
  explicit SessionWindows(const WindowPlan& plan)
      : WindowOperator(plan),
        table_(plan.input, plan.keys),
        sessions_({plan.gap_us, plan.max_length_us, plan.allowed_lateness_us}) {}

 private:
  static constexpr std::size_t kMostPastLooks = 1024;

  // A session is looked at when it was to end as far as was known when the entry was made. An entry that is
  // not the session's last one is of the past.
  struct Look {
    EventTimeUs at;
    std::uint64_t arrival;
    GroupId state;
    bool operator<(const Look& other) const { return at > other.at; }  // the earliest on top of a heap
  };

  Result<void> take(const Batch& batch) override {
    spaces_.assign(batch.rows, 0);
    keys_.resize(batch.rows);
    fresh_.clear();
    SLUICE_TRY(table_.assign(batch, spaces_.data(), keys_.data(), fresh_));
    sessions_.grow_keys(table_.numbers().limit());
    groups_.assign(batch.rows, kNoGroup);
    updated_ = 0;
    const RowError* bad = errors().data();
    const RowError* bad_end = bad + errors().size();
    for (std::uint32_t r = 0; r < batch.rows; ++r) {
      const bool is_bad = bad != bad_end && bad->row == r;
      const EventTimeUs watermark = std::max(watermarks(batch)[r], own_watermark());
      const SessionList::Place& place = sessions_.find(keys_[r], times(batch)[r], watermark);
      if (place.kind == SessionList::Place::Kind::late) {
        add_late(r);
      } else if (is_bad) {
        SLUICE_TRY(add_bad(batch, *bad));
      } else {
        groups_[r] = put(place, keys_[r], times(batch)[r], r);
      }
      bad += is_bad;
    }
    states_.grow(numbers_.limit());
    update(groups_, updated_, batch.rows);
    forget_keys_without_session();
    return {};
  }

  GroupId put(const SessionList::Place& place, GroupId key, EventTimeUs time, std::uint32_t row) {
    GroupId state = place.session;
    if (place.kind == SessionList::Place::Kind::starts) {
      state = numbers_.take();
      sessions_.start(state, key, time, first_arrival() + row);
      look_at(state);
      return state;
    }
    if (!place.merges.empty()) merge(place, row);
    sessions_.join(place, time);
    // An end moves forward, and is found when the old one comes; only with max_length it may move back.
    if (sessions_.complete_at(sessions_[state]) < sessions_[state].queued) look_at(state);
    return state;
  }

  void merge(const SessionList::Place& place, std::uint32_t row) {
    states_.grow(numbers_.limit());
    update(groups_, updated_, row);
    updated_ = row;
    into_.assign(place.merges.size(), place.session);
    states_.merge(place.merges, into_);
    states_.clear(place.merges);
    numbers_.give_back(place.merges);
  }

  void look_at(GroupId state) {
    Session& session = sessions_[state];
    session.queued = sessions_.complete_at(session);
    looks_.push_back({session.queued, session.arrival, state});
    std::push_heap(looks_.begin(), looks_.end());
  }

  // Keys that came with late or bad records alone.
  void forget_keys_without_session() {
    std::erase_if(fresh_, [&](GroupId key) { return sessions_.has(key); });
    table_.erase(fresh_);
  }

  // ---- results ----

  Result<bool> give() override {
    while (!results_.full()) {
      if (given_ == due_states_.size() && !find_due()) return true;
      const auto states = std::span<const GroupId>(due_states_).subspan(given_);
      const auto keys = std::span<const GroupId>(due_keys_).subspan(given_);
      const auto bounds = std::span<const WindowBounds>(due_bounds_).subspan(given_);
      SLUICE_ASSIGN(const std::size_t count, results_.append({&table_, keys, states, bounds}));
      states_.clear(states.first(count));
      numbers_.give_back(states.first(count));
      given_ += count;
    }
    return given_ == due_states_.size() && !find_due();
  }

  // Takes the sessions that are due out of the list; false if there are none.
  bool find_due() {
    table_.erase(done_keys_);
    done_keys_.clear();
    due_states_.clear();
    due_keys_.clear();
    due_bounds_.clear();
    given_ = 0;
    while (!looks_.empty() && due(looks_.front().at)) {
      std::pop_heap(looks_.begin(), looks_.end());
      const Look look = looks_.back();
      looks_.pop_back();
      if (is_past(look)) continue;
      if (due(sessions_.complete_at(sessions_[look.state]))) {
        due_states_.push_back(look.state);
      } else {
        look_at(look.state);
      }
    }
    std::sort(due_states_.begin(), due_states_.end(), [&](GroupId a, GroupId b) {
      const auto end_a = sessions_.bounds(sessions_[a]).end, end_b = sessions_.bounds(sessions_[b]).end;
      return end_a != end_b ? end_a < end_b : sessions_[a].arrival < sessions_[b].arrival;
    });
    for (const GroupId state : due_states_) {
      due_keys_.push_back(sessions_[state].key);
      due_bounds_.push_back(sessions_.bounds(sessions_[state]));
      if (sessions_.take(state)) done_keys_.push_back(due_keys_.back());
    }
    return !due_states_.empty();
  }

  bool is_past(const Look& look) const {
    const Session& session = sessions_[look.state];
    return session.key == kNoGroup || session.arrival != look.arrival || session.queued != look.at;
  }

  void drop_past_looks() {
    std::erase_if(looks_, [&](const Look& look) { return is_past(look); });
    std::make_heap(looks_.begin(), looks_.end());
  }

  // ---- event time and memory ----

  EventTimeUs all_due_at() const override {
    EventTimeUs at = kWatermarkNone;
    for (const Look& look : looks_) {
      const Session& session = sessions_[look.state];
      if (session.key != kNoGroup) at = std::max(at, sessions_.complete_at(session));
    }
    return at;
  }

  void compact() override {
    for (auto* list : {&due_states_, &due_keys_, &done_keys_}) trim_room(*list);
    trim_room(due_bounds_);
    trim_room(looks_);
    if (table_.numbers().sparse()) sessions_.compact_keys(table_.compact());
    const bool sparse = numbers_.sparse();
    if (sparse || looks_.size() > 2 * sessions_.size() + kMostPastLooks) drop_past_looks();
    if (!sparse) return;
    const std::vector<GroupId> old = numbers_.compact();
    const std::vector<GroupId> new_of = new_numbers(old);
    for (Look& look : looks_) look.state = new_of[look.state];
    sessions_.compact_states(old);
    states_.compact(old);
  }

  Held held() const override {
    return {table_.bytes() + numbers_.bytes() + sessions_.bytes() + looks_.capacity() * sizeof(Look) +
                due_states_.capacity() * (3 * sizeof(GroupId) + sizeof(WindowBounds)),
            table_.size()};
  }

  GroupTable table_;  // of keys
  SessionList sessions_;
  GroupNumbers numbers_;     // of states
  std::vector<Look> looks_;  // a heap
  // Sessions that are due, in order, and how many of them are given:
  std::vector<GroupId> due_states_;
  std::vector<GroupId> due_keys_;
  std::vector<WindowBounds> due_bounds_;
  std::vector<GroupId> done_keys_;  // keys without another session
  std::size_t given_ = 0;
  std::vector<GroupId> into_;
  // Of the batch in hand:
  std::vector<KeySpace> spaces_;
  std::vector<GroupId> keys_;
  std::vector<GroupId> groups_;
  std::vector<GroupId> fresh_;
  std::uint32_t updated_ = 0;  // rows whose groups have them
};

}  // namespace

std::unique_ptr<Operator> make_session_windows(const WindowPlan& plan) {
  return std::make_unique<SessionWindows>(plan);
}

}  // namespace sluice
