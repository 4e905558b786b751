#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Computes columns from columns.
OperatorType map_type();

}  // namespace sluice
