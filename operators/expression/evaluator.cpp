#include <cstring>

#include "operators/expression/arrow_layout.hpp"
#include "operators/expression/compiled.hpp"
#include "operators/expression/execution.hpp"

namespace sluice {

using expression::ColumnReader;
using expression::ColumnWriter;
using expression::Execution;
using expression::Program;
using expression::Vector;

struct Evaluator::State {
  explicit State(const Expression::Compiled& compiled)
      : column(compiled.column),
        program(compiled.program),
        execution(compiled.program),
        readers(compiled.program.columns.size()) {
    execution.own_prepared();
  }

  void load(const Batch& batch) {
    execution.begin(batch.rows);
    for (std::size_t i = 0; i < readers.size(); ++i) {
      execution.set_column(i, readers[i].read(batch.column(program.columns[i]), batch.rows));
    }
  }

  // Rows with an error are null in the result, whatever was made of them after it.
  Vector without_faults(Vector result, std::uint32_t rows) {
    if (errors->empty()) return result;
    validity.reserve(rows + 64);
    auto* valid = reinterpret_cast<std::uint8_t*>(validity.data());
    for (std::uint32_t row = 0; row < rows; ++row) valid[row] = result.is_null(row) ? 0 : 1;
    for (const RowError& error : *errors) valid[error.row] = 0;
    if (result.constant) result = expanded(result, rows);
    result.valid = valid;
    return result;
  }

  // A constant as one value a row: only its validity is to differ.
  Vector expanded(const Vector& constant, std::uint32_t rows) {
    const std::size_t bytes = expression::vector_value_bytes(constant.type);
    values.reserve(rows * bytes + 64);
    for (std::uint32_t row = 0; row < rows; ++row)
      std::memcpy(values.data() + row * bytes, constant.data, bytes);
    return {.type = constant.type, .constant = false, .data = values.data(), .valid = nullptr};
  }

  Column evaluate(const Batch& batch) {
    if (column) return batch.column(*column);
    load(batch);
    execution.run(program.body, execution.all_rows());
    errors = &execution.sorted_faults();
    const Vector result = execution.read(program.body.result);
    Column written = writer.write(without_faults(result, batch.rows), batch.rows);
    if (writer.first_beyond() == batch.rows) return written;
    for (std::uint32_t row = writer.first_beyond(); row < batch.rows; ++row) {
      if (result.is_null(row)) continue;
      execution.fail_row(row, ErrorCode::record_too_large,
                         "the texts of this expression exceed 2 GiB in one batch");
    }
    errors = &execution.sorted_faults();
    return writer.write(without_faults(result, batch.rows), batch.rows);
  }

  const std::optional<std::size_t> column;
  const Program& program;
  Execution execution;
  std::vector<ColumnReader> readers;
  ColumnWriter writer;
  AlignedBuffer values;
  AlignedBuffer validity;
  const std::vector<RowError>* errors = &execution.sorted_faults();
};

Evaluator::Evaluator(const Expression& expression) : state_(std::make_unique<State>(*expression.compiled_)) {}
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator::~Evaluator() = default;

Column Evaluator::evaluate(const Batch& batch) { return state_->evaluate(batch); }
const std::vector<RowError>& Evaluator::errors() const { return *state_->errors; }

}  // namespace sluice
