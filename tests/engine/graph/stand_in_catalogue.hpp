#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// A small catalogue with one operator for each thing that a rule looks at, so that tests of rules depend on
// no built-in operator:
//   numbers (source, out)           fields: columns (a list of columns, int64, default n), count
//   texts   (source, out)           one column n, string
//   keep    (in → out, errors)      field: where (its first word must be a column)
//   idle    (in, not required → out)
//   group   (in → out), keyed by    field: keys
//   single  (in → out)              runs in one task at most
//   pair    (left, right → out)
//   split   (in → yes, no)
//   sink    (in)
const Catalogue& stand_in_catalogue();

}  // namespace sluice
