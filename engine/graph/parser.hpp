#pragma once

#include "engine/graph/draft.hpp"
#include "operators/config/catalogue.hpp"
#include "operators/config/problem.hpp"

namespace sluice {

// Turns a document into a draft: checks fields, JSON types, units and ranges of everything but the operators'
// configs, and keeps what is right. Never fails: what could not be read is in `problems` and marked in the
// draft.
Draft parse_graph(const Json& document, Problems& problems);

}  // namespace sluice
