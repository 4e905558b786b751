#include "operators/builtin/row_selection.hpp"

namespace sluice {

Batch RowSelection::take(const Batch& batch, std::span<const std::uint32_t> rows) {
  if (rows.size() == batch.rows) return batch;
  staging_.clear();
  for (std::size_t c = 0; c < batch.columns.size(); ++c) {
    staging_.column(c).append_rows(batch.column(c), rows.data(), rows.size());
  }
  return staging_.view();
}

Result<void> add_row_errors(BadRecords& bad, const Batch& batch, std::span<const RowError> errors) {
  for (const RowError& e : errors) {
    const std::string input = bad.wants_input() ? row_as_json(batch, e.row) : std::string();
    SLUICE_TRY(bad.add(e.code, input, e.message));
  }
  return {};
}

}  // namespace sluice
