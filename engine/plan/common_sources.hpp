#pragma once

#include <cstdint>
#include <vector>

#include "engine/graph/graph.hpp"

namespace sluice {

// For each edge a number, equal among edges into the same operator if their records may come from a common
// source, however long the way; counted from 0 for each operator.
std::vector<std::uint32_t> group_by_common_sources(const Graph& graph);

}  // namespace sluice
