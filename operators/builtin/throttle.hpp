#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Passes records on at a limited rate: a slow consumer for trials.
OperatorType throttle_type();

}  // namespace sluice
