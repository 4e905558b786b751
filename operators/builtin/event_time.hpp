#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Says which column is a record's time, and how far out of order records may come.
OperatorType event_time_type();

}  // namespace sluice
