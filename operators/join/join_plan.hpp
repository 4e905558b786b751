#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "operators/config/bad_records.hpp"
#include "runtime/data/schema.hpp"
#include "runtime/operator.hpp"

namespace sluice {

enum class JoinKind : std::uint8_t { inner, left };

// The sides of a join are its input ports.
inline constexpr std::uint32_t kLeft = 0;
inline constexpr std::uint32_t kRight = 1;
inline constexpr std::array kSides = {kLeft, kRight};

inline constexpr std::uint32_t kJoinOutPort = 0;
inline constexpr std::uint32_t kLateLeftPort = 1;
inline constexpr std::uint32_t kLateRightPort = 2;
inline constexpr std::uint32_t kJoinErrorsPort = 3;

// A checked join of any type, shared by its tasks.
//
// Two rows have the same key if all pairs of columns are equal: nulls are equal to nothing, not even to null
// (as in SQL); -0.0 is 0.0, every NaN the same, and json compares as text (as grouping has it).
struct JoinPlan {
  std::array<Schema, 2> inputs;                  // by side
  std::array<std::vector<std::size_t>, 2> keys;  // by side: visible columns, as many, of the same types
  // The visible columns of left, then those of right; if one of them has event time, the hidden two.
  Schema output;
  JoinKind kind = JoinKind::inner;
  OnError on_error = OnError::dead_letter;
  // interval: right time − left time, both included; lowest ≤ highest.
  std::int64_t lowest_us = 0;
  std::int64_t highest_us = 0;
  bool all_matches = false;        // lookup: all rows of a key, not only the first
  bool watermark_of_left = false;  // lookup: a joined row carries its left row's event-time watermark

  bool left_kind() const { return kind == JoinKind::left; }
};

}  // namespace sluice
