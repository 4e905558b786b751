#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Takes records and forgets them: the end of a measurement.
OperatorType null_sink_type();

}  // namespace sluice
