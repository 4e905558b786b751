#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/graph/graph.hpp"
#include "runtime/worker/worker.hpp"

namespace sluice {

// What the counters of a run come to, per operator and in all; read at any time, exact once the run has
// ended.
struct OperatorTotals {
  std::string id;
  OperatorKind kind = OperatorKind::transform;
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t late = 0;
  std::uint64_t state_bytes_peak = 0;        // of its tasks, the one that held most
  std::map<std::string, std::uint64_t> bad;  // by reason
};

struct EdgeTotals {
  std::string name;
  std::uint64_t records_in = 0;
  std::uint64_t records_out = 0;
  std::uint64_t blocks = 0;
  std::uint64_t starved = 0;       // times that a sender had no credit
  std::uint64_t throttled_ns = 0;  // of all its channels together
};

struct RunTotals {
  std::uint64_t read = 0;     // records that the sources gave
  std::uint64_t written = 0;  // records that the sinks took
  std::uint64_t bad = 0;
  std::uint64_t late = 0;
  std::vector<OperatorTotals> operators;  // as in the graph
  std::vector<EdgeTotals> edges;          // as in the node plan
};

RunTotals read_totals(const Graph& graph, const Worker& worker);

// "throttle is the bottleneck: edge source → throttle is out of credit 97 % of the time", or "" while nothing
// holds anything up.
std::string slowest_edge(const Graph& graph, const Worker& worker);

// The summary at the end of a run, several lines; and the same as one JSON object.
// `complete`: the job was neither failed nor cancelled, so that what reached a sink is written and nothing is
// lost; else the text claims neither.
std::string summary_text(const RunTotals& totals, double seconds, std::uint64_t peak_memory_bytes,
                         bool complete);
std::string summary_json(const Graph& graph, const RunTotals& totals, double seconds,
                         std::uint64_t peak_memory_bytes, const std::string& outcome);

std::uint64_t peak_memory_bytes();

}  // namespace sluice
