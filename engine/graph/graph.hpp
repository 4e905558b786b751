#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/source_text.hpp"
#include "operators/config/catalogue.hpp"
#include "runtime/data/schema.hpp"

namespace sluice {

// A graph as its author wrote it, with names resolved to indexes. A plain value: load_graph() makes it and
// hands it out only after every check has passed, so that the planner may rely on: indexes are in range, the
// edges have no cycle, every operator is bound and reached by a source, every required input port has an
// edge, and all edges into one port carry the same schema.

enum class Profile : std::uint8_t { throughput, latency, balanced };
std::string_view profile_name(Profile profile);
std::optional<Profile> parse_profile(std::string_view name);

// The document's "runtime"; what is left out is the planner's to decide. Command-line options stand above it.
struct RuntimeOptions {
  std::optional<Profile> profile;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> state_memory_bytes;
  std::optional<std::uint32_t> threads;
};

inline constexpr std::uint32_t kMaxParallelism = 1024;
inline constexpr std::uint32_t kMaxThreads = 1024;
inline constexpr std::uint64_t kMinMemoryBytes = 1ULL << 20;
inline constexpr std::uint64_t kMaxMemoryBytes = 1ULL << 40;
inline constexpr std::uint64_t kMinStateBytes = 64ULL << 10;

struct Placement {
  std::map<std::string, std::string> labels;
  std::optional<std::size_t> with;  // index of the operator to stand beside
};

struct OperatorNode {
  std::string id;
  std::string type_name;
  std::uint32_t parallelism = 1;
  Json config = Json::object();
  Placement placement;
  const OperatorType* type = nullptr;          // in the catalogue, which outlives the graph
  std::vector<PortSpec> outputs;               // the type's, then those that the config names
  std::shared_ptr<const BoundOperator> bound;  // by validation
  std::vector<Schema> input_schemas;  // one an input port of `type`; empty for a port without an edge
};

struct Partition {
  enum class Kind : std::uint8_t { unset, forward, rebalance, broadcast, hash };
  Kind kind = Kind::unset;
  std::vector<std::string> keys;  // hash: visible columns of the sending port's schema
};

// What an edge's author allows under pressure (flow.md, section 5). This version runs `none` alone;
// validation refuses the others.
enum class LossPolicy : std::uint8_t { none, combine, sketch, sample, subset, drop };
struct LossDeclaration {
  LossPolicy policy = LossPolicy::none;
};

// Overrides of the profile for one edge; fractions are of the receiver's pool share (window) and of the
// window (marks).
struct CreditOptions {
  std::optional<Profile> profile;
  std::optional<double> window;             // 0 < window ≤ 0.9
  std::optional<double> high;               // 0 < high ≤ 1
  std::optional<double> low;                // 0 ≤ low < high, if both are given
  std::optional<std::uint32_t> min_blocks;  // 1 … 65,536
};

// `from` and `to` index Graph::operators; ports index the operator's outputs and its type's inputs.
struct EdgeNode {
  std::size_t from = 0;
  std::size_t output_port = 0;
  std::size_t to = 0;
  std::size_t input_port = 0;
  Partition partition;
  LossDeclaration loss;
  CreditOptions credits;
};

struct Graph {
  std::string name;
  std::string description;
  RuntimeOptions runtime;
  std::vector<std::string> plugins;
  std::vector<OperatorNode> operators;         // in the document's order: operator i is /operators/i
  std::vector<EdgeNode> edges;                 // edge i is /edges/i
  std::vector<std::size_t> topological_order;  // of operators: every edge goes forward in it
  std::string base_directory;                  // relative paths start here
  // For problems that are found later, e.g. by the planner at "/runtime/memory".
  std::shared_ptr<const SourceText> source;
};

// "counts.late" or, for the port called out or in, "counts": as a user would write the end of an edge.
std::string output_name(const Graph& graph, const EdgeNode& edge);
std::string input_name(const Graph& graph, const EdgeNode& edge);

}  // namespace sluice
