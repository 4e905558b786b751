#pragma once

#include <memory>
#include <vector>

#include "operators/builtin/aggregate_plan.hpp"
#include "operators/builtin/window_assigner.hpp"
#include "operators/config/bad_records.hpp"
#include "runtime/operator.hpp"

namespace sluice {

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
