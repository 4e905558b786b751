#include "engine/graph/graph.hpp"

#include <array>

namespace sluice {
namespace {

constexpr std::array<std::string_view, 3> kProfileNames = {"throughput", "latency", "balanced"};

std::string end_name(const std::string& id, const std::string& port, std::string_view default_port) {
  return port == default_port ? id : id + "." + port;
}

}  // namespace

std::string_view profile_name(Profile profile) { return kProfileNames[static_cast<std::size_t>(profile)]; }

std::optional<Profile> parse_profile(std::string_view name) {
  for (std::size_t i = 0; i < kProfileNames.size(); ++i) {
    if (kProfileNames[i] == name) return static_cast<Profile>(i);
  }
  return std::nullopt;
}

std::string output_name(const Graph& graph, const EdgeNode& edge) {
  const OperatorNode& node = graph.operators[edge.from];
  return end_name(node.id, node.outputs[edge.output_port].name, "out");
}

std::string input_name(const Graph& graph, const EdgeNode& edge) {
  const OperatorNode& node = graph.operators[edge.to];
  return end_name(node.id, node.type->inputs[edge.input_port].name, "in");
}

}  // namespace sluice
