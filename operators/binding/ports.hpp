#pragma once

#include <cstdint>

namespace sluice {

// The output ports of an operator that passes records on, in the order of its catalogue row.
inline constexpr std::uint32_t kOutPort = 0;
inline constexpr std::uint32_t kErrorsPort = 1;

}  // namespace sluice
