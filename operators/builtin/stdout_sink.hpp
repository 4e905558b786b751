#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Writes rows to standard output. See README.md of this folder and of operators/format.
OperatorType stdout_sink_type();

}  // namespace sluice
