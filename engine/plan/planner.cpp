#include "engine/plan/planner.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <thread>

#include "engine/plan/common_sources.hpp"
#include "engine/plan/fusion.hpp"
#include "engine/plan/parallelism.hpp"
#include "engine/plan/profile_values.hpp"
#include "engine/plan/sizing.hpp"

namespace sluice {
namespace {

// The chains, in topological order of their first operators: operators joined by calls.
class ChainBuilder {
 public:
  ChainBuilder(const Graph& graph, JobPlan& plan) : graph_(graph), plan_(plan) {}

  void number_chains() {
    std::vector<const EdgeNode*> call_into(graph_.operators.size(), nullptr);
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
      if (plan_.edges[i].call) call_into[graph_.edges[i].to] = &graph_.edges[i];
    }
    for (const std::size_t op : graph_.topological_order) {
      if (call_into[op] == nullptr) {
        plan_.operators[op].chain = static_cast<std::uint32_t>(members_.size());
        members_.emplace_back();
      } else {
        plan_.operators[op].chain = plan_.operators[call_into[op]->from].chain;
      }
      members_[plan_.operators[op].chain].push_back(op);
    }
  }

  const std::vector<std::vector<std::size_t>>& members() const { return members_; }

 private:
  const Graph& graph_;
  JobPlan& plan_;
  std::vector<std::vector<std::size_t>> members_;  // a chain's operators, in topological order
};

std::string chain_name(const Graph& graph, const std::vector<std::size_t>& members) {
  constexpr std::size_t kShown = 4;
  std::string name;
  for (std::size_t i = 0; i < std::min(kShown, members.size()); ++i) {
    if (i > 0) name += '+';
    name += graph.operators[members[i]].id;
  }
  if (members.size() > kShown) name += fmt::format("+{} more", members.size() - kShown);
  return name;
}

std::size_t port_index(const std::vector<PortSpec>& ports, std::string_view name) {
  const auto it = std::find_if(ports.begin(), ports.end(), [&](const PortSpec& p) { return p.name == name; });
  return static_cast<std::size_t>(it - ports.begin());
}

// Turns the decisions into the node plan: edges, tasks, stages, channels.
class NodePlanBuilder {
 public:
  NodePlanBuilder(const Graph& graph, JobPlan& plan, const std::vector<std::vector<std::size_t>>& chains)
      : graph_(graph),
        plan_(plan),
        chains_(chains),
        out_edges_(graph.operators.size()),
        input_groups_(group_by_common_sources(graph)) {
    for (std::size_t i = 0; i < graph.edges.size(); ++i) out_edges_[graph.edges[i].from].push_back(i);
  }

  void build() {
    build_edges();
    build_tasks();
    build_channels();
  }

 private:
  void build_edges() {
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
      PlannedEdge& planned = plan_.edges[i];
      if (planned.call) continue;
      const EdgeNode& edge = graph_.edges[i];
      const OperatorNode& from = graph_.operators[edge.from];
      planned.edge = EdgeId(static_cast<std::uint32_t>(plan_.node.edges.size()));
      EdgePlan out;
      out.name = fmt::format("{} → {}", output_name(graph_, edge), input_name(graph_, edge));
      out.to = graph_.operators[edge.to].id;
      out.schema = std::make_shared<const Schema>(from.bound->output_schemas()[edge.output_port]);
      out.partition = planned.partition;
      const std::vector<std::string>& keys =
          edge.partition.kind == Partition::Kind::hash
              ? edge.partition.keys
              : graph_.operators[edge.to].bound->traits().keys_of(edge.input_port);
      if (planned.partition == PartitionKind::hash) {
        for (const std::string& key : keys) out.hash_columns.push_back(out.schema->find(key).value());
      }
      plan_.node.edges.push_back(std::move(out));
    }
  }

  void build_tasks() {
    for (const std::vector<std::size_t>& members : chains_) {
      first_task_.push_back(static_cast<std::uint32_t>(plan_.node.tasks.size()));
      const std::uint32_t tasks = plan_.operators[members[0]].parallelism;
      const std::string name = chain_name(graph_, members);
      for (std::uint32_t index = 0; index < tasks; ++index) {
        TaskPlan task;
        task.name = tasks == 1 ? name : fmt::format("{}[{}]", name, index);
        task.thread = static_cast<std::uint32_t>(plan_.node.tasks.size()) % plan_.node.threads;
        build_stages(members, index, task);
        plan_.node.tasks.push_back(std::move(task));
      }
    }
  }

  void build_stages(const std::vector<std::size_t>& members, std::uint32_t index, TaskPlan& task) {
    stage_of_.resize(graph_.operators.size());
    for (std::size_t s = 0; s < members.size(); ++s) stage_of_[members[s]] = static_cast<std::uint32_t>(s);
    for (const std::size_t op : members) {
      const OperatorNode& node = graph_.operators[op];
      StagePlan stage;
      stage.operator_id = OperatorId(static_cast<std::uint32_t>(op));
      stage.name = node.id;
      stage.task_index = index;
      stage.parallelism = plan_.operators[op].parallelism;
      stage.is_source = node.type->kind == OperatorKind::source;
      const std::size_t errors = port_index(node.outputs, "errors");
      if (errors < node.outputs.size()) stage.errors_port = static_cast<std::uint32_t>(errors);
      stage.create = [bound = node.bound] { return bound->create(); };
      stage.outputs.resize(node.outputs.size());
      for (const std::size_t e : out_edges_[op]) {
        const EdgeNode& edge = graph_.edges[e];
        TargetPlan target;
        target.input_port = static_cast<std::uint32_t>(edge.input_port);
        if (plan_.edges[e].call) {
          target.stage = stage_of_[edge.to];
        } else {
          target.kind = TargetPlan::Kind::edge;
          target.edge = plan_.edges[e].edge;
        }
        stage.outputs[edge.output_port].push_back(target);
      }
      task.stages.push_back(std::move(stage));
    }
  }

  void build_channels() {
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
      const PlannedEdge& planned = plan_.edges[e];
      if (planned.call) continue;
      const EdgeNode& edge = graph_.edges[e];
      const std::uint32_t senders = plan_.operators[edge.from].parallelism;
      const std::uint32_t receivers = plan_.operators[edge.to].parallelism;
      for (std::uint32_t s = 0; s < senders; ++s) {
        for (std::uint32_t r = 0; r < receivers; ++r) {
          if (planned.partition == PartitionKind::forward && s != r) continue;
          add_channel(e, s, r);
        }
      }
    }
  }

  void add_channel(std::size_t edge_number, std::uint32_t sender, std::uint32_t receiver) {
    const EdgeNode& edge = graph_.edges[edge_number];
    const PlannedEdge& planned = plan_.edges[edge_number];
    ChannelPlan channel;
    channel.edge = planned.edge;
    channel.sender = TaskId(first_task_[plan_.operators[edge.from].chain] + sender);
    channel.receiver = TaskId(first_task_[plan_.operators[edge.to].chain] + receiver);
    channel.lanes = planned.lanes;
    channel.marks = planned.marks;
    const ChannelId id(static_cast<std::uint32_t>(plan_.node.channels.size()));
    plan_.node.tasks[channel.receiver.value].inputs.push_back(
        {id, static_cast<std::uint32_t>(edge.input_port), input_groups_[edge_number]});
    plan_.node.channels.push_back(std::move(channel));
  }

  const Graph& graph_;
  JobPlan& plan_;
  const std::vector<std::vector<std::size_t>>& chains_;
  std::vector<std::vector<std::size_t>> out_edges_;  // an operator's
  std::vector<std::uint32_t> first_task_;            // a chain's
  std::vector<std::uint32_t> stage_of_;              // an operator's, within its chain
  std::vector<std::uint32_t> input_groups_;          // an edge's, by common sources
};

std::uint32_t count_tasks(const JobPlan& plan, const std::vector<std::vector<std::size_t>>& chains) {
  std::uint64_t tasks = 0;
  for (const auto& members : chains) tasks += plan.operators[members[0]].parallelism;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(tasks, UINT32_MAX));
}

void count_channels(const Graph& graph, JobPlan& plan) {
  for (std::size_t i = 0; i < plan.edges.size(); ++i) {
    const std::uint32_t senders = plan.operators[graph.edges[i].from].parallelism;
    const std::uint32_t receivers = plan.operators[graph.edges[i].to].parallelism;
    if (!plan.edges[i].call) {
      plan.edges[i].channels =
          plan.edges[i].partition == PartitionKind::forward ? senders : senders * receivers;
    }
  }
}

}  // namespace

PlanResult plan_job(const Graph& graph, const PlanOptions& options) {
  PlanResult result;
  JobPlan& plan = result.plan;
  plan.options = options;
  plan.operators.resize(graph.operators.size());
  plan.edges.resize(graph.edges.size());
  plan_parallelism(graph, plan);
  plan_fusion(graph, plan);

  ChainBuilder chains(graph, plan);
  chains.number_chains();
  const std::uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
  if (plan.options.threads == 0) plan.options.threads = std::min(cores, count_tasks(plan, chains.members()));
  plan.node.threads = plan.options.threads;
  plan.node.state_limit_bytes = options.state_memory_bytes;
  plan.node.linger_ns = profile_values(options.profile).linger_ns;
  count_channels(graph, plan);
  plan_sizes(graph, plan, result.problems);
  if (!result.ok()) return result;
  NodePlanBuilder(graph, plan, chains.members()).build();
  return result;
}

}  // namespace sluice
