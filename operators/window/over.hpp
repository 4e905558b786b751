#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Gives each record aggregates over the records of its key in the time before it.
OperatorType over_type();

}  // namespace sluice
