#include "engine/cli/run_summary.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "runtime/base/units.hpp"

namespace sluice {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// 1,234,567: every record of an account, not a rounded number for the eye.
std::string exact_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

}  // namespace

RunTotals read_totals(const Graph& graph, const Worker& worker) {
  RunTotals totals;
  totals.operators.resize(graph.operators.size());
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    totals.operators[i].id = graph.operators[i].id;
    totals.operators[i].kind = graph.operators[i].type->kind;
  }
  for (std::size_t t = 0; t < worker.tasks().size(); ++t) {
    const auto& stages = worker.tasks()[t]->chain().stages();
    for (std::size_t s = 0; s < stages.size(); ++s) {
      OperatorTotals& op = totals.operators[worker.plan().tasks[t].stages[s].operator_id.value];
      const OperatorCounters& counters = *stages[s].counters;
      op.in += counters.records_in.read_relaxed();
      op.out += counters.records_out.read_relaxed();
      op.late += counters.late.read_relaxed();
      op.state_bytes_peak = std::max(op.state_bytes_peak, counters.state_bytes.peak_relaxed());
      for (std::size_t c = 0; c < kErrorCodeCount; ++c) {
        const std::uint64_t n = counters.bad[c].read_relaxed();
        if (n > 0) op.bad[std::string(error_name(static_cast<ErrorCode>(c)))] += n;
        totals.bad += n;
      }
    }
  }
  for (const OperatorTotals& op : totals.operators) {
    totals.late += op.late;
    if (op.kind == OperatorKind::source) totals.read += op.out;
    if (op.kind == OperatorKind::sink) totals.written += op.in;
  }
  for (const EdgePlan& edge : worker.plan().edges) totals.edges.push_back({edge.name});
  for (std::uint32_t c = 0; c < worker.plan().channels.size(); ++c) {
    const ChannelCounters& n = worker.channel_counters(ChannelId(c));
    EdgeTotals& edge = totals.edges[worker.plan().channels[c].edge.value];
    edge.records_in += n.sender.records.read_relaxed();
    edge.records_out += n.receiver.records.read_relaxed();
    edge.blocks += n.sender.blocks.read_relaxed();
    edge.starved += n.sender.starved.read_relaxed();
    edge.throttled_ns += n.receiver.throttled_ns.read_relaxed();
  }
  return totals;
}

// The task that has waited longest for credit names the edge; of its edges, the one that ran dry most often.
std::string slowest_edge(const Graph& graph, const Worker& worker) {
  const Task* slowest = nullptr;
  std::uint64_t longest_ns = 0;
  for (const auto& task : worker.tasks()) {
    const std::uint64_t blocked_ns = task->counters().blocked_ns.read_relaxed();
    if (blocked_ns > longest_ns) {
      longest_ns = blocked_ns;
      slowest = task.get();
    }
  }
  if (slowest == nullptr) return "";
  const TaskCounters& n = slowest->counters();
  const double part = share(longest_ns, n.busy_ns.read_relaxed() + n.idle_ns.read_relaxed() + longest_ns);
  if (part < 0.1) return "";
  const RunTotals totals = read_totals(graph, worker);
  const EdgeTotals* edge = nullptr;
  for (std::size_t e = 0; e < slowest->edges().size(); ++e) {
    if (slowest->edges()[e] && (edge == nullptr || totals.edges[e].starved > edge->starved))
      edge = &totals.edges[e];
  }
  if (edge == nullptr) return "";
  return fmt::format("slowest edge {}: out of credit {:.0f} % of the time", edge->name, 100 * part);
}

std::string summary_text(const RunTotals& totals, double seconds, std::uint64_t peak_bytes, bool complete) {
  const double rate = seconds > 0 ? static_cast<double>(totals.read) / seconds : 0;
  const std::string reached =
      exact_count(totals.written) + (complete ? " written" : " reached a sink (not complete)");
  std::string text =
      fmt::format("{} records read, {}, {} bad, {} late{}; {:.3f} s ({} records/s), peak memory {}\n",
                  exact_count(totals.read), reached, exact_count(totals.bad), exact_count(totals.late),
                  complete ? ", 0 lost" : "", seconds, format_count(static_cast<std::uint64_t>(rate)),
                  format_bytes(peak_bytes));
  for (const OperatorTotals& op : totals.operators) {
    if (op.late > 0) text += fmt::format("  {}: {} late\n", op.id, exact_count(op.late));
    for (const auto& [reason, n] : op.bad)
      text += fmt::format("  {}: {} bad, {}\n", op.id, exact_count(n), reason);
  }
  return text;
}

std::string summary_json(const Graph& graph, const RunTotals& totals, double seconds,
                         std::uint64_t peak_bytes, const std::string& outcome) {
  nlohmann::ordered_json json;
  json["graph"] = graph.name;
  json["outcome"] = outcome;
  json["records"] = {{"read", totals.read},
                     {"written", totals.written},
                     {"bad", totals.bad},
                     {"late", totals.late},
                     {"lost", 0}};
  json["seconds"] = seconds;
  json["peak_memory_bytes"] = peak_bytes;
  json["operators"] = nlohmann::ordered_json::array();
  for (const OperatorTotals& op : totals.operators) {
    json["operators"].push_back({{"id", op.id},
                                 {"in", op.in},
                                 {"out", op.out},
                                 {"late", op.late},
                                 {"bad", op.bad},
                                 {"state_bytes_peak", op.state_bytes_peak}});
  }
  json["edges"] = nlohmann::ordered_json::array();
  for (const EdgeTotals& edge : totals.edges) {
    json["edges"].push_back({{"name", edge.name},
                             {"records_in", edge.records_in},
                             {"records_out", edge.records_out},
                             {"blocks", edge.blocks},
                             {"starved", edge.starved},
                             {"throttled_seconds", static_cast<double>(edge.throttled_ns) / kNsPerSecond}});
  }
  return json.dump(2);
}

std::uint64_t peak_memory_bytes() {
  // Not getrusage(): its peak is inherited through exec, so a large parent's would be shown as ours.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> status(std::fopen("/proc/self/status", "re"),
                                                               std::fclose);
  char line[256];
  while (status && std::fgets(line, sizeof line, status.get()) != nullptr) {
    unsigned long long kib = 0;
    if (std::sscanf(line, "VmHWM: %llu kB", &kib) == 1) return kib * 1024;
  }
  return 0;
}

}  // namespace sluice
