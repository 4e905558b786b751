#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Keeps a random share of the records, or of the keys.
OperatorType sample_type();

}  // namespace sluice
