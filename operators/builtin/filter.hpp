#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Keeps the records for which a condition is true.
OperatorType filter_type();

}  // namespace sluice
