#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "engine/graph/rules.hpp"
#include "operators/config/field_text.hpp"

namespace sluice {
namespace {

enum class End { from, to };

struct Reference {
  std::string_view id;
  std::optional<std::string_view> port;
};

Reference split(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, dot), text.substr(dot + 1)};
}

std::vector<std::string> names_of(const std::vector<PortSpec>& ports) {
  std::vector<std::string> names;
  for (const PortSpec& port : ports) names.push_back(port.name);
  return names;
}

std::string nearest_id(Draft& draft, std::string_view id) {
  if (draft.id_hints_left == 0) return "";
  --draft.id_hints_left;
  std::vector<std::string> ids;
  for (const OperatorNode& node : draft.graph.operators) ids.push_back(node.id);
  return did_you_mean(id, ids);
}

// One end of an edge while it is resolved.
class EndResolver {
 public:
  EndResolver(Draft& draft, Problems& problems, std::size_t edge, End end)
      : draft_(draft),
        problems_(problems),
        end_(end),
        written_(end == End::from ? draft.edges[edge].from : draft.edges[edge].to),
        pointer_(edge_pointer(edge) + (end == End::from ? "/from" : "/to")) {}

  // Fills both and returns true, or reports and returns false. An operator of unknown type ends it without a
  // word: it is reported already.
  bool resolve(std::size_t& operator_index, std::size_t& port_index) {
    if (written_.empty()) return false;
    const Reference reference = split(written_);
    const auto found = draft_.by_id.find(reference.id);
    if (found == draft_.by_id.end()) return unknown_operator(reference.id);
    operator_index = found->second;
    const OperatorNode& node = draft_.graph.operators[operator_index];
    if (node.type == nullptr) return false;
    const auto& ports = end_ == End::from ? node.outputs : node.type->inputs;
    if (ports.empty()) return no_ports(node);
    return reference.port ? named_port(node, ports, *reference.port, port_index)
                          : default_port(node, ports, port_index);
  }

 private:
  const char* direction() const { return end_ == End::from ? "output" : "input"; }

  bool report(ErrorCode code, std::string message, std::string hint) {
    problems_.push_back({pointer_, code, std::move(message), std::move(hint)});
    return false;
  }

  bool unknown_operator(std::string_view id) {
    return report(ErrorCode::unknown_operator,
                  fmt::format("there is no operator with the id {}", quote_value(id)),
                  nearest_id(draft_, id));
  }

  bool no_ports(const OperatorNode& node) {
    const bool source = end_ == End::to;
    return report(ErrorCode::unknown_port,
                  fmt::format("\"{}\" is a {} ({}) and has no {} port", node.id, source ? "source" : "sink",
                              node.type_name, direction()),
                  source ? "a source can only stand at \"from\"" : "a sink can only stand at \"to\"");
  }

  bool named_port(const OperatorNode& node, const std::vector<PortSpec>& ports, std::string_view name,
                  std::size_t& index) {
    const auto it =
        std::find_if(ports.begin(), ports.end(), [&](const PortSpec& port) { return port.name == name; });
    if (it != ports.end()) return index = static_cast<std::size_t>(it - ports.begin()), true;
    const std::vector<std::string> names = names_of(ports);
    std::string hint = did_you_mean(name, names);
    if (hint.empty()) hint = fmt::format("its {} ports: {}", direction(), one_of(names, "and"));
    return report(
        ErrorCode::unknown_port,
        fmt::format("\"{}\" ({}) has no {} port {}", node.id, node.type_name, direction(), quote_value(name)),
        std::move(hint));
  }

  // The port called out or in, or the only one.
  bool default_port(const OperatorNode& node, const std::vector<PortSpec>& ports, std::size_t& index) {
    const std::string_view name = end_ == End::from ? "out" : "in";
    const auto it =
        std::find_if(ports.begin(), ports.end(), [&](const PortSpec& port) { return port.name == name; });
    if (it != ports.end()) return index = static_cast<std::size_t>(it - ports.begin()), true;
    if (ports.size() == 1) return index = 0, true;
    const std::vector<std::string> names = names_of(ports);
    return report(ErrorCode::unknown_port,
                  fmt::format("\"{}\" ({}) has several {} ports, and the edge names none", node.id,
                              node.type_name, direction()),
                  fmt::format("write \"{}.{}\"; its {} ports: {}", node.id, names.front(), direction(),
                              one_of(names, "and")));
  }

  Draft& draft_;
  Problems& problems_;
  End end_;
  std::string_view written_;
  std::string pointer_;
};

}  // namespace

void resolve_edges(Draft& draft, Problems& problems) {
  draft.edges_in.resize(draft.graph.operators.size());
  draft.edges_out.resize(draft.graph.operators.size());
  for (std::size_t i = 0; i < draft.graph.edges.size(); ++i) {
    EdgeNode& edge = draft.graph.edges[i];
    const bool from = EndResolver(draft, problems, i, End::from).resolve(edge.from, edge.output_port);
    const bool to = EndResolver(draft, problems, i, End::to).resolve(edge.to, edge.input_port);
    draft.edges[i].resolved = from && to;
    if (!draft.edges[i].resolved) {
      draft.edges_complete = false;
      continue;
    }
    draft.edges_out[edge.from].push_back(i);
    draft.edges_in[edge.to].push_back(i);
  }
}

void check_duplicate_edges(const Draft& draft, Problems& problems) {
  std::set<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>> seen;
  for (std::size_t i = 0; i < draft.graph.edges.size(); ++i) {
    const EdgeNode& edge = draft.graph.edges[i];
    if (!draft.edges[i].resolved ||
        seen.emplace(edge.from, edge.output_port, edge.to, edge.input_port).second)
      continue;
    problems.push_back({edge_pointer(i), ErrorCode::duplicate_edge,
                        fmt::format("the edge from \"{}\" to \"{}\" is written twice",
                                    output_name(draft.graph, edge), input_name(draft.graph, edge)),
                        "remove one: every record would arrive twice"});
  }
}

void check_loss(const Draft& draft, Problems& problems) {
  for (std::size_t i = 0; i < draft.graph.edges.size(); ++i) {
    if (draft.graph.edges[i].loss.policy == LossPolicy::none) continue;
    problems.push_back({edge_pointer(i) + "/loss", ErrorCode::loss_unavailable,
                        "this version runs every edge lossless", "leave \"loss\" out, or say \"none\""});
  }
}

void check_credits(const Draft& draft, Problems& problems) {
  for (std::size_t i = 0; i < draft.graph.edges.size(); ++i) {
    const CreditOptions& credits = draft.graph.edges[i].credits;
    if (!credits.high || !credits.low || *credits.low < *credits.high) continue;
    problems.push_back(
        {edge_pointer(i) + "/credits/low", ErrorCode::out_of_range,
         fmt::format("the low watermark {} is not below the high watermark {}", *credits.low, *credits.high),
         "low says when an edge that slowed down at high opens again"});
  }
}

}  // namespace sluice
