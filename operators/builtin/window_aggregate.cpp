#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "operators/builtin/row_selection.hpp"
#include "operators/builtin/window_plan.hpp"
#include "operators/time/time_text.hpp"
#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

// Evaluates what the aggregates need of a batch, and tells which rows have failed.
class AggregateInputs {
 public:
  explicit AggregateInputs(const WindowPlan& plan) : plan_(plan) {
    for (const AggregatePlan& aggregate : plan.aggregates) {
      Input& input = inputs_.emplace_back();
      if (aggregate.where) input.where.emplace(*aggregate.where);
      if (aggregate.value && aggregate.value->expression) input.value.emplace(*aggregate.value->expression);
    }
  }

  void evaluate(const Batch& batch) {
    errors_.clear();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      Input& input = inputs_[i];
      if (input.where) {
        input.where_column = input.where->evaluate(batch);
        add_errors(input.where->errors(), nullptr);
      }
      if (input.value) {
        input.value_column = input.value->evaluate(batch);
        add_errors(input.value->errors(), input.where ? &input.where_column : nullptr);
      } else if (plan_.aggregates[i].value) {
        input.value_column = batch.column(plan_.aggregates[i].value->column);
      }
    }
    keep_first_error_a_row(errors_);
  }

  // At most one a row, in row order.
  const std::vector<RowError>& errors() const { return errors_; }
  const Column* value(std::size_t aggregate) const {
    return plan_.aggregates[aggregate].value ? &inputs_[aggregate].value_column : nullptr;
  }
  const Column* where(std::size_t aggregate) const {
    return plan_.aggregates[aggregate].where ? &inputs_[aggregate].where_column : nullptr;
  }
  static bool is_true(const Column& condition, std::uint32_t row) {
    return !condition.is_null(row) && condition.boolean(row);
  }

 private:
  struct Input {
    std::optional<Evaluator> where;
    std::optional<Evaluator> value;
    Column where_column;
    Column value_column;
  };

  // A value that its own `where` leaves out cannot make the record bad.
  void add_errors(const std::vector<RowError>& errors, const Column* where) {
    for (const RowError& e : errors) {
      if (where == nullptr || is_true(*where, e.row)) errors_.push_back(e);
    }
  }

  const WindowPlan& plan_;
  std::deque<Input> inputs_;  // evaluators do not move
  std::vector<RowError> errors_;
};

// The windows that are open, by start: a record opens its window, the event-time watermark closes those that
// are complete, in order. Windows without a record do not exist, so a jump in time costs nothing.
class OpenWindows {
 public:
  explicit OpenWindows(const WindowAssigner& assigner) : assigner_(assigner) {}

  OpenWindow& at(const WindowAssigner::Bounds& bounds) {
    OpenWindow*& recent = recent_[hash_word(static_cast<std::uint64_t>(bounds.start)) % recent_.size()];
    if (recent != nullptr && recent->start == bounds.start) return *recent;
    OpenWindow& window = windows_[bounds.start];
    window.start = bounds.start;
    window.end = bounds.end;
    return *(recent = &window);
  }

  // Moves the windows that are complete at `watermark` to the end of `closed`.
  void close(EventTimeUs watermark, std::deque<OpenWindow>& closed) {
    close_while(closed, [&](const OpenWindow& w) { return assigner_.complete_at(w.end) <= watermark; });
  }
  void close_all(std::deque<OpenWindow>& closed) {
    close_while(closed, [](const OpenWindow&) { return true; });
  }

  template <typename Visit>
  void for_each(Visit visit) {
    for (auto& [start, window] : windows_) visit(window);
  }

 private:
  template <typename Complete>
  void close_while(std::deque<OpenWindow>& closed, Complete complete) {
    auto it = windows_.begin();
    for (; it != windows_.end() && complete(it->second); ++it) closed.push_back(std::move(it->second));
    if (it == windows_.begin()) return;
    windows_.erase(windows_.begin(), it);
    recent_.fill(nullptr);
  }

  const WindowAssigner& assigner_;
  std::map<std::int64_t, OpenWindow> windows_;
  std::array<OpenWindow*, 16> recent_{};
};

// Groups records by window and key and gives each group's aggregates once, when its window is complete.
//
// A record is late if its window was complete at the event-time watermark that the record itself carries: a
// property of the input's order alone. It goes to `late`; a record whose expressions fail, and is not late,
// to `errors`; neither counts. Results come in the order of window_start, then in that in which the groups
// came, in batches of at most kTargetBatchRows. Memory: the groups that are open at a time, given back as
// windows close. A sum that does not fit int64 is null and a bad record; the sum itself is exact, so that no
// order of the records makes a difference.
class WindowAggregate final : public Operator {
 public:
  explicit WindowAggregate(const WindowPlan& plan)
      : plan_(plan),
        inputs_(plan),
        windows_(plan.window),
        table_(plan.input, plan.keys),
        results_(plan.output),
        late_(plan.input),
        bad_(plan.on_error, kWindowErrorsPort) {
    for (const AggregatePlan& a : plan.aggregates)
      aggregates_.push_back(make_aggregate(a.function, a.value_type));
  }

  Result<void> open(const OperatorContext& context) override {
    counters_ = context.counters;
    bad_.open(context);
    // Without keys and windows there is one group from the start: the count of nothing is 0.
    if (!plan_.windowed() && plan_.keys.empty()) {
      SLUICE_TRY(table_.add_keyless(windows_.at(kGlobalBounds)));
      grow_aggregates();
    }
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) override {
    inputs_.evaluate(batch);
    SLUICE_TRY(assign_windows(batch));
    groups_.resize(batch.rows);
    SLUICE_TRY(table_.assign(batch, row_windows_, groups_.data()));
    grow_aggregates();
    for (std::size_t i = 0; i < aggregates_.size(); ++i) {
      aggregates_[i]->update(inputs_.value(i), groups_where(i), batch.rows);
    }
    if (!late_rows_.empty()) {
      counters_->late.add(late_rows_.size());
      out.emit(kWindowLatePort, late_.take(batch, late_rows_));
    }
    bad_.flush(out);
    return Step::needs_input();
  }

  Result<Step> watermark(EventTimeUs watermark, Emitter& out, TimeNs) override {
    if (plan_.windowed()) windows_.close(watermark, closed_);
    return emit_closed(out);
  }

  EventTimeUs passed_on(EventTimeUs watermark) const override {
    return plan_.windowed() ? plan_.window.watermark_out(watermark) : kWatermarkNone;
  }

  Result<Step> finish(Emitter& out, TimeNs) override {
    finishing_ = true;
    windows_.close_all(closed_);
    return emit_closed(out);
  }

  Result<Step> resume(Emitter& out, TimeNs) override { return emit_closed(out); }

 private:
  static constexpr WindowAssigner::Bounds kGlobalBounds{0, 0};

  Result<void> assign_windows(const Batch& batch) {
    row_windows_.resize(batch.rows);
    late_rows_.clear();
    if (plan_.windowed()) {
      assign_by_time(batch);
    } else {
      std::fill(row_windows_.begin(), row_windows_.end(), &windows_.at(kGlobalBounds));
    }
    for (const RowError& e : inputs_.errors()) {
      if (row_windows_[e.row] == nullptr) continue;  // late
      row_windows_[e.row] = nullptr;
      SLUICE_TRY(add_row_errors(bad_, batch, {&e, 1}));
    }
    return {};
  }

  void assign_by_time(const Batch& batch) {
    const std::int64_t* times = batch.column(plan_.input.event_time_index()).int64s();
    const std::int64_t* watermarks = batch.column(plan_.input.watermark_index()).int64s();
    WindowAssigner::Bounds bounds{0, 0};
    EventTimeUs complete_at = 0;
    OpenWindow* window = nullptr;
    for (std::uint32_t r = 0; r < batch.rows; ++r) {
      if (!bounds.holds(times[r])) {
        bounds = plan_.window.window_of(times[r]);
        complete_at = plan_.window.complete_at(bounds.end);
        window = nullptr;
      }
      if (complete_at <= watermarks[r]) {
        row_windows_[r] = nullptr;
        late_rows_.push_back(r);
        continue;
      }
      if (window == nullptr) window = &windows_.at(bounds);
      row_windows_[r] = window;
    }
  }

  // The rows' groups, without those that the aggregate's own condition leaves out.
  const GroupId* groups_where(std::size_t aggregate) {
    const Column* where = inputs_.where(aggregate);
    if (where == nullptr) return groups_.data();
    groups_where_ = groups_;
    for (std::uint32_t r = 0; r < groups_where_.size(); ++r) {
      if (!AggregateInputs::is_true(*where, r)) groups_where_[r] = kNoGroup;
    }
    return groups_where_.data();
  }

  void grow_aggregates() {
    for (auto& aggregate : aggregates_) aggregate->grow(table_.id_limit());
  }

  // ---- results ----

  Result<Step> emit_closed(Emitter& out) {
    results_.clear();
    while (!closed_.empty() && results_.rows() < kTargetBatchRows && results_.bytes() < kTargetBatchBytes) {
      OpenWindow& window = closed_.front();
      if (emitted_of_front_ < window.groups.size()) SLUICE_TRY(append_part(window));
      if (emitted_of_front_ < window.groups.size()) continue;
      closed_.pop_front();
      emitted_of_front_ = 0;
    }
    if (results_.rows() > 0) out.emit(kWindowOutPort, results_.view());
    bad_.flush(out);
    if (!closed_.empty()) return Step::has_more();
    if (table_.sparse()) compact();
    return finishing_ ? Step::finished() : Step::needs_input();
  }

  // As many of the window's groups as the batch has room for, at least one.
  std::span<const GroupId> next_part(const OpenWindow& window) const {
    const auto left = std::span(window.groups).subspan(emitted_of_front_);
    const std::size_t most = std::min<std::size_t>(left.size(), kTargetBatchRows - results_.rows());
    std::size_t bytes = results_.bytes(), count = 0;
    for (; count < most && (count == 0 || bytes < kTargetBatchBytes); ++count) {
      bytes += table_.key_bytes(left[count]);
      for (const auto& aggregate : aggregates_) bytes += aggregate->result_bytes(left[count]);
    }
    return left.first(count);
  }

  Result<void> append_part(const OpenWindow& window) {
    const auto groups = next_part(window);
    const std::uint32_t first_row = results_.rows();
    std::size_t column = 0;
    if (plan_.windowed()) {
      append_constant(column++, window.start, groups.size());
      append_constant(column++, window.end, groups.size());
    }
    for (const GroupId group : groups) table_.append_key(group, results_, column);
    column += plan_.keys.size();
    if (plan_.output.has_event_time()) {
      append_constant(plan_.output.event_time_index(), window.end - 1, groups.size());
      append_constant(plan_.output.watermark_index(), window.end - 1, groups.size());
    }
    std::vector<Unfit> unfit;
    for (std::size_t i = 0; i < aggregates_.size(); ++i, ++column) {
      std::vector<std::uint32_t> rows;
      aggregates_[i]->append_results(groups, results_.column(column), rows);
      for (const std::uint32_t row : rows) unfit.push_back({first_row + row, i});
    }
    SLUICE_TRY(report(unfit, window));
    table_.erase(groups);
    for (auto& aggregate : aggregates_) aggregate->clear(groups);
    emitted_of_front_ += groups.size();
    return {};
  }

  void append_constant(std::size_t column, std::int64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) results_.column(column).append_int64(value);
  }

  struct Unfit {
    std::uint32_t row;
    std::size_t aggregate;
  };

  Result<void> report(const std::vector<Unfit>& unfit, const OpenWindow& window) {
    if (unfit.empty()) return {};
    const Batch batch = results_.view();
    for (const Unfit& u : unfit) {
      std::string where;
      if (plan_.windowed()) {
        append_iso8601(where, window.start);
        where = " in the window from " + where;
      }
      SLUICE_TRY(bad_.add(ErrorCode::integer_overflow, row_as_json(batch, u.row),
                          fmt::format("the sum \"{}\"{} does not fit into 64 bits and is null{}",
                                      plan_.aggregates[u.aggregate].name, where, key_text(batch, u.row))));
    }
    return {};
  }

  // "; key {…}"
  std::string key_text(const Batch& batch, std::uint32_t row) const {
    if (plan_.keys.empty()) return "";
    const std::size_t first = plan_.windowed() ? 2 : 0;
    const auto fields = plan_.output.fields().begin() + static_cast<std::ptrdiff_t>(first);
    const Schema schema(std::vector<Field>(fields, fields + static_cast<std::ptrdiff_t>(plan_.keys.size())));
    return "; key " +
           row_as_json({&schema, batch.rows, batch.columns.subspan(first, plan_.keys.size())}, row);
  }

  // Gives memory back after many groups have closed.
  void compact() {
    const std::vector<GroupId> old = table_.compact();
    std::vector<GroupId> fresh_of(old.empty() ? 0 : old.back() + std::size_t{1});
    for (GroupId fresh = 0; fresh < old.size(); ++fresh) fresh_of[old[fresh]] = fresh;
    windows_.for_each([&](OpenWindow& window) {
      for (GroupId& group : window.groups) group = fresh_of[group];
    });
    for (auto& aggregate : aggregates_) aggregate->compact(old);
  }

  const WindowPlan& plan_;
  OperatorCounters* counters_ = nullptr;
  AggregateInputs inputs_;
  OpenWindows windows_;
  GroupTable table_;
  std::vector<std::unique_ptr<Aggregate>> aggregates_;
  BatchStaging results_;
  RowSelection late_;
  BadRecords bad_;
  std::deque<OpenWindow> closed_;     // being emitted, in order
  std::size_t emitted_of_front_ = 0;  // groups of the first of them
  bool finishing_ = false;
  // Of the batch in hand, a row each:
  std::vector<OpenWindow*> row_windows_;  // null: late or bad
  std::vector<GroupId> groups_;
  std::vector<GroupId> groups_where_;
  std::vector<std::uint32_t> late_rows_;
};

}  // namespace

std::unique_ptr<Operator> make_window_aggregate(const WindowPlan& plan) {
  return std::make_unique<WindowAggregate>(plan);
}

}  // namespace sluice
