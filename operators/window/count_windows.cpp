#include <algorithm>

#include "operators/state/give_memory_back.hpp"
#include "operators/window/window_operator.hpp"

namespace sluice {
namespace {

// Windows of so many records of a key, in the order in which they come; what is left of a key at the end is a
// smaller one. Results come as the windows fill, those of the end by their first record. Memory: one window a
// key.
class CountWindows final : public WindowOperator {
 public:
  explicit CountWindows(const WindowPlan& plan) : WindowOperator(plan), table_(plan.input, plan.keys) {}

 private:
  struct Filling {
    GroupId state = kNoGroup;
    std::uint64_t records = 0;
    std::uint64_t arrival = 0;  // of the first
    WindowBounds times{INT64_MAX, INT64_MIN};
  };

  Result<void> take(const Batch& batch) override {
    spaces_.assign(batch.rows, 0);
    SLUICE_TRY(take_bad_rows_out(batch, spaces_));
    keys_.resize(batch.rows);
    fresh_.clear();
    SLUICE_TRY(table_.assign(batch, spaces_.data(), keys_.data(), fresh_));
    windows_.resize(table_.numbers().limit());
    groups_.resize(batch.rows);
    const bool timed = plan_.input.has_event_time();
    for (std::uint32_t r = 0; r < batch.rows; ++r) {
      groups_[r] = kNoGroup;
      if (keys_[r] == kNoGroup) continue;
      Filling& window = windows_[keys_[r]];
      if (window.state == kNoGroup) {
        window.state = numbers_.take();
        window.arrival = first_arrival() + r;
      }
      groups_[r] = window.state;
      if (timed) {
        window.times.start = std::min(window.times.start, times(batch)[r]);
        window.times.end = std::max(window.times.end, times(batch)[r]);
      }
      if (++window.records < plan_.count) continue;
      add_full(keys_[r], window);
    }
    states_.grow(numbers_.limit());
    update(groups_, 0, batch.rows);
    return {};
  }

  void add_full(GroupId key, Filling& window) {
    full_keys_.push_back(key);
    full_states_.push_back(window.state);
    full_times_.push_back(window.times);
    window = {};
  }

  Result<bool> give() override {
    if (finishing() && !finished_) add_unfilled();
    while (given_ < full_keys_.size() && !results_.full()) {
      const auto states = std::span<const GroupId>(full_states_).subspan(given_);
      std::span<const WindowBounds> bounds;
      // One entry would stand for all rows.
      if (plan_.input.has_event_time()) bounds = std::span<const WindowBounds>(full_times_).subspan(given_);
      const auto keys = std::span<const GroupId>(full_keys_).subspan(given_);
      SLUICE_ASSIGN(const std::size_t count, results_.append({&table_, keys, states, bounds}));
      states_.clear(states.first(count));
      numbers_.give_back(states.first(count));
      given_ += count;
    }
    if (given_ < full_keys_.size()) return false;
    forget_idle_keys();
    full_keys_.clear();
    full_states_.clear();
    full_times_.clear();
    given_ = 0;
    return true;
  }

  // Keys of full windows that have not begun another.
  void forget_idle_keys() {
    std::sort(full_keys_.begin(), full_keys_.end());
    full_keys_.erase(std::unique(full_keys_.begin(), full_keys_.end()), full_keys_.end());
    std::erase_if(full_keys_, [&](GroupId key) { return windows_[key].state != kNoGroup; });
    table_.erase(full_keys_);
  }

  void add_unfilled() {
    finished_ = true;
    std::vector<GroupId> keys;
    for (GroupId key = 0; key < windows_.size(); ++key) {
      if (windows_[key].state != kNoGroup) keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end(),
              [&](GroupId a, GroupId b) { return windows_[a].arrival < windows_[b].arrival; });
    for (const GroupId key : keys) add_full(key, windows_[key]);
  }

  void compact() override {
    for (auto* list : {&full_keys_, &full_states_}) trim_room(*list);
    trim_room(full_times_);
    if (table_.numbers().sparse()) {
      const std::vector<GroupId> old = table_.compact();
      std::vector<Filling> kept;
      kept.reserve(old.size());
      for (const GroupId key : old) kept.push_back(windows_[key]);
      windows_ = std::move(kept);
    }
    if (!numbers_.sparse()) return;
    const std::vector<GroupId> old = numbers_.compact();
    const std::vector<GroupId> new_of = new_numbers(old);
    for (Filling& window : windows_) {
      if (window.state != kNoGroup) window.state = new_of[window.state];
    }
    states_.compact(old);
  }

  Held held() const override {
    return {table_.bytes() + numbers_.bytes() + windows_.capacity() * sizeof(Filling) +
                full_keys_.capacity() * (2 * sizeof(GroupId) + sizeof(WindowBounds)),
            table_.size()};
  }

  GroupTable table_;              // of keys
  std::vector<Filling> windows_;  // by key
  GroupNumbers numbers_;          // of states
  // Windows that are full, in order, and how many of them are given:
  std::vector<GroupId> full_keys_;
  std::vector<GroupId> full_states_;
  std::vector<WindowBounds> full_times_;
  std::size_t given_ = 0;
  bool finished_ = false;
  // Of the batch in hand:
  std::vector<KeySpace> spaces_;
  std::vector<GroupId> keys_;
  std::vector<GroupId> groups_;
  std::vector<GroupId> fresh_;
};

}  // namespace

std::unique_ptr<Operator> make_count_windows(const WindowPlan& plan) {
  return std::make_unique<CountWindows>(plan);
}

}  // namespace sluice
