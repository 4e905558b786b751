#include "operators/expression/execution.hpp"

#include <algorithm>
#include <cstring>

#include "operators/expression/arrow_layout.hpp"
#include "runtime/base/check.hpp"

namespace sluice::expression {
namespace {

// target = the rows where no argument is null.
void join_validity(std::span<const Vector> arguments, Rows rows, Register& target) {
  for (const Vector& argument : arguments) {
    if (argument.valid == nullptr) continue;
    const std::uint8_t* from = argument.valid;
    const bool constant = argument.constant;
    if (constant && *from != 0) continue;
    std::uint8_t* to = target.start_validity(rows.total);
    if (constant) {
      std::memset(to, 0, rows.total);
    } else if (rows.all()) {
      for (std::uint32_t row = 0; row < rows.count; ++row) to[row] &= from[row];
    } else {
      rows.each([&](std::uint32_t row) { to[row] &= from[row]; });
    }
  }
}

template <typename T>
void copy_values(T* to, const Vector& from, Rows rows) {
  const T* values = from.values<T>();
  if (rows.all() && !from.constant) {
    std::memcpy(to, values, rows.count * sizeof(T));
    return;
  }
  const std::size_t mask = from.mask();
  rows.each([&](std::uint32_t row) { to[row] = values[row & mask]; });
}

// Those of `rows` for which keep(row) holds, written to `kept`, which `rows` may already point into.
template <typename Keep>
Rows narrowed(Rows rows, std::vector<std::uint32_t>& kept, Keep keep) {
  if (kept.size() < rows.total) kept.resize(rows.total);
  std::uint32_t* to = kept.data();
  std::uint32_t count = 0;
  rows.each([&](std::uint32_t row) {
    to[count] = row;
    count += keep(row) ? 1 : 0;
  });
  if (count == rows.count) return rows;
  return {to, count, rows.total};
}

bool is_true(const Vector& vector, std::uint32_t row) {
  return !vector.is_null(row) && vector.values<std::uint8_t>()[row & vector.mask()] != 0;
}

// acc = acc and/or v by SQL's three-valued logic; the absorbing value (false for and, true for or) wins over
// null.
void join_truth(Register& accumulator, const Vector& v, Rows rows, std::uint8_t absorbing) {
  auto* acc = reinterpret_cast<std::uint8_t*>(accumulator.values.data());
  const auto* values = v.values<std::uint8_t>();
  const std::size_t mask = v.mask();
  if (v.valid == nullptr && !accumulator.has_nulls) {
    if (absorbing == 0) {
      rows.each([&](std::uint32_t row) { acc[row] &= values[row & mask]; });
    } else {
      rows.each([&](std::uint32_t row) { acc[row] |= values[row & mask]; });
    }
    return;
  }
  std::uint8_t* valid = accumulator.start_validity(rows.total);
  rows.each([&](std::uint32_t row) {
    const bool v_valid = !v.is_null(row);
    const bool decided =
        (valid[row] != 0 && acc[row] == absorbing) || (v_valid && values[row & mask] == absorbing);
    acc[row] = decided ? absorbing : static_cast<std::uint8_t>(1 - absorbing);
    valid[row] = static_cast<std::uint8_t>(decided || (valid[row] != 0 && v_valid));
  });
}

}  // namespace

void Execution::own_prepared() {
  own_.clear();
  for (const PreparedPtr& shared : program_.prepared) {
    PreparedPtr own = shared->for_one_task();
    if (own == nullptr) own = shared;
    own_.push_back(std::move(own));
  }
}

void Execution::begin(std::uint32_t rows) {
  rows_ = rows;
  faults_.clear();
  arena_.reset();
}

void Execution::run(const Block& block, Rows rows) {
  for (const Step& step : block.steps) run(step, rows);
}

void Execution::run(const Step& step, Rows rows) {
  switch (step.kind) {
    case StepKind::call:
      return call(step, rows);
    case StepKind::conjunction:
    case StepKind::disjunction:
      return junction(step, rows);
    case StepKind::coalesce:
      return coalesce(step, rows);
    case StepKind::choice:
      return choice(step, rows);
  }
}

Vector Execution::read(Operand operand) const {
  switch (operand.kind) {
    case Operand::Kind::constant:
      return program_.constants[operand.index].view();
    case Operand::Kind::column:
      return columns_[operand.index];
    case Operand::Kind::result:
      break;
  }
  const Register& from = registers_[operand.index];
  return {.type = from.type,
          .constant = false,
          .data = from.values.data(),
          .valid = from.has_nulls ? reinterpret_cast<const std::uint8_t*>(from.validity.data()) : nullptr};
}

Register& Execution::prepare_target(const Step& step) {
  while (registers_.size() <= step.target) registers_.emplace_back();
  Register& target = registers_[step.target];
  target.type = step.type;
  target.has_nulls = false;
  target.values.reserve(rows_ * vector_value_bytes(step.type) + kSpareBytes);
  target.validity.reserve(rows_ + kSpareBytes);
  return target;
}

void Execution::call(const Step& step, Rows rows) {
  Register& target = prepare_target(step);
  arguments_.clear();
  for (const Operand operand : step.operands) arguments_.push_back(read(operand));
  if (step.strict) join_validity(arguments_, rows, target);
  const Prepared* prepared = step.prepared == nullptr ? nullptr
                             : own_.empty()           ? step.prepared.get()
                                                      : own_[step.prepared_index].get();
  KernelCall kernel_call(arguments_, rows, target, *this, arena_, prepared);
  step.kernel(kernel_call);
}

Execution::Choice& Execution::choice_scratch(const Step& step) {
  while (choices_.size() <= step.lazy_depth) choices_.emplace_back();
  return choices_[step.lazy_depth];
}

void Execution::copy_rows(Register& target, const Vector& from, Rows rows) {
  SLUICE_CHECK(vector_value_bytes(target.type) == vector_value_bytes(from.type));
  std::byte* to = target.values.data();
  switch (physical(from.type)) {
    case Physical::int64:
      copy_values(reinterpret_cast<std::int64_t*>(to), from, rows);
      break;
    case Physical::float64:
      copy_values(reinterpret_cast<double*>(to), from, rows);
      break;
    case Physical::bits:
      copy_values(reinterpret_cast<std::uint8_t*>(to), from, rows);
      break;
    case Physical::bytes:
      copy_values(reinterpret_cast<std::string_view*>(to), from, rows);
      break;
  }
  if (from.valid == nullptr && !target.has_nulls) return;
  std::uint8_t* valid = target.start_validity(rows.total);
  rows.each([&](std::uint32_t row) { valid[row] = from.is_null(row) ? 0 : 1; });
}

void Execution::junction(const Step& step, Rows rows) {
  const std::uint8_t absorbing = step.kind == StepKind::conjunction ? 0 : 1;
  Register& target = prepare_target(step);
  Choice& scratch = choice_scratch(step);
  Rows open = rows;
  for (std::size_t i = 0; i < step.blocks.size(); ++i) {
    const Block& block = step.blocks[i];
    const auto* values = reinterpret_cast<const std::uint8_t*>(target.values.data());
    if (i > 0 && !block.cheap) {
      const auto* valid = reinterpret_cast<const std::uint8_t*>(target.validity.data());
      const bool has_nulls = target.has_nulls;
      open = narrowed(open, scratch.open, [&](std::uint32_t row) {
        return values[row] != absorbing || (has_nulls && valid[row] == 0);
      });
    }
    const Rows reached = block.cheap ? rows : open;
    if (reached.count == 0) continue;
    run(block, reached);
    if (i == 0) {
      copy_rows(target, read(block.result), reached);
    } else {
      join_truth(target, read(block.result), reached, absorbing);
    }
  }
}

void Execution::coalesce(const Step& step, Rows rows) {
  Register& target = prepare_target(step);
  Choice& scratch = choice_scratch(step);
  Rows open = rows;
  for (const Block& block : step.blocks) {
    run(block, open);
    const Vector values = read(block.result);
    copy_rows(target, values, open);
    if (values.valid == nullptr) return;
    open = narrowed(open, scratch.open, [&](std::uint32_t row) { return values.is_null(row); });
    if (open.count == 0) return;
  }
}

void Execution::choice(const Step& step, Rows rows) {
  Register& target = prepare_target(step);
  Choice& scratch = choice_scratch(step);
  Rows open = rows;
  std::size_t i = 0;
  for (; i + 1 < step.blocks.size() && open.count > 0; i += 2) {
    run(step.blocks[i], open);
    const Vector condition = read(step.blocks[i].result);
    const Rows taken =
        narrowed(open, scratch.taken, [&](std::uint32_t row) { return is_true(condition, row); });
    if (taken.count == 0) continue;
    // Before the branch runs, because its steps may reuse the condition's register; and not at all when every
    // row is taken: `taken` is then the very list that narrowing would overwrite.
    const bool all_taken = taken.count == open.count;
    if (!all_taken)
      open = narrowed(open, scratch.open, [&](std::uint32_t row) { return !is_true(condition, row); });
    run(step.blocks[i + 1], taken);
    copy_rows(target, read(step.blocks[i + 1].result), taken);
    if (all_taken) return;
  }
  if (open.count == 0) return;
  const Block& otherwise = step.blocks.back();
  run(otherwise, open);
  copy_rows(target, read(otherwise.result), open);
}

void Execution::fail(std::uint32_t row, ErrorCode code, std::string message) {
  if (faults_.empty()) failed_.assign(rows_, 0);
  if (failed_[row] != 0) return;
  failed_[row] = 1;
  faults_.push_back({row, code, std::move(message)});
}

const std::vector<RowError>& Execution::sorted_faults() {
  std::sort(faults_.begin(), faults_.end(),
            [](const RowError& a, const RowError& b) { return a.row < b.row; });
  return faults_;
}

}  // namespace sluice::expression
