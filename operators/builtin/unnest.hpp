#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Makes a record of each element of a JSON array, or of each member of a JSON object.
OperatorType unnest_type();

}  // namespace sluice
