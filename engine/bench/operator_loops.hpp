#pragma once

#include <cstdint>

#include "engine/bench/operator_input.hpp"

namespace sluice {

// What a programmer would write by hand for one query over arrays, without types, nulls, checks, batches from
// elsewhere or late records: the yardstick beside the operators. Each returns a number that depends on all
// results, so that nothing is optimised away.

// v > 499: the rows that stay, all five columns copied.
std::uint64_t loop_filter(const OperatorInput& input);
// v * 3 + 7 and f * 1.5.
std::uint64_t loop_map(const OperatorInput& input);
// Count by key in tumbling windows.
std::uint64_t loop_tumbling(const OperatorInput& input, std::int64_t size_us);
// Count by key in sliding windows: a table a slice, merged at each slide. `size` is a multiple of `slide`.
std::uint64_t loop_sliding(const OperatorInput& input, std::int64_t size_us, std::int64_t slide_us);
// Pairs of equal keys no further than `within` apart, both sides' columns copied.
std::uint64_t loop_join(const OperatorInput& left, const OperatorInput& right, std::int64_t within_us);

}  // namespace sluice
