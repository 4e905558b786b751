#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Groups records by key and window and aggregates them.
OperatorType window_aggregate_type();

}  // namespace sluice
