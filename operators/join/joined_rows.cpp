#include "operators/join/joined_rows.hpp"

#include <fmt/format.h>

#include "runtime/base/units.hpp"

namespace sluice {

BatchRows::BatchRows(const Batch& batch, const Schema& schema) : batch_(batch), visible_(schema.visible()) {
  if (!schema.has_event_time()) return;
  times_ = batch.column(schema.event_time_index()).int64s();
  watermarks_ = batch.column(schema.watermark_index()).int64s();
}

std::size_t BatchRows::row_bytes(std::uint32_t row) const {
  std::size_t bytes = visible_ * 8;
  for (std::size_t c = 0; c < visible_; ++c) {
    if (is_variable_width(batch_.column(c).type)) bytes += batch_.column(c).string(row).size();
  }
  return bytes;
}

JoinedRows::JoinedRows(const JoinPlan& plan)
    : plan_(plan),
      left_visible_(plan.inputs[kLeft].visible()),
      right_visible_(plan.inputs[kRight].visible()),
      left_timed_(plan.inputs[kLeft].has_event_time()),
      right_timed_(plan.inputs[kRight].has_event_time()),
      hidden_bytes_(plan.output.has_event_time() ? 16 : 0),
      fixed_bytes_(plan.output.has_variable_width() ? 0 : plan.output.size() * 8),
      results_(plan.output),
      one_row_(plan.output),
      bad_(plan.on_error, kJoinErrorsPort) {
  left_rows_.reserve(kTargetBatchRows);
  right_rows_.reserve(kTargetBatchRows);
}

void JoinedRows::open(const OperatorContext& context) {
  bad_.open(context);
  if (context.record_limit_bytes > 0) limit_ = context.record_limit_bytes;
}

Result<void> JoinedRows::add_too_large(std::size_t bytes) {
  const std::string input = bad_.wants_input() ? row_as_json(one_row_.view(), 0) : std::string();
  one_row_.clear();
  return bad_.add(ErrorCode::record_too_large, input,
                  fmt::format("the joined row has {}, and an edge of this plan carries at most {}",
                              format_bytes(bytes), format_bytes(limit_)));
}

}  // namespace sluice
