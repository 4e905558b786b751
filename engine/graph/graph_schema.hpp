#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// The JSON Schema (2020-12) of a whole graph document, with the config of every operator type of the
// catalogue: what graphs/schema/graph.schema.json holds, so that editors complete and check a graph while it
// is written.
Json graph_schema(const Catalogue& catalogue);

}  // namespace sluice
