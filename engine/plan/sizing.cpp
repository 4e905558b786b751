#include "engine/plan/sizing.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/plan/profile_values.hpp"
#include "runtime/base/units.hpp"
#include "runtime/data/block_batch.hpp"

namespace sluice {
namespace {

// An in-process hop needs buffering for the time of a scheduling delay, not for all of the memory: more would
// only leave the caches. The window is a fraction of this share, or of less where the memory is small.
constexpr std::size_t kFastShareBytes = 4 << 20;
constexpr std::size_t kBulkShareBytes = 1 << 20;
constexpr std::uint64_t kFastMinBlocks = 2;    // one to fill while the other is read
constexpr std::uint64_t kFastTightBlocks = 1;  // where the memory does not allow two
// A record that nobody gave a limit for (computed strings): what every edge can carry at least.
constexpr std::size_t kLeastRecordBytes = 1 << 20;
// Headers and alignment beside the largest record in its block.
constexpr std::size_t kRecordSlackBytes = 64 << 10;
// The part of the pool that is never granted as data credit.
constexpr double kReserve = 0.1;
// A thread's free list of the fast tier: the shared one is locked once for half of this many blocks. No more
// than a quarter on top of what the edges hold, and none at all where that is little.
constexpr std::size_t kMaxCacheBlocks = 64;
constexpr std::size_t kMinCacheBlocks = 8;

// How the tiers of this plan are numbered: fast, bulk, and one for the largest records if bulk cannot hold
// them.
struct Tiers {
  std::vector<std::size_t> block_bytes;
  std::size_t record_limit_bytes = 0;
};

Tiers choose_tiers(const Graph& graph, const ProfileValues& profile) {
  std::size_t record = kLeastRecordBytes;
  for (const OperatorNode& op : graph.operators)
    record = std::max(record, op.bound->traits().max_record_bytes);
  Tiers tiers;
  tiers.block_bytes = {profile.fast_block_bytes, profile.bulk_block_bytes};
  // Whatever the profile: the limit must not depend on it, or the result would.
  const std::size_t largest = std::bit_ceil(record + kRecordSlackBytes);
  if (largest > profile.bulk_block_bytes) tiers.block_bytes.push_back(largest);
  tiers.record_limit_bytes = tiers.block_bytes.back() - kRecordSlackBytes;
  return tiers;
}

ProfileValues edge_values(const EdgeNode& edge, Profile profile) {
  ProfileValues values = profile_values(edge.credits.profile.value_or(profile));
  values.window = edge.credits.window.value_or(values.window);
  values.high = edge.credits.high.value_or(values.high);
  values.low = edge.credits.low.value_or(std::min(values.low, values.high));
  return values;
}

LanePlan make_lane(std::size_t tier, std::uint64_t window, std::uint64_t reserved) {
  reserved = std::min(reserved, window);
  return {static_cast<std::uint8_t>(tier), reserved, window - reserved};
}

Watermarks make_marks(const ProfileValues& values, std::uint64_t window) {
  const auto blocks = [&](double part) {
    return static_cast<std::uint64_t>(std::llround(part * static_cast<double>(window)));
  };
  Watermarks marks;
  marks.high_blocks = std::max<std::uint64_t>(1, blocks(values.high));
  marks.low_blocks = std::min(marks.high_blocks - 1, blocks(values.low));
  return marks;
}

// Fills every channel edge's lanes for a given share of the memory; `least`: as little as will work.
class Sizing {
 public:
  Sizing(const Graph& graph, const JobPlan& plan, const Tiers& tiers)
      : graph_(graph), plan_(plan), tiers_(tiers) {}

  bool size_edges(std::vector<PlannedEdge>& edges, std::size_t fast_share_bytes, bool least,
                  Problems& problems) const {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (!edges[i].call && !size_edge(i, edges[i], fast_share_bytes, least, problems)) return false;
    }
    return true;
  }

 private:
  bool size_edge(std::size_t i, PlannedEdge& planned, std::size_t share_bytes, bool least,
                 Problems& problems) const {
    const EdgeNode& edge = graph_.edges[i];
    const Schema& schema = graph_.operators[edge.from].bound->output_schemas()[edge.output_port];
    const std::size_t row_bytes = BlockWriter::least_block_bytes(schema);
    // The fast tier, unless its blocks are too small for more than a few of these rows.
    std::size_t tier = 0;
    while (tier + 1 < tiers_.block_bytes.size() && tiers_.block_bytes[tier] < 2 * row_bytes) ++tier;
    if (tiers_.block_bytes[tier] < row_bytes) {
      problems.push_back({fmt::format("/edges/{}", i), ErrorCode::memory_too_small,
                          fmt::format("a row of {} columns does not fit into the largest block of {}",
                                      schema.size(), format_bytes(tiers_.block_bytes[tier])),
                          "keep fewer columns (map with keep: false)"});
      return false;
    }
    const ProfileValues values = edge_values(edge, plan_.options.profile);
    const std::uint64_t min_blocks =
        edge.credits.min_blocks.value_or(least ? kFastTightBlocks : kFastMinBlocks);
    planned.lanes.clear();
    for (std::size_t t = tier; t < tiers_.block_bytes.size(); ++t) {
      const bool first = t == tier;
      const std::size_t share = first ? share_bytes : kBulkShareBytes;
      const auto wanted = static_cast<std::uint64_t>(static_cast<double>(share) * values.window /
                                                     static_cast<double>(tiers_.block_bytes[t]));
      const std::uint64_t floor = first ? min_blocks : 1;
      planned.lanes.push_back(make_lane(t, least ? floor : std::max(floor, wanted), floor));
      if (!schema.has_variable_width()) break;
    }
    planned.marks = make_marks(values, planned.lanes[0].window_blocks());
    return true;
  }

  const Graph& graph_;
  const JobPlan& plan_;
  const Tiers& tiers_;
};

std::string edge_label(const Graph& graph, const EdgeNode& edge) {
  return fmt::format("{} → {}", output_name(graph, edge), input_name(graph, edge));
}

// The named sum: every holder of blocks, a line each.
Budget make_budget(const Graph& graph, const JobPlan& plan, const Tiers& tiers,
                   std::vector<TierSize>& sizes) {
  Budget budget;
  sizes.assign(tiers.block_bytes.size(), {});
  for (std::size_t t = 0; t < sizes.size(); ++t) sizes[t].block_bytes = tiers.block_bytes[t];
  const auto add = [&](std::string holder, std::size_t tier, std::size_t blocks) {
    budget.add(std::move(holder), tiers.block_bytes[tier], blocks);
    sizes[tier].blocks += blocks;
  };
  for (std::size_t i = 0; i < plan.edges.size(); ++i) {
    const PlannedEdge& edge = plan.edges[i];
    if (edge.call) continue;
    for (const LanePlan& lane : edge.lanes) {
      add(fmt::format("edge {}: {} channel{} × window {}", edge_label(graph, graph.edges[i]), edge.channels,
                      edge.channels == 1 ? "" : "s", lane.window_blocks()),
          lane.tier, edge.channels * lane.window_blocks());
    }
  }
  // A thread's free list may hold blocks that another thread has credit for, so they come on top.
  const std::size_t cached = std::min(kMaxCacheBlocks, sizes[0].blocks / (4 * plan.options.threads));
  if (cached >= kMinCacheBlocks) {
    sizes[0].cache_blocks = cached;
    add(fmt::format("free lists of {} threads × {}", plan.options.threads, cached), 0,
        cached * plan.options.threads);
  }
  if (budget.bytes() > 0) {
    const double reserve = static_cast<double>(budget.bytes()) * kReserve / (1 - kReserve);
    const std::size_t tier0 = tiers.block_bytes[0];
    add("control and temporary reserve (10 %)", 0,
        static_cast<std::size_t>(std::ceil(reserve / static_cast<double>(tier0))));
  }
  return budget;
}

void refuse(const Graph& graph, const JobPlan& plan, const Budget& least, Problems& problems) {
  std::string message =
      fmt::format("the plan needs at least {} of block memory and may use {}:", format_bytes(least.bytes()),
                  format_bytes(plan.options.memory_bytes));
  constexpr std::size_t kShown = 12;
  std::vector<Budget::Line> lines = least.lines();
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Budget::Line& a, const Budget::Line& b) { return a.bytes() > b.bytes(); });
  for (std::size_t i = 0; i < std::min(kShown, lines.size()); ++i) {
    message += fmt::format("\n  {:>10}  {} × {} blocks of {}", format_bytes(lines[i].bytes()),
                           lines[i].holder, lines[i].blocks, format_bytes(lines[i].block_bytes));
  }
  if (lines.size() > kShown) message += fmt::format("\n  … and {} smaller ones", lines.size() - kShown);
  problems.push_back(
      {graph.runtime.memory_bytes ? "/runtime/memory" : "/runtime", ErrorCode::memory_too_small,
       std::move(message),
       "give more with --memory or runtime.memory, or lower parallelism, max_record or credits.min_blocks"});
}

}  // namespace

void plan_sizes(const Graph& graph, JobPlan& plan, Problems& problems) {
  const Tiers tiers = choose_tiers(graph, profile_values(plan.options.profile));
  plan.node.record_limit_bytes = tiers.record_limit_bytes;
  const Sizing sizing(graph, plan, tiers);
  // Halve the shares until the sum fits; then the least that works; then say no.
  for (std::size_t share = kFastShareBytes; share >= tiers.block_bytes[0]; share /= 2) {
    if (!sizing.size_edges(plan.edges, share, false, problems)) return;
    plan.node.budget = make_budget(graph, plan, tiers, plan.node.tiers);
    if (plan.node.budget.bytes() <= plan.options.memory_bytes) return;
  }
  if (!sizing.size_edges(plan.edges, 0, true, problems)) return;
  plan.node.budget = make_budget(graph, plan, tiers, plan.node.tiers);
  if (plan.node.budget.bytes() > plan.options.memory_bytes) refuse(graph, plan, plan.node.budget, problems);
}

}  // namespace sluice
