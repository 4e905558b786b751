#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "operators/expression/kernel_call.hpp"

namespace sluice::expression {

// A compiled expression: steps in the order of evaluation over numbered registers, immutable, shared by all
// tasks. Eager nodes are one call each; the lazy ones hold blocks, which run only for the rows that reach
// them.

struct Operand {
  enum class Kind : std::uint8_t { constant, column, result };
  Kind kind = Kind::constant;
  std::uint32_t index = 0;  // of a constant, of a used column, or of a register
};

struct Step;

// Steps that compute one operand for the same rows.
struct Block {
  std::vector<Step> steps;
  Operand result;
  bool cheap = false;  // cannot fail and costs less than choosing rows for it
};

enum class StepKind : std::uint8_t {
  call,         // kernel over operands
  conjunction,  // and of the blocks: block i + 1 sees the rows that are not yet false
  disjunction,  // or of the blocks: block i + 1 sees the rows that are not yet true
  coalesce,     // block i + 1 sees the rows that are still null
  choice,       // blocks: condition, result, condition, result, …, else (always there)
};

struct Step {
  StepKind kind = StepKind::call;
  bool strict = true;  // a call: null in, null out
  Type type = Type::int64;
  std::uint32_t target = 0;
  std::uint32_t lazy_depth = 0;  // of a lazy step: how many lazy steps enclose it
  Kernel kernel = nullptr;
  std::vector<Operand> operands;
  PreparedPtr prepared;
  std::uint32_t prepared_index = 0;  // into Program::prepared, if there is `prepared`
  std::vector<Block> blocks;
};

struct Constant {
  Type type = Type::int64;
  std::uint8_t valid = 1;
  std::uint8_t boolean = 0;
  std::int64_t integer = 0;
  double real = 0;
  std::string bytes;
  std::string_view text;  // of bytes

  Vector view() const;
};

struct Program {
  std::deque<Constant> constants;      // vectors point into them
  std::vector<std::uint32_t> columns;  // indexes into the batch of the columns in use
  std::vector<Type> column_types;
  std::vector<PreparedPtr> prepared;
  std::uint32_t registers = 0;
  std::uint32_t lazy_depth = 0;  // deepest nesting of lazy steps
  Block body;
  Type type = Type::int64;
};

}  // namespace sluice::expression
