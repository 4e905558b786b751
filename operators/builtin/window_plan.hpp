#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operators/builtin/aggregate.hpp"
#include "operators/builtin/window_assigner.hpp"
#include "operators/config/bad_records.hpp"
#include "operators/expression/expression.hpp"

namespace sluice {

// An expression that is evaluated for each batch, unless it is only a column.
struct ValueSource {
  std::optional<Expression> expression;
  std::size_t column = 0;  // if there is no expression
};

struct AggregatePlan {
  std::string name;
  AggregateFunction function = AggregateFunction::count;
  std::optional<ValueSource> value;  // none: count of records
  std::optional<Type> value_type;
  std::optional<Expression> where;
};

// A checked window_aggregate, shared by its tasks.
struct WindowPlan {
  Schema input;
  Schema output;
  std::vector<std::size_t> keys;  // columns of the input
  WindowAssigner window;
  std::vector<AggregatePlan> aggregates;
  OnError on_error = OnError::dead_letter;

  bool windowed() const { return window.kind != WindowKind::global; }
};

inline constexpr std::uint32_t kWindowOutPort = 0;
inline constexpr std::uint32_t kWindowLatePort = 1;
inline constexpr std::uint32_t kWindowErrorsPort = 2;

std::unique_ptr<Operator> make_window_aggregate(const WindowPlan& plan);

}  // namespace sluice
