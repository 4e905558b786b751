#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "operators/config/bad_records.hpp"
#include "operators/expression/expression.hpp"
#include "runtime/data/column_builder.hpp"

namespace sluice {

// Some rows of a batch as a batch of their own, for operators that pass records on. All rows: the input
// itself, without a copy; otherwise copied column by column into builders that are reused. One task. What
// take() gives is valid as long as the input is and until the next take().
class RowSelection {
 public:
  explicit RowSelection(const Schema& schema) : staging_(schema) {}

  // `rows` ascending, without repetition; not empty.
  Batch take(const Batch& batch, std::span<const std::uint32_t> rows);

 private:
  BatchStaging staging_;
};

// The rows, ascending, where a bool column is true; null is not.
void select_true(const Column& condition, std::uint32_t rows, std::vector<std::uint32_t>& selected);

// The bytes of a row's values in some columns: what the limit of an edge counts.
std::size_t bytes_of_row(const Batch& batch, std::span<const std::size_t> columns, std::uint32_t row);

// Of errors that several expressions gave for the same batch, appended one expression after the other, keeps
// the first of each row, in row order.
void keep_first_error_a_row(std::vector<RowError>& errors);

// Reports each row's error as a bad record, with the row as its input.
Result<void> add_row_errors(BadRecords& bad, const Batch& batch, std::span<const RowError> errors);

}  // namespace sluice
