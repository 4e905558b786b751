#include "operators/window/over.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operators/aggregate/aggregate_binding.hpp"
#include "operators/aggregate/aggregate_inputs.hpp"
#include "operators/binding/binding.hpp"
#include "operators/binding/row_selection.hpp"
#include "operators/state/event_time_math.hpp"
#include "operators/state/row_codec.hpp"
#include "operators/state/rows_by_time.hpp"
#include "operators/time/time_text.hpp"
#include "operators/window/range_states.hpp"
#include "runtime/base/units.hpp"

namespace sluice {
namespace {

constexpr std::uint32_t kOverOutPort = 0;
constexpr std::uint32_t kOverLatePort = 1;
constexpr std::uint32_t kOverErrorsPort = 2;

struct OverPlan {
  Schema input;
  Schema output;  // the input's columns, the aggregates, event time
  std::vector<std::size_t> keys;
  std::int64_t range_us = 1;
  std::vector<AggregatePlan> aggregates;
  OnError on_error = OnError::dead_letter;

  std::size_t first_aggregate() const { return input.visible(); }
};

// Gives each record, in the order of time and then of arrival, with the aggregates over the records of its
// key that lie in (its time − range, its time], those with the same time included. A record waits until the
// event-time watermark is above its time: then all that count for it are there. One that comes when the
// watermark it carries is above its time already is late: it goes to `late` and counts for none.
//
// Memory: the rows that wait, and for each key the aggregates of what lies within `range` before the
// watermark, one a distinct time, with about 2·√n merges of them.
class Over final : public Operator {
 public:
  explicit Over(const OverPlan& plan)
      : plan_(plan),
        inputs_(plan.aggregates),
        states_(plan.range_us, plan.aggregates),
        waiting_(plan.input),
        results_(plan.output),
        late_(plan.input),
        bad_(plan.on_error, kOverErrorsPort) {}

  Result<void> open(const OperatorContext& context) override {
    counters_ = context.counters;
    state_ = context.state;
    row_limit_ = context.record_limit_bytes;
    bad_.open(context);
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) override {
    inputs_.evaluate(batch);
    SLUICE_TRY(sort_out(batch));
    add_records(batch);
    SLUICE_TRY(waiting_.add(batch, kept_rows_, elements_));
    SLUICE_TRY(hold());
    if (!late_rows_.empty()) {
      counters_->late.add(late_rows_.size());
      out.emit(kOverLatePort, late_.take(batch, late_rows_));
    }
    bad_.flush(out);
    return Step::needs_input();
  }

  Result<Step> watermark(EventTimeUs watermark, Emitter& out, TimeNs) override {
    complete_below_ = std::max(complete_below_, watermark);
    return emit_complete(out);
  }

  Result<Step> idle(Emitter& out, TimeNs) override {
    if (!waiting_.empty()) complete_below_ = std::max(complete_below_, time_plus(waiting_.latest(), 1));
    return emit_complete(out);
  }

  Result<Step> finish(Emitter& out, TimeNs) override {
    finishing_ = true;
    return emit_complete(out);
  }

  Result<Step> resume(Emitter& out, TimeNs) override { return emit_complete(out); }

 private:
  // Which rows are kept, and which are late or bad; a late one is not bad too.
  Result<void> sort_out(const Batch& batch) {
    const std::int64_t* times = batch.column(plan_.input.event_time_index()).int64s();
    const std::int64_t* watermarks = batch.column(plan_.input.watermark_index()).int64s();
    kept_rows_.clear();
    late_rows_.clear();
    auto error = inputs_.errors().begin();
    for (std::uint32_t row = 0; row < batch.rows; ++row) {
      const bool bad = error != inputs_.errors().end() && error->row == row;
      if (times[row] < std::max(watermarks[row], complete_below_)) {
        late_rows_.push_back(row);
      } else if (bad) {
        SLUICE_TRY(add_row_errors(bad_, batch, {&*error, 1}));
      } else {
        kept_rows_.push_back(row);
      }
      if (bad) ++error;
    }
    return {};
  }

  void add_records(const Batch& batch) {
    const std::int64_t* times = batch.column(plan_.input.event_time_index()).int64s();
    groups_.assign(batch.rows, kNoGroup);
    elements_.clear();
    for (const std::uint32_t row : kept_rows_) {
      encode_key(batch, plan_.keys, row, key_);
      elements_.push_back(states_.add_record(key_, times[row]));
      groups_[row] = states_.state(elements_.back());
    }
    states_.groups().update(inputs_, groups_, 0, batch.rows, arrival_);
    arrival_ += batch.rows;
  }

  Result<void> hold() { return state_->hold(states_.bytes() + waiting_.bytes(), states_.keys()); }

  // ---- results ----

  bool complete_row_waits() const {
    return !waiting_.empty() && (finishing_ || waiting_.earliest() < complete_below_);
  }

  Result<Step> emit_complete(Emitter& out) {
    SLUICE_TRY(take_complete());
    if (!rows_.empty()) {
      results_.clear();
      SLUICE_TRY(append_results());
      for (const RowNumber row : rows_) release(row);
      out.emit(kOverOutPort, results_.view());
    }
    SLUICE_TRY(waiting_.tidy());
    bad_.flush(out);
    if (complete_row_waits()) return Step::has_more();
    if (complete_below_ != kWatermarkNone) states_.forget(complete_below_);
    SLUICE_TRY(hold());
    return finishing_ ? Step::finished() : Step::needs_input();
  }

  void release(RowNumber row) {
    states_.release_record(waiting_.tag(row));
    waiting_.release(row);
  }

  // The next rows of a batch that are complete, with their aggregates' groups.
  Result<void> take_complete() {
    rows_.clear();
    groups_.clear();
    std::size_t bytes = 0;
    while (complete_row_waits() && rows_.size() < kTargetBatchRows && bytes < kTargetBatchBytes &&
           bad_.pending() < kTargetBatchRows) {
      const EventTimeUs time = waiting_.earliest();
      const RowNumber row = waiting_.pop();
      const GroupId group = states_.result(waiting_.tag(row), time);
      const std::size_t row_bytes = waiting_.store().row_bytes(row) + states_.groups().result_bytes(group);
      if (row_limit_ > 0 && row_bytes > row_limit_) {
        SLUICE_TRY(refuse(row, row_bytes));
        continue;
      }
      rows_.push_back(row);
      groups_.push_back(group);
      bytes += row_bytes;
    }
    return {};
  }

  // With its aggregates the row fits no edge.
  Result<void> refuse(RowNumber row, std::size_t bytes) {
    std::string input;
    if (bad_.wants_input()) {
      BatchStaging staging(plan_.input);
      append_rows({&row, 1}, staging);
      input = row_as_json(staging.view(), 0);
    }
    release(row);
    return bad_.add(
        ErrorCode::record_too_large, input,
        fmt::format("with its aggregates the row has {}, and an edge of this plan carries at most "
                    "{}",
                    format_bytes(bytes), format_bytes(row_limit_)));
  }

  // The input's columns and event time, into those of the same places and the last two.
  void append_rows(std::span<const RowNumber> rows, BatchStaging& out) const {
    for (std::size_t c = 0; c < plan_.input.visible(); ++c)
      waiting_.store().append_column(c, rows, out.column(c));
    ColumnBuilder& times = out.column(out.schema().event_time_index());
    ColumnBuilder& watermarks = out.column(out.schema().watermark_index());
    for (const RowNumber row : rows) {
      // In the order of time a row's own time is the watermark that stands before it.
      times.append_int64(waiting_.store().time(row));
      watermarks.append_int64(waiting_.store().time(row));
    }
  }

  Result<void> append_results() {
    append_rows(rows_, results_);
    std::vector<std::pair<std::uint32_t, std::size_t>> unfit;
    for (std::size_t i = 0; i < plan_.aggregates.size(); ++i) {
      std::vector<std::uint32_t> rows;
      states_.groups().append_results(i, groups_, results_.column(plan_.first_aggregate() + i), rows);
      for (const std::uint32_t row : rows) unfit.emplace_back(row, i);
    }
    if (unfit.empty()) return {};
    const Batch batch = results_.view();
    for (const auto& [row, aggregate] : unfit) {
      std::string time;
      append_iso8601(time, waiting_.store().time(rows_[row]));
      SLUICE_TRY(
          bad_.add(ErrorCode::integer_overflow, row_as_json(batch, row),
                   fmt::format("the sum \"{}\" of the range up to {} does not fit into 64 bits and is null",
                               plan_.aggregates[aggregate].name, time)));
    }
    return {};
  }

  const OverPlan& plan_;
  OperatorCounters* counters_ = nullptr;
  StateShare* state_ = nullptr;
  std::size_t row_limit_ = 0;
  AggregateInputs inputs_;
  RangeStates states_;
  RowsByTime waiting_;
  EventTimeUs complete_below_ = kWatermarkNone;  // rows before it are complete, and further ones late
  std::uint64_t arrival_ = 0;
  bool finishing_ = false;
  BatchStaging results_;
  RowSelection late_;
  BadRecords bad_;
  // Of the batch in hand:
  std::string key_;
  std::vector<std::uint32_t> kept_rows_;
  std::vector<std::uint32_t> late_rows_;
  std::vector<std::uint32_t> elements_;  // one a kept row
  std::vector<GroupId> groups_;          // one a row
  std::vector<RowNumber> rows_;          // stored ones, that are being given
};

class BoundOver final : public BoundOperator {
 public:
  explicit BoundOver(OverPlan plan) : plan_(std::move(plan)) {
    output_schemas_ = {plan_.output, plan_.input, errors_schema()};
    for (const std::size_t key : plan_.keys) traits_.keys.push_back(plan_.input.field(key).name);
    if (plan_.keys.empty()) {
      traits_.max_parallelism = 1;
      traits_.max_parallelism_reason = "without keys all records of a range meet in one task";
    }
    traits_.order_sensitive = depend_on_order(plan_.aggregates);
  }
  std::unique_ptr<Operator> create() const override { return std::make_unique<Over>(plan_); }

 private:
  OverPlan plan_;
};

std::unique_ptr<BoundOperator> bind_over(const BindInput& in, Problems& problems) {
  const std::size_t before = problems.size();
  OverPlan plan;
  plan.input = in.inputs[0];
  plan.on_error = on_error_of(in.config);
  const auto keys = bind_columns(plan.input, config_field(in.config, "keys"), "/keys", problems);
  plan.range_us = duration_us_of(in.config, "range");
  if (plan.range_us <= 0) {
    problems.push_back({"/range", ErrorCode::out_of_range, "the range must be above 0",
                        "records of one time always count together; \"1us\" takes those alone"});
  }
  if (!plan.input.has_event_time()) {
    problems.push_back({"/range", ErrorCode::event_time_missing,
                        "a range lies in event time, and no event_time operator precedes it",
                        "put an event_time operator in front"});
  }
  const auto& all = plan.input.fields();
  std::vector<Field> fields(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(plan.input.visible()));
  plan.aggregates = bind_aggregates(plan.input, in.config["aggregates"], fields, problems);
  if (problems.size() > before) return nullptr;
  plan.keys = *keys;
  plan.output = Schema(std::move(fields), true);
  return std::make_unique<BoundOver>(std::move(plan));
}

}  // namespace

OperatorType over_type() {
  OperatorType type;
  type.type = "over";
  type.summary = "Gives each record aggregates over the records of its key in the time up to it.";
  type.example = R"({"keys": ["card"], "range": "1h", "aggregates": [
  {"name": "payments_1h", "fn": "count"}, {"name": "spent_1h", "fn": "sum", "expr": "amount"}]})";
  type.fields = {
      {.name = "keys",
       .type = FieldType::columns,
       .help = "The columns of a key; left out, all records count together. Null is a key too, -0.0 is 0.0 "
               "and every NaN the same."},
      {.name = "range",
       .type = FieldType::duration,
       .required = true,
       .help = "How far back the records lie that count, as a duration: after (time - range), up to the "
               "record's own time, itself and all of the same time included."},
      aggregates_field(),
      on_error_field()};
  type.fields[2].help = "What is computed for each record; the results stand behind the input's columns.";
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {
      {"out", false, "the records, those of a task in the order of event time, each with its aggregates"},
      {"late", false, "records whose time lay before the event-time watermark when they came, as they came"},
      {"errors", false, "records for which an expression failed, and sums that do not fit"}};
  type.bind = bind_over;
  return type;
}

}  // namespace sluice
