#pragma once

#include <span>
#include <vector>

#include "operators/aggregate/group_states.hpp"
#include "operators/binding/row_selection.hpp"
#include "operators/window/window_plan.hpp"
#include "operators/window/window_results.hpp"

namespace sluice {

// What the kinds of window have in common: the aggregates' inputs and states, late and bad records, the batch
// of results, the event-time watermark, and the account of what is held. A kind says to which groups records
// belong, and which results are due.
//
// A record is late against the larger of the watermark that it carries and the operator's own so far: what
// was given out is not given out again. Where no input was idle the own one is never above the carried one,
// so that lateness is a property of the input's order alone. Late records go to `late` as they came; a record
// whose expressions fail, and is not late, to `errors`; neither counts.
class WindowOperator : public Operator {
 public:
  explicit WindowOperator(const WindowPlan& plan);

  Result<void> open(const OperatorContext& context) final;
  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) final;
  Result<Step> resume(Emitter& out, TimeNs) final { return give_results(out); }
  Result<Step> watermark(EventTimeUs watermark, Emitter& out, TimeNs) final;
  EventTimeUs passed_on(EventTimeUs watermark) const final;
  Result<Step> idle(Emitter& out, TimeNs) final;
  Result<Step> finish(Emitter& out, TimeNs) final;

 protected:
  struct Held {
    std::size_t bytes;
    std::size_t keys;
  };

  virtual Result<void> start() { return {}; }
  // Puts the rows of a batch into groups and adds them to the groups' states.
  virtual Result<void> take(const Batch& batch) = 0;
  // Appends results that are due, until results_ is full or all are given (true).
  virtual Result<bool> give() = 0;
  // The event-time watermark at which everything would be due that is held now.
  virtual EventTimeUs all_due_at() const { return kWatermarkNone; }
  // Called when no results are due: gives memory back if much of it is unused.
  virtual void compact() {}
  // Beside the states of the groups.
  virtual Held held() const = 0;

  bool due(EventTimeUs complete_at) const { return finishing_ || complete_at <= own_watermark_; }
  bool finishing() const { return finishing_; }
  EventTimeUs own_watermark() const { return own_watermark_; }
  // What rows of this batch are late against; only with event time.
  const std::int64_t* times(const Batch& batch) const {
    return batch.column(plan_.input.event_time_index()).int64s();
  }
  const std::int64_t* watermarks(const Batch& batch) const {
    return batch.column(plan_.input.watermark_index()).int64s();
  }

  void add_late(std::uint32_t row) { late_rows_.push_back(row); }
  // Rows whose expressions failed, in order.
  std::span<const RowError> errors() const { return inputs_.errors(); }
  Result<void> add_bad(const Batch& batch, const RowError& error) {
    return add_row_errors(bad_, batch, {&error, 1});
  }
  // Takes the rows whose expressions failed out: their space becomes kNoSpace, unless it is so already.
  Result<void> take_bad_rows_out(const Batch& batch, std::vector<KeySpace>& spaces);
  // Adds rows begin … end − 1 of the batch in hand to their groups.
  void update(std::span<const GroupId> groups, std::uint32_t begin, std::uint32_t end) {
    states_.update(inputs_, groups, begin, end, arrived_);
  }
  // The number of the batch's first record.
  std::uint64_t first_arrival() const { return arrived_; }

  const WindowPlan& plan_;
  GroupStates states_;

 private:
  Result<Step> give_results(Emitter& out);

  AggregateInputs inputs_;
  BadRecords bad_;

 protected:
  WindowResults results_;

 private:
  RowSelection late_;
  std::vector<std::uint32_t> late_rows_;  // of the batch in hand
  OperatorCounters* counters_ = nullptr;
  StateShare* share_ = nullptr;
  EventTimeUs own_watermark_ = kWatermarkNone;
  std::uint64_t arrived_ = 0;  // records before the batch in hand
  bool finishing_ = false;
};

}  // namespace sluice
