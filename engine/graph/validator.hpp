#pragma once

#include "engine/graph/draft.hpp"
#include "operators/config/catalogue.hpp"
#include "operators/config/problem.hpp"

namespace sluice {

// Applies every rule of rules.hpp to a parsed draft and binds its operators. Afterwards draft.graph is sound
// if `problems` stayed empty.
void check_graph(Draft& draft, const Catalogue& catalogue, Problems& problems);

}  // namespace sluice
