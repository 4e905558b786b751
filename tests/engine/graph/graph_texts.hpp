#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/load.hpp"

namespace sluice {

// A graph document from its operators ("id:type" or "id:type:parallelism") and edges ("a>b",
// "a.port>b.port").
std::string graph_text(const std::vector<std::string>& operators, const std::vector<std::string>& edges);

// Loads with the stand-in catalogue and an environment that is empty but for `NAME` = Zoë, `QUOTED` = a "b"
// \c, `COUNT` = 7 and `EMPTY`.
LoadedGraph load_text(std::string text, std::vector<std::string> overrides = {});

// "code pointer" of each diagnostic, e.g. "cycle /edges/3": what most tests compare.
std::vector<std::string> found(const LoadedGraph& loaded);

}  // namespace sluice
