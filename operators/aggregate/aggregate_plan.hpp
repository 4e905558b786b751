#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "operators/aggregate/aggregate.hpp"
#include "operators/expression/expression.hpp"

namespace sluice {

// An expression that is evaluated for each batch, unless it is only a column.
struct ValueSource {
  std::optional<Expression> expression;
  std::size_t column = 0;  // if there is no expression
};

// A checked entry of a list `aggregates`.
struct AggregatePlan {
  std::string name;  // of the result's column
  AggregateSpec spec;
  std::optional<ValueSource> value;  // none: count of records
  std::optional<Expression> where;
};

}  // namespace sluice
