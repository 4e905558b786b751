#include "engine/plan/plan_text.hpp"

#include <fmt/format.h>

#include "runtime/base/units.hpp"

namespace sluice {
namespace {

std::string tier_name(const JobPlan& plan, std::uint8_t tier) {
  return format_bytes(plan.node.tiers[tier].block_bytes);
}

std::string edge_text(const Graph& graph, std::size_t i) {
  return fmt::format("{} → {}", output_name(graph, graph.edges[i]), input_name(graph, graph.edges[i]));
}

std::string transport(const PlannedEdge& edge) { return edge.call ? "call" : "ring"; }

// "153 of 16 KiB + 2 of 256 KiB + 1 of 2 MiB".
std::string windows(const JobPlan& plan, const PlannedEdge& edge) {
  std::string text;
  for (const LanePlan& lane : edge.lanes) {
    if (!text.empty()) text += " + ";
    text += fmt::format("{} of {}", lane.window_blocks(), tier_name(plan, lane.tier));
  }
  return text;
}

// A name inside quotes, for dot and mermaid.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string node_label(const Graph& graph, const JobPlan& plan, std::size_t i) {
  const std::uint32_t tasks = plan.operators[i].parallelism;
  return fmt::format("{} ({}{})", graph.operators[i].id, graph.operators[i].type_name,
                     tasks > 1 ? fmt::format(" × {}", tasks) : "");
}

}  // namespace

std::string plan_table(const Graph& graph, const JobPlan& plan) {
  std::string out =
      fmt::format("graph {}: {} tasks on {} threads, profile {}\n\n", graph.name, plan.node.tasks.size(),
                  plan.node.threads, profile_name(plan.options.profile));
  out += fmt::format("{:<24} {:<18} {:>5} {:>5}  {}\n", "operator", "type", "chain", "tasks", "note");
  for (const std::size_t i : graph.topological_order) {
    const PlannedOperator& op = plan.operators[i];
    const std::string note =
        op.parallelism_note.empty()
            ? ""
            : fmt::format("{} asked for: {}", graph.operators[i].parallelism, op.parallelism_note);
    out += fmt::format("{:<24} {:<18} {:>5} {:>5}  {}\n", graph.operators[i].id, graph.operators[i].type_name,
                       op.chain, op.parallelism, note);
  }
  out += fmt::format("\n{:<32} {:<5} {:<10} {:>8} {:>5} {:>5}  {}\n", "edge", "by", "partition", "channels",
                     "high", "low", "window a channel, and why");
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const PlannedEdge& edge = plan.edges[i];
    if (edge.call) {
      out += fmt::format("{:<32} {:<5} {:<10} {:>8} {:>5} {:>5}  {}\n", edge_text(graph, i), "call",
                         "forward", "", "", "", edge.reason);
      continue;
    }
    out += fmt::format("{:<32} {:<5} {:<10} {:>8} {:>5} {:>5}  {}; {}\n", edge_text(graph, i), "ring",
                       partition_name(edge.partition), edge.channels, edge.marks.high_blocks,
                       edge.marks.low_blocks, windows(plan, edge), edge.reason);
  }
  out += fmt::format("\nloss: none on every edge. Memory: {} of {}\n", format_bytes(plan.node.budget.bytes()),
                     format_bytes(plan.options.memory_bytes));
  for (const Budget::Line& line : plan.node.budget.lines()) {
    out += fmt::format("  {:>10}  {} × {}  {}\n", format_bytes(line.bytes()), line.blocks,
                       format_bytes(line.block_bytes), line.holder);
  }
  return out;
}

nlohmann::ordered_json plan_json(const Graph& graph, const JobPlan& plan) {
  nlohmann::ordered_json out;
  out["graph"] = graph.name;
  out["profile"] = profile_name(plan.options.profile);
  out["threads"] = plan.node.threads;
  out["operators"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const PlannedOperator& op = plan.operators[i];
    out["operators"].push_back({{"id", graph.operators[i].id},
                                {"type", graph.operators[i].type_name},
                                {"chain", op.chain},
                                {"tasks", op.parallelism},
                                {"note", op.parallelism_note}});
  }
  out["edges"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const PlannedEdge& edge = plan.edges[i];
    nlohmann::ordered_json lanes = nlohmann::ordered_json::array();
    for (const LanePlan& lane : edge.lanes) {
      lanes.push_back({{"block_bytes", plan.node.tiers[lane.tier].block_bytes},
                       {"reserved_blocks", lane.reserved_blocks},
                       {"floating_blocks", lane.floating_blocks}});
    }
    out["edges"].push_back({{"from", output_name(graph, graph.edges[i])},
                            {"to", input_name(graph, graph.edges[i])},
                            {"transport", transport(edge)},
                            {"reason", edge.reason},
                            {"partition", partition_name(edge.partition)},
                            {"channels", edge.channels},
                            {"lanes", std::move(lanes)},
                            {"high_watermark_blocks", edge.marks.high_blocks},
                            {"low_watermark_blocks", edge.marks.low_blocks},
                            {"loss", "none"}});
  }
  out["memory"] = {{"bytes", plan.node.budget.bytes()}, {"limit_bytes", plan.options.memory_bytes}};
  out["memory"]["holders"] = nlohmann::ordered_json::array();
  for (const Budget::Line& line : plan.node.budget.lines()) {
    out["memory"]["holders"].push_back(
        {{"holder", line.holder}, {"blocks", line.blocks}, {"block_bytes", line.block_bytes}});
  }
  return out;
}

std::string plan_dot(const Graph& graph, const JobPlan& plan) {
  std::string out = fmt::format("digraph {} {{\n  rankdir=LR;\n  node [shape=box];\n", in_quotes(graph.name));
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    out += fmt::format("  {} [label={}];\n", in_quotes(graph.operators[i].id),
                       in_quotes(node_label(graph, plan, i)));
  }
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const PlannedEdge& edge = plan.edges[i];
    const std::string label =
        edge.call ? "call" : fmt::format("{} {}×", partition_name(edge.partition), edge.channels);
    out += fmt::format("  {} -> {} [label={}{}];\n", in_quotes(graph.operators[graph.edges[i].from].id),
                       in_quotes(graph.operators[graph.edges[i].to].id), in_quotes(label),
                       edge.call ? ", style=dashed" : "");
  }
  return out + "}\n";
}

std::string plan_mermaid(const Graph& graph, const JobPlan& plan) {
  std::string out = "flowchart LR\n";
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    out += fmt::format("  n{}[{}]\n", i, in_quotes(node_label(graph, plan, i)));
  }
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const PlannedEdge& edge = plan.edges[i];
    if (edge.call) {
      out += fmt::format("  n{} -. call .-> n{}\n", graph.edges[i].from, graph.edges[i].to);
    } else {
      out += fmt::format("  n{} -- \"{} {}×\" --> n{}\n", graph.edges[i].from, partition_name(edge.partition),
                         edge.channels, graph.edges[i].to);
    }
  }
  return out;
}

}  // namespace sluice
