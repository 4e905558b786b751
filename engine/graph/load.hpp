#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.hpp"
#include "engine/graph/report.hpp"
#include "operators/config/catalogue.hpp"

namespace sluice {

inline constexpr std::size_t kMaxDocumentBytes = 16 << 20;
inline constexpr std::size_t kMaxDocumentDepth = 64;

// Looks an environment variable up; nullopt if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

struct LoadOptions {
  Environment environment = process_environment();
  // "/json/pointer=value", as given to --set: applied after parsing, in order (see overrides.hpp).
  std::vector<std::string> overrides;
  // Every operator's, whatever the document says: as given to --parallelism.
  std::optional<std::uint32_t> parallelism;
};

// A graph that passed every check, or the report of all that is wrong. Exactly one of the two says something.
struct LoadedGraph {
  std::optional<Graph> graph;
  Report report;
};

// Reads, parses, checks and binds. `path` "-" is standard input, whose relative paths start in the working
// directory. The catalogue must outlive the graph. Never throws; whatever is in the file ends in the report.
LoadedGraph load_graph(const std::string& path, const Catalogue& catalogue, const LoadOptions& options = {});

// The same for a text that has been read already.
LoadedGraph load_graph_text(std::string text, std::string file_name, std::string base_directory,
                            const Catalogue& catalogue, const LoadOptions& options = {});

}  // namespace sluice
