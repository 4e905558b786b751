#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/channel/edge_sender.hpp"
#include "runtime/channel/lane.hpp"
#include "runtime/memory/budget.hpp"
#include "runtime/memory/pool.hpp"
#include "runtime/operator.hpp"

namespace sluice {

// What one node is to run: the one plain value that passes from the planner to the runtime. It holds no names
// of operator types and no JSON; operators come from factories.

struct ChannelPlan {
  EdgeId edge;
  TaskId sender;
  TaskId receiver;
  std::vector<LanePlan> lanes;
  Watermarks marks;
};

struct EdgePlan {
  std::string name;  // "time → counts"
  std::string to;    // id of the receiving operator
  std::shared_ptr<const Schema> schema;
  PartitionKind partition = PartitionKind::forward;
  std::vector<std::size_t> hash_columns;
};

// Where an output port's batches go, in this order: a stage of the same task (a call), or an edge (channels).
struct TargetPlan {
  enum class Kind : std::uint8_t { stage, edge };
  Kind kind = Kind::stage;
  std::uint32_t stage = 0;       // index into the task's stages; greater than the stage that emits
  std::uint32_t input_port = 0;  // of that stage
  EdgeId edge;
};

struct StagePlan {
  OperatorId operator_id;
  std::string name;  // the operator's id in the graph
  std::uint32_t task_index = 0;
  std::uint32_t parallelism = 1;
  bool is_source = false;
  std::uint32_t errors_port = UINT32_MAX;  // the port for dead letters, if it has one
  std::function<std::unique_ptr<Operator>()> create;
  std::vector<std::vector<TargetPlan>> outputs;  // a list a port
};

// An input channel of the task's first stage.
struct InputPlan {
  ChannelId channel;
  std::uint32_t port = 0;
  std::uint32_t group = 0;  // inputs whose records may come from a common source have the same
};

struct TaskPlan {
  std::string name;  // "time+filter[0]"
  std::vector<StagePlan> stages;
  std::vector<InputPlan> inputs;
  std::uint32_t thread = 0;
};

struct NodePlan {
  std::vector<TierSize> tiers;
  Budget budget;
  std::uint32_t threads = 1;
  TimeNs linger_ns =
      5 * kNsPerMs;  // a partly filled block of a busy task leaves after this time; of an idle one at once
  std::size_t record_limit_bytes = 0;
  std::uint64_t state_limit_bytes = StateBudget::kDefaultBytes;  // what a task's operators may keep
  std::vector<EdgePlan> edges;
  std::vector<ChannelPlan>
      channels;  // those of one edge and sender stand in the order of the receiving tasks
  std::vector<TaskPlan> tasks;
};

}  // namespace sluice
