#include "operators/builtin/row_selection.hpp"

#include <algorithm>

namespace sluice {

Batch RowSelection::take(const Batch& batch, std::span<const std::uint32_t> rows) {
  if (rows.size() == batch.rows) return batch;
  staging_.clear();
  for (std::size_t c = 0; c < batch.columns.size(); ++c) {
    staging_.column(c).append_rows(batch.column(c), rows.data(), rows.size());
  }
  return staging_.view();
}

void keep_first_error_a_row(std::vector<RowError>& errors) {
  std::stable_sort(errors.begin(), errors.end(),
                   [](const RowError& a, const RowError& b) { return a.row < b.row; });
  const auto same_row = [](const RowError& a, const RowError& b) { return a.row == b.row; };
  errors.erase(std::unique(errors.begin(), errors.end(), same_row), errors.end());
}

Result<void> add_row_errors(BadRecords& bad, const Batch& batch, std::span<const RowError> errors) {
  for (const RowError& e : errors) {
    const std::string input = bad.wants_input() ? row_as_json(batch, e.row) : std::string();
    SLUICE_TRY(bad.add(e.code, input, e.message));
  }
  return {};
}

}  // namespace sluice
