#pragma once

#include <cstdint>
#include <span>

#include "runtime/data/column.hpp"
#include "runtime/data/schema.hpp"

namespace sluice {

// Rows seen column by column: what operators get and give. It owns nothing; who made it says how long it
// lives (a batch received over an edge: until its block is given back; one emitted by an operator: until that
// operator is called again).
struct Batch {
  const Schema* schema = nullptr;
  std::uint32_t rows = 0;
  std::span<const Column> columns;  // schema->size() of them

  const Column& column(std::size_t i) const { return columns[i]; }
};

// What an operator that produces rows on its own aims at: enough to pay for a call, few enough to stay in the
// cache.
inline constexpr std::uint32_t kTargetBatchRows = 1024;
inline constexpr std::size_t kTargetBatchBytes = 256 * 1024;

}  // namespace sluice
