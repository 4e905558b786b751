#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "operators/expression/expression.hpp"
#include "operators/expression/program.hpp"

namespace sluice::expression {

// Runs blocks of one program over one batch at a time, in memory that it keeps. One thread. The program must
// outlive it; it may still grow (the binder folds constants while it writes the program).
class Execution final : private FaultSink {
 public:
  explicit Execution(const Program& program) : program_(program) {}

  // Takes copies of what tasks must not share.
  void own_prepared();

  void begin(std::uint32_t rows);
  void set_column(std::size_t used_column, const Vector& vector) {
    if (columns_.size() <= used_column) columns_.resize(used_column + 1);
    columns_[used_column] = vector;
  }

  void run(const Block& block, Rows rows);
  void run(const Step& step, Rows rows);
  Vector read(Operand operand) const;

  Rows all_rows() const { return {nullptr, rows_, rows_}; }
  // A row of the root that could not be kept; see also faults().
  void fail_row(std::uint32_t row, ErrorCode code, std::string message) {
    fail(row, code, std::move(message));
  }
  bool failed(std::uint32_t row) const { return !faults_.empty() && failed_[row] != 0; }
  // Of this batch, at most one a row, in row order.
  const std::vector<RowError>& sorted_faults();

 private:
  // The rows that a lazy step still works on, and those that its current branch takes.
  struct Choice {
    std::vector<std::uint32_t> open;
    std::vector<std::uint32_t> taken;
  };

  void fail(std::uint32_t row, ErrorCode code, std::string message) override;
  Register& prepare_target(const Step& step);
  void call(const Step& step, Rows rows);
  void junction(const Step& step, Rows rows);
  void coalesce(const Step& step, Rows rows);
  void choice(const Step& step, Rows rows);
  Choice& choice_scratch(const Step& step);
  void copy_rows(Register& target, const Vector& from, Rows rows);

  const Program& program_;
  std::uint32_t rows_ = 0;
  std::deque<Register> registers_;  // grows without moving
  std::vector<Vector> columns_;
  std::deque<Choice> choices_;
  std::vector<Vector> arguments_;
  std::vector<PreparedPtr> own_;
  std::vector<RowError> faults_;
  std::vector<std::uint8_t> failed_;
  TextArena arena_;
};

}  // namespace sluice::expression
