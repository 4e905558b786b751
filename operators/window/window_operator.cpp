#include "operators/window/window_operator.hpp"

#include <algorithm>

namespace sluice {

WindowOperator::WindowOperator(const WindowPlan& plan)
    : plan_(plan),
      states_(plan.aggregates),
      inputs_(plan.aggregates),
      bad_(plan.on_error, kWindowErrorsPort),
      results_(plan, states_, bad_),
      late_(plan.input) {}

Result<void> WindowOperator::open(const OperatorContext& context) {
  counters_ = context.counters;
  share_ = context.state;
  bad_.open(context);
  return start();
}

Result<Step> WindowOperator::process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) {
  inputs_.evaluate(batch);
  late_rows_.clear();
  SLUICE_TRY(take(batch));
  arrived_ += batch.rows;
  if (!late_rows_.empty()) {
    counters_->late.add(late_rows_.size());
    out.emit(kWindowLatePort, late_.take(batch, late_rows_));
  }
  return give_results(out);
}

Result<Step> WindowOperator::watermark(EventTimeUs watermark, Emitter& out, TimeNs) {
  own_watermark_ = std::max(own_watermark_, watermark);
  return give_results(out);
}

EventTimeUs WindowOperator::passed_on(EventTimeUs watermark) const {
  if (!plan_.output.has_event_time()) return kWatermarkNone;
  return watermark_of_results(watermark, plan_.allowed_lateness_us);
}

Result<Step> WindowOperator::idle(Emitter& out, TimeNs) {
  own_watermark_ = std::max(own_watermark_, all_due_at());
  return give_results(out);
}

Result<Step> WindowOperator::finish(Emitter& out, TimeNs) {
  finishing_ = true;
  return give_results(out);
}

Result<void> WindowOperator::take_bad_rows_out(const Batch& batch, std::vector<KeySpace>& spaces) {
  for (const RowError& error : errors()) {
    if (spaces[error.row] == kNoSpace) continue;
    spaces[error.row] = kNoSpace;
    SLUICE_TRY(add_bad(batch, error));
  }
  return {};
}

Result<Step> WindowOperator::give_results(Emitter& out) {
  results_.clear();
  SLUICE_ASSIGN(const bool all_given, give());
  if (results_.rows() > 0) out.emit(kWindowOutPort, results_.view());
  bad_.flush(out);
  if (!all_given) return Step::has_more();
  compact();
  const Held other = held();
  SLUICE_TRY(share_->hold(states_.bytes() + other.bytes, other.keys));
  return finishing_ ? Step::finished() : Step::needs_input();
}

}  // namespace sluice
