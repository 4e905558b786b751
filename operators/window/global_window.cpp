#include <map>

#include "operators/state/give_memory_back.hpp"
#include "operators/window/window_operator.hpp"

namespace sluice {
namespace {

constexpr KeySpace kTotals = 0;

// One window for all records. Without emit_every a group's result comes at the end. With it, records go to
// slices of that length; as the event-time watermark passes the end of a slice, its groups are added to the
// totals, and each key that it holds gives its new total; at the end what is left. A record counts in the
// slice of its time or of the watermark that it carries, whichever is later: it is never late, and what is
// given depends on the input alone. Memory: a total a key, for as long as the input goes on, and the groups
// of open slices.
class GlobalWindow final : public WindowOperator {
 public:
  explicit GlobalWindow(const WindowPlan& plan) : WindowOperator(plan), table_(plan.input, plan.keys) {
    if (plan.emit_every_us) slicing_ = {.size_us = *plan.emit_every_us, .slide_us = *plan.emit_every_us};
  }

 private:
  struct Slice {
    KeySpace space = kNoSpace;
    std::vector<GroupId> groups;
  };

  // Without keys there is one group from the start: the count of nothing is 0.
  Result<void> start() override {
    if (!plan_.keys.empty()) return {};
    totals_.push_back(table_.add_keyless(kTotals));
    states_.grow(table_.numbers().limit());
    return {};
  }

  Result<void> take(const Batch& batch) override {
    spaces_.assign(batch.rows, kTotals);
    if (plan_.emit_every_us) assign_slices(batch);
    SLUICE_TRY(take_bad_rows_out(batch, spaces_));
    groups_.resize(batch.rows);
    fresh_.clear();
    SLUICE_TRY(table_.assign(batch, spaces_.data(), groups_.data(), fresh_));
    for (const GroupId group : fresh_) {
      const KeySpace space = table_.space_of(group);
      (space == kTotals ? totals_ : by_space_[space]->groups).push_back(group);
    }
    states_.grow(table_.numbers().limit());
    update(groups_, 0, batch.rows);
    return {};
  }

  void assign_slices(const Batch& batch) {
    WindowAssigner::Slice range;
    KeySpace space = kNoSpace;
    for (std::uint32_t r = 0; r < batch.rows; ++r) {
      const EventTimeUs time = std::max({times(batch)[r], watermarks(batch)[r], own_watermark()});
      if (!range.holds(time)) {
        range = slicing_.slice_of(time);
        space = slice_at(range.last).space;
      }
      spaces_[r] = space;
    }
  }

  Slice& slice_at(WindowIndex index) {
    const auto [place, added] = slices_.try_emplace(index);
    Slice& slice = place->second;
    if (!added) return slice;
    if (free_spaces_.empty()) {
      by_space_.resize(std::max<std::size_t>(by_space_.size(), kTotals + 1));
      free_spaces_.push_back(static_cast<KeySpace>(by_space_.size()));
      by_space_.push_back(nullptr);
    }
    slice.space = free_spaces_.back();
    free_spaces_.pop_back();
    by_space_[slice.space] = &slice;
    return slice;
  }

  Result<bool> give() override {
    while (!results_.full()) {
      if (given_ < giving_.size()) {
        const auto rest = std::span<const GroupId>(giving_).subspan(given_);
        SLUICE_ASSIGN(const std::size_t count, results_.append({&table_, rest, rest, {}}));
        given_ += count;
        ever_given_ = true;
        continue;
      }
      giving_.clear();
      given_ = 0;
      SLUICE_ASSIGN(const bool more, next_results());
      if (!more) return true;
    }
    return false;
  }

  // Fills giving_; false if nothing is due.
  Result<bool> next_results() {
    if (!slices_.empty() && due(slicing_.complete_at(slices_.begin()->first))) {
      SLUICE_TRY(add_to_totals(slices_.begin()->second));
      slices_.erase(slices_.begin());
      return true;
    }
    if (!finishing() || finished_) return false;
    finished_ = true;
    // A slice of its own gave what was left; without records a count of 0 is still to come.
    if (!plan_.emit_every_us || (plan_.keys.empty() && !ever_given_)) giving_ = totals_;
    return true;
  }

  Result<void> add_to_totals(Slice& slice) {
    giving_.resize(slice.groups.size());
    SLUICE_TRY(table_.adopt(table_, slice.groups, kTotals, giving_.data(), totals_));
    states_.grow(table_.numbers().limit());
    states_.merge(slice.groups, giving_);
    states_.clear(slice.groups);
    table_.erase(slice.groups);
    free_spaces_.push_back(slice.space);
    return {};
  }

  EventTimeUs all_due_at() const override {
    return slices_.empty() ? kWatermarkNone : slicing_.complete_at(slices_.rbegin()->first);
  }

  // Totals stay, and the groups of slices go.
  void compact() override {
    trim_room(giving_);
    if (!table_.numbers().sparse()) return;
    const std::vector<GroupId> old = table_.compact();
    const std::vector<GroupId> new_of = new_numbers(old);
    renumber(totals_, new_of);
    for (auto& [index, slice] : slices_) renumber(slice.groups, new_of);
    states_.compact(old);
  }

  Held held() const override {
    return {table_.bytes() + (table_.size() + giving_.capacity()) * 2 * sizeof(GroupId), table_.size()};
  }

  WindowAssigner slicing_;
  GroupTable table_;
  std::vector<GroupId> totals_;  // a group a key
  std::map<WindowIndex, Slice> slices_;
  std::vector<Slice*> by_space_;
  std::vector<KeySpace> free_spaces_;
  std::vector<GroupId> giving_;  // totals whose results are being given
  std::size_t given_ = 0;
  bool ever_given_ = false;
  bool finished_ = false;
  // Of the batch in hand:
  std::vector<KeySpace> spaces_;
  std::vector<GroupId> groups_;
  std::vector<GroupId> fresh_;
};

}  // namespace

std::unique_ptr<Operator> make_global_window(const WindowPlan& plan) {
  return std::make_unique<GlobalWindow>(plan);
}

}  // namespace sluice
