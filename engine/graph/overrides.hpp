#pragma once

#include <string>
#include <string_view>

#include "operators/config/catalogue.hpp"
#include "operators/config/problem.hpp"

namespace sluice {

// Applies one "/json/pointer=value" to a document. The value is JSON if it reads as JSON, else a string. The
// pointer's last step may name a field that its object does not have yet (checked later like any other);
// everything before it must exist. In "operators" a step may be an operator's id instead of its number:
// /operators/log/config/path. On success returns the pointer with numbers for ids; on failure adds a problem
// with the code usage and returns "".
std::string apply_override(Json& document, std::string_view assignment, Problems& problems);

}  // namespace sluice
