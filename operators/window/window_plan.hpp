#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "operators/aggregate/aggregate_plan.hpp"
#include "operators/config/bad_records.hpp"
#include "operators/window/window_assigner.hpp"
#include "runtime/operator.hpp"

namespace sluice {

enum class WindowKind : std::uint8_t { tumbling, sliding, session, count, global };

// A checked window_aggregate, shared by its tasks.
struct WindowPlan {
  Schema input;
  Schema output;
  std::vector<std::size_t> keys;  // columns of the input
  std::vector<AggregatePlan> aggregates;
  OnError on_error = OnError::dead_letter;

  WindowKind kind = WindowKind::global;
  WindowAssigner assigner;  // tumbling, sliding
  std::int64_t allowed_lateness_us = 0;
  std::int64_t gap_us = 0;                    // session
  std::int64_t max_length_us = INT64_MAX;     // session
  std::uint64_t count = 0;                    // count: records a window
  std::optional<std::int64_t> emit_every_us;  // global

  // Results start with window_start and window_end.
  bool has_bounds() const { return kind != WindowKind::global; }
};

inline constexpr std::uint32_t kWindowOutPort = 0;
inline constexpr std::uint32_t kWindowLatePort = 1;
inline constexpr std::uint32_t kWindowErrorsPort = 2;

// One task's instance. The plan lives longer.
std::unique_ptr<Operator> make_time_windows(const WindowPlan& plan);  // tumbling and sliding
std::unique_ptr<Operator> make_session_windows(const WindowPlan& plan);
std::unique_ptr<Operator> make_count_windows(const WindowPlan& plan);
std::unique_ptr<Operator> make_global_window(const WindowPlan& plan);

}  // namespace sluice
