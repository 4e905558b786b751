#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Sends each record to the port of the first condition that is true.
OperatorType route_type();

}  // namespace sluice
