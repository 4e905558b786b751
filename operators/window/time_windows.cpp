#include <algorithm>

#include "operators/window/open_panes.hpp"
#include "operators/window/pane_tree.hpp"
#include "operators/window/window_operator.hpp"

namespace sluice {
namespace {

// Tumbling and sliding windows: records go to panes, one update each; windows take their panes as the
// event-time watermark passes their end. Results come in the order of the windows, and within one in that in
// which the groups came. Where windows do not overlap, a pane is a window and its groups are the results;
// else a tree of panes makes them. Memory: the groups of the panes that a window to come still wants.
class TimeWindows final : public WindowOperator {
 public:
  explicit TimeWindows(const WindowPlan& plan)
      : WindowOperator(plan),
        panes_(plan.assigner),
        table_(plan.input, plan.keys),
        tree_(plan.input, plan.keys, table_, states_) {}

 private:
  Result<void> take(const Batch& batch) override {
    late_.clear();
    panes_.assign({times(batch), batch.rows}, watermarks(batch), own_watermark(), spaces_, late_);
    for (const std::uint32_t row : late_) add_late(row);
    SLUICE_TRY(take_bad_rows_out(batch, spaces_));
    groups_.resize(batch.rows);
    fresh_.clear();
    SLUICE_TRY(table_.assign(batch, spaces_.data(), groups_.data(), fresh_));
    for (const GroupId group : fresh_) panes_.add(table_.space_of(group), group);
    states_.grow(table_.numbers().limit());
    update(groups_, 0, batch.rows);
    return {};
  }

  Result<bool> give() override {
    while (!results_.full()) {
      if (given_ < row_states().size()) {
        SLUICE_TRY(give_part());
        continue;
      }
      leave_window();
      const auto next = next_window();
      if (!next) return true;
      SLUICE_TRY(enter_window(*next));
    }
    return false;
  }

  // ---- the window whose results are being given ----

  std::optional<WindowIndex> next_window() const {
    std::optional<WindowIndex> next;
    if (!panes_.empty()) next = panes_.first();
    if (!tree_.empty() && tree_.reaches(window_ + 1)) next = window_ + 1;
    if (next && !due(plan_.assigner.complete_at(*next))) return std::nullopt;
    return next;
  }

  Result<void> enter_window(WindowIndex window) {
    window_ = window;
    bounds_ = plan_.assigner.bounds(window);
    inside_ = true;
    given_ = 0;
    if (!plan_.assigner.overlapping()) {
      pane_ = panes_.take_front();
      return {};
    }
    while (!panes_.empty() && panes_.first() == window) {
      Pane pane = panes_.take_front();
      const KeySpace space = pane.space;
      SLUICE_TRY(tree_.add(std::move(pane)));
      panes_.give_back(space);
    }
    tree_.enter(window);
    return {};
  }

  void leave_window() {
    if (!inside_) return;
    inside_ = false;
    if (plan_.assigner.overlapping()) {
      tree_.leave();
    } else {
      table_.erase(pane_.groups);
      panes_.give_back(pane_.space);
      pane_ = {};
    }
    given_ = 0;
  }

  // As many as there are results.
  std::span<const GroupId> row_states() const {
    if (!inside_) return {};
    return plan_.assigner.overlapping() ? tree_.row_keys() : std::span<const GroupId>(pane_.groups);
  }

  Result<void> give_part() {
    if (plan_.assigner.overlapping()) return give_merged();
    const auto rest = std::span<const GroupId>(pane_.groups).subspan(given_);
    SLUICE_ASSIGN(const std::size_t count, results_.append({&table_, rest, rest, {&bounds_, 1}}));
    states_.clear(rest.first(count));
    given_ += count;
    return {};
  }

  // Rows that have one state only need no merge; the others are merged a batch at a time in states of their
  // own, which stay until all of them are given.
  Result<void> give_merged() {
    const auto lists = tree_.row_states();
    std::span<const GroupId> states;
    if (lists.size() == 1) {
      states = std::span<const GroupId>(lists[0]).subspan(given_);
    } else {
      if (merged_given_ == merged_.size()) merge_next();
      states = std::span<const GroupId>(merged_).subspan(merged_given_);
    }
    const auto keys = tree_.row_keys().subspan(given_, states.size());
    SLUICE_ASSIGN(const std::size_t count, results_.append({&tree_.keys(), keys, states, {&bounds_, 1}}));
    given_ += count;
    if (lists.size() == 1) return {};
    merged_given_ += count;
    if (merged_given_ == merged_.size()) release_merged();
    return {};
  }

  void merge_next() {
    const std::size_t count = std::min<std::size_t>(kTargetBatchRows, tree_.row_keys().size() - given_);
    for (std::size_t i = 0; i < count; ++i) merged_.push_back(table_.numbers().take());
    states_.grow(table_.numbers().limit());
    for (const std::vector<GroupId>& list : tree_.row_states()) {
      from_.clear();
      into_.clear();
      for (std::size_t i = 0; i < count; ++i) {
        if (list[given_ + i] == kNoGroup) continue;
        from_.push_back(list[given_ + i]);
        into_.push_back(merged_[i]);
      }
      states_.merge(from_, into_);
    }
  }

  void release_merged() {
    states_.clear(merged_);
    table_.numbers().give_back(merged_);
    merged_.clear();
    merged_given_ = 0;
  }

  // ---- event time and memory ----

  EventTimeUs all_due_at() const override {
    std::optional<WindowIndex> last;
    if (!panes_.empty()) last = panes_.last();
    if (!tree_.empty()) last = std::max(last.value_or(tree_.last()), tree_.last());
    return last ? plan_.assigner.complete_at(*last) : kWatermarkNone;
  }

  void compact() override {
    tree_.compact();
    if (!table_.numbers().sparse()) return;
    const std::vector<GroupId> old = table_.compact();
    const std::vector<GroupId> new_of = new_numbers(old);
    panes_.renumber_groups(new_of);
    tree_.renumber_states(new_of);
    states_.compact(old);
  }

  // Of overlapping windows a key has many groups; the keys are those of the tree, or of a pane on average.
  Held held() const override {
    const std::size_t groups = table_.size();
    const std::size_t keys =
        plan_.assigner.overlapping()
            ? std::max(tree_.keys().size(), groups / std::max<std::size_t>(1, panes_.size()))
            : groups;
    return {table_.bytes() + tree_.bytes() + groups * 2 * sizeof(GroupId) + panes_.size() * 2 * sizeof(Pane),
            keys};
  }

  OpenPanes panes_;
  GroupTable table_;
  PaneTree tree_;
  WindowIndex window_ = 0;
  WindowBounds bounds_;
  bool inside_ = false;
  std::size_t given_ = 0;  // of the window's rows
  Pane pane_;              // the window, where windows do not overlap
  std::vector<GroupId> merged_;
  std::size_t merged_given_ = 0;
  std::vector<GroupId> from_, into_;
  // Of the batch in hand:
  std::vector<KeySpace> spaces_;
  std::vector<GroupId> groups_;
  std::vector<GroupId> fresh_;
  std::vector<std::uint32_t> late_;
};

}  // namespace

std::unique_ptr<Operator> make_time_windows(const WindowPlan& plan) {
  return std::make_unique<TimeWindows>(plan);
}

}  // namespace sluice
