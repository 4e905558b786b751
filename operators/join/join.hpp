#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

OperatorType join_type();

}  // namespace sluice
