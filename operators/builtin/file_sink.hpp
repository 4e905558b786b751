#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Writes rows to a file. See README.md of this folder and of operators/format.
OperatorType file_sink_type();

}  // namespace sluice
