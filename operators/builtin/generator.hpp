#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Makes rows: a source for trials and measurements.
OperatorType generator_type();

}  // namespace sluice
