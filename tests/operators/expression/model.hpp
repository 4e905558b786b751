#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/data/schema.hpp"

namespace sluice::test {

// The plain model of the expression language: one row at a time, one value at a time, no constants folded, no
// columns, no masks. It shares no code with the evaluator.

struct Value {
  bool null = true;
  std::int64_t integer = 0;  // int64 and timestamp
  double real = 0;
  bool truth = false;
  std::string text = {};
};

// Thrown by a model expression whose row fails.
struct RowFault {
  ErrorCode code;
};

// An expression as text, with what it should give for a row of model_schema().
struct ModelExpression {
  std::string text;
  std::function<Value(const std::vector<Value>& row)> value;
};

// Two columns of each type but json: i j (int64), f g (float64), b c (bool), s t (string), u v (timestamp).
const Schema& model_schema();

std::vector<Value> random_row(std::mt19937_64& random);
// Of the type, with at most `depth` levels.
ModelExpression random_expression(Type type, int depth, std::mt19937_64& random);

}  // namespace sluice::test
