#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/fuzz_input.hpp"

namespace sluice::fuzz {

// Reads the rest of the input as a file of a format. The first bytes choose one of `configs` (each a config
// with "format" and perhaps "schema", as JSON), the limit of a record and how the reads fall. Required:
//   - the same records, bad ones and errors come out however the reads fall;
//   - a record gives one row or a fault, whatever the bytes behind it are;
//   - a row has one value of the right kind in each column, and strings lie inside their column.
// Formats without a schema take their columns from the text.
void check_format(const std::vector<std::string>& configs, FuzzInput input);

}  // namespace sluice::fuzz
