#include "operators/binding/row_selection.hpp"

#include <algorithm>
#include <bit>

namespace sluice {

Batch RowSelection::take(const Batch& batch, std::span<const std::uint32_t> rows) {
  if (rows.size() == batch.rows) return batch;
  staging_.clear();
  for (std::size_t c = 0; c < batch.columns.size(); ++c) {
    staging_.column(c).append_rows(batch.column(c), rows.data(), rows.size());
  }
  return staging_.view();
}

void select_true(const Column& condition, std::uint32_t rows, std::vector<std::uint32_t>& selected) {
  selected.clear();
  for (std::uint32_t base = 0; base < rows; base += 64) {
    std::uint64_t word = condition.bits()[base / 64];
    if (condition.validity != nullptr) word &= condition.validity[base / 64];
    if (rows - base < 64) word &= (std::uint64_t{1} << (rows - base)) - 1;
    for (; word != 0; word &= word - 1) {
      selected.push_back(base + static_cast<std::uint32_t>(std::countr_zero(word)));
    }
  }
}

std::size_t bytes_of_row(const Batch& batch, std::span<const std::size_t> columns, std::uint32_t row) {
  std::size_t bytes = 0;
  for (const std::size_t c : columns) {
    const Column& column = batch.column(c);
    bytes += 8 + (physical(column.type) == Physical::bytes ? column.string(row).size() : 0);
  }
  return bytes;
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
