#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Reads files, or standard input, record by record. See README.md of this folder and of operators/format.
OperatorType file_source_type();

}  // namespace sluice
