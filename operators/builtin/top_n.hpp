#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// The n first records by an order, in all or per group.
OperatorType top_n_type();

}  // namespace sluice
