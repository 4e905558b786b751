#include "operators/window/window_results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operators/time/time_text.hpp"

namespace sluice {

Result<std::size_t> WindowResults::append(const ResultRows& rows) {
  const std::size_t count = fitting(rows);
  if (count == 0) return count;
  const std::uint32_t first_row = staging_.rows();
  if (plan_.has_bounds()) append_bounds(rows.bounds, count);
  std::size_t column = first_key_column();
  rows.keys->append_keys(rows.key.first(count), staging_, column);
  column += plan_.keys.size();
  std::vector<Unfit> unfit;
  std::vector<std::uint32_t> unfit_rows;
  for (std::size_t i = 0; i < states_.aggregates(); ++i, ++column) {
    unfit_rows.clear();
    states_.append_results(i, rows.state.first(count), staging_.column(column), unfit_rows);
    for (const std::uint32_t row : unfit_rows) unfit.push_back({first_row + row, i});
  }
  SLUICE_TRY(report(unfit));
  return count;
}

std::size_t WindowResults::fitting(const ResultRows& rows) const {
  if (full()) return 0;
  const std::size_t most = std::min<std::size_t>(rows.state.size(), kTargetBatchRows - staging_.rows());
  std::size_t bytes = staging_.bytes(), count = 0;
  for (; count < most && (count == 0 || bytes < kTargetBatchBytes); ++count)
    bytes += rows.keys->key_bytes(rows.key[count]) + states_.result_bytes(rows.state[count]);
  return count;
}

void WindowResults::append_bounds(std::span<const WindowBounds> bounds, std::size_t count) {
  const bool timed = plan_.output.has_event_time();
  const auto append = [&](const WindowBounds& window, std::size_t repeats) {
    staging_.column(0).append_repeated(window.start, repeats);
    staging_.column(1).append_repeated(window.end, repeats);
    if (!timed) return;
    staging_.column(plan_.output.event_time_index()).append_repeated(window.end - 1, repeats);
    staging_.column(plan_.output.watermark_index()).append_repeated(window.end - 1, repeats);
  };
  if (bounds.size() == 1) return append(bounds[0], count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!bounds.empty()) {
      append(bounds[i], 1);
    } else {
      staging_.column(0).append_null();
      staging_.column(1).append_null();
    }
  }
}

Result<void> WindowResults::report(const std::vector<Unfit>& unfit) {
  if (unfit.empty()) return {};
  const Batch batch = staging_.view();
  for (const Unfit& u : unfit) {
    std::string where;
    if (plan_.has_bounds() && !batch.column(0).is_null(u.row)) {
      append_iso8601(where, batch.column(0).int64s()[u.row]);
      where = " in the window from " + where;
    }
    SLUICE_TRY(bad_.add(ErrorCode::integer_overflow, row_as_json(batch, u.row),
                        fmt::format("the sum \"{}\"{} does not fit into 64 bits and is null{}",
                                    plan_.aggregates[u.aggregate].name, where, key_text(batch, u.row))));
  }
  return {};
}

// "; key {…}"
std::string WindowResults::key_text(const Batch& batch, std::uint32_t row) const {
  if (plan_.keys.empty()) return "";
  const auto fields = plan_.output.fields().begin() + static_cast<std::ptrdiff_t>(first_key_column());
  const Schema schema(std::vector<Field>(fields, fields + static_cast<std::ptrdiff_t>(plan_.keys.size())));
  return "; key " +
         row_as_json({&schema, batch.rows, batch.columns.subspan(first_key_column(), plan_.keys.size())},
                     row);
}

}  // namespace sluice
