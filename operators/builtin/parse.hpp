#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Reads the records that lie in a string column. See README.md of this folder and of operators/format.
OperatorType parse_operator_type();

}  // namespace sluice
