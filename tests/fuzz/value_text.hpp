#pragma once

#include <string>

#include "runtime/data/column.hpp"

namespace sluice::fuzz {

// A value so that equal texts are equal values: strings in quotes, floats to the last digit, NaN as one.
std::string value_text(const Column& column, std::size_t row);

}  // namespace sluice::fuzz
