#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Passes the first of several records of a key that lie close together in event time.
OperatorType dedup_type();

}  // namespace sluice
