#include "runtime/worker/worker.hpp"

#include <algorithm>
#include <chrono>

namespace sluice {
namespace {

// How long an idle thread looks for work before it sleeps: about what a wake-up costs.
constexpr TimeNs kSpinNs = 30 * kNsPerUs;

void cpu_relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::create(NodePlan plan, Log& log) {
  SLUICE_ASSIGN(std::unique_ptr<Pool> pool, Pool::create(plan.tiers));
  return std::unique_ptr<Worker>(new Worker(std::move(plan), log, std::move(pool)));
}

Worker::Worker(NodePlan plan, Log& log, std::unique_ptr<Pool> pool)
    : plan_(std::move(plan)), log_(log), pool_(std::move(pool)) {
  for (std::uint32_t t = 0; t < plan_.threads; ++t) threads_.push_back(std::make_unique<Thread>(*pool_));
  build_channels();
  for (std::uint32_t t = 0; t < plan_.tasks.size(); ++t) build_task(TaskId(t));
}

Worker::~Worker() { stop(); }

void Worker::build_channels() {
  for (const ChannelPlan& plan : plan_.channels) {
    std::size_t window = 0;
    for (const LanePlan& lane : plan.lanes) window += lane.window_blocks();
    auto channel = std::make_unique<Channel>();
    channel->link = std::make_unique<LocalLink>(window, plan.lanes.size(), parker_of(plan.sender),
                                                parker_of(plan.receiver));
    channels_.push_back(std::move(channel));
  }
}

void Worker::build_task(TaskId id) {
  const TaskPlan& plan = plan_.tasks[id.value];
  std::vector<Chain::Stage> stages;
  std::vector<std::unique_ptr<EdgeSender>> edges(plan_.edges.size());
  const auto budget = std::make_shared<StateBudget>(plan_.state_limit_bytes);
  for (const StagePlan& stage_plan : plan.stages) {
    stages.push_back(build_stage(stage_plan, budget));
    for (const auto& targets : stage_plan.outputs) {
      for (const TargetPlan& target : targets) {
        if (target.kind == TargetPlan::Kind::edge) {
          edges[target.edge.value] = build_edge(id, target.edge, stages.back());
        }
      }
    }
  }
  tasks_.push_back(std::make_unique<Task>(plan.name, std::move(stages), build_inputs(id), std::move(edges),
                                          plan.stages.front().is_source, plan_.linger_ns, draining_));
  threads_[plan.thread]->tasks.push_back(tasks_.back().get());
}

Chain::Stage Worker::build_stage(const StagePlan& plan, const std::shared_ptr<StateBudget>& budget) {
  Chain::Stage stage;
  stage.name = plan.name;
  stage.op = plan.create();
  stage.counters = std::make_unique<OperatorCounters>();
  stage.outputs = plan.outputs;
  stage.errors_port = plan.errors_port;
  OperatorContext& context = stage.context;
  context.operator_id = plan.name;
  context.task_index = plan.task_index;
  context.parallelism = plan.parallelism;
  for (std::size_t port = 0; port < plan.outputs.size(); ++port) {
    if (!plan.outputs[port].empty()) context.connected_ports |= 1u << port;
  }
  context.record_limit_bytes = plan_.record_limit_bytes;
  context.counters = stage.counters.get();
  stage.budget = budget;
  stage.state =
      std::make_unique<StateShare>(*budget, stage.counters->state_bytes, stage.counters->state_keys);
  context.state = stage.state.get();
  context.log = &log_;
  context.draining = &draining_;
  return stage;
}

std::unique_ptr<EdgeSender> Worker::build_edge(TaskId task, EdgeId edge, const Chain::Stage& stage) {
  const EdgePlan& plan = plan_.edges[edge.value];
  std::vector<std::unique_ptr<ChannelSender>> senders;
  for (std::uint32_t c = 0; c < plan_.channels.size(); ++c) {
    const ChannelPlan& channel = plan_.channels[c];
    if (channel.edge != edge || channel.sender != task) continue;
    senders.push_back(std::make_unique<ChannelSender>(ChannelId(c), task, *plan.schema, channel.lanes,
                                                      cache_of(task), *channels_[c]->link,
                                                      channels_[c]->counters));
  }
  OperatorCounters* counters = stage.counters.get();
  auto too_large = [this, counters, name = stage.name, edge_name = plan.name](const Batch&, std::uint32_t) {
    Counter& count = counters->bad[static_cast<std::size_t>(ErrorCode::record_too_large)];
    count.add(1);
    if (count.read_relaxed() == 1) {
      log_.write(
          LogLevel::warning,
          fmt::format(
              "operator {}: a record is larger than the {} bytes that edge {} can carry and was left out",
              name, plan_.record_limit_bytes, edge_name));
    }
  };
  return std::make_unique<EdgeSender>(plan.partition, plan.hash_columns, std::move(senders),
                                      std::move(too_large));
}

std::vector<Task::Input> Worker::build_inputs(TaskId task) {
  std::vector<Task::Input> inputs;
  for (const InputPlan& input : plan_.tasks[task.value].inputs) {
    const ChannelPlan& plan = plan_.channels[input.channel.value];
    Channel& channel = *channels_[input.channel.value];
    auto receiver = std::make_unique<ChannelReceiver>(
        input.channel, task, *plan_.edges[plan.edge.value].schema, plan.lanes, plan.marks, cache_of(task),
        *channel.link, channel.counters);
    channel.receiver = receiver.get();
    receiver->open();
    inputs.push_back({std::move(receiver), input.port, kWatermarkNone, false, input.group});
  }
  return inputs;
}

void Worker::start() {
  const std::lock_guard lock(mutex_);
  threads_running_ = threads_.size();
  for (const auto& thread : threads_) {
    thread->thread = std::thread([this, t = thread.get()] {
      run_thread(*t);
      thread_ended();
    });
  }
}

void Worker::run_thread(Thread& thread) {
  TimeNs idle_since_ns = kNever;
  bool working = open_tasks(thread);
  while (working && !cancelled_.load(std::memory_order_relaxed)) {
    bool all_done = true;
    TimeNs wake_at_ns = kNever;
    if (work_round(thread, all_done, wake_at_ns)) {
      idle_since_ns = kNever;
      continue;
    }
    // A task of ours may just have failed: it must not be called again.
    if (all_done || cancelled_.load(std::memory_order_relaxed)) break;
    const TimeNs now_ns = clock_.now_ns();
    if (idle_since_ns == kNever) idle_since_ns = now_ns;
    if (now_ns - idle_since_ns < kSpinNs) {
      cpu_relax();
      continue;
    }
    // Announce, then look once more: what was published before the announcement is seen now, what comes later
    // wakes us.
    thread.parker.announce();
    all_done = true;
    wake_at_ns = kNever;
    const bool worked = work_round(thread, all_done, wake_at_ns);
    if (worked || all_done || cancelled_.load(std::memory_order_relaxed)) {
      thread.parker.retract();
    } else {
      thread.parker.park(clock_.now_ns(), wake_at_ns);
    }
    idle_since_ns = kNever;
  }
  for (Task* task : thread.tasks) task->close();
}

bool Worker::open_tasks(Thread& thread) {
  for (Task* task : thread.tasks) {
    if (Result<void> opened = task->open(); !opened) {
      fail(std::move(opened).error());
      return false;
    }
  }
  return true;
}

bool Worker::work_round(Thread& thread, bool& all_done, TimeNs& wake_at_ns) {
  bool worked = false;
  for (Task* task : thread.tasks) {
    if (task->done()) continue;
    const TimeNs begun_ns = clock_.now_ns();
    const Result<bool> result = task->do_work(begun_ns);
    if (!result) {
      fail(result.error());
      return false;
    }
    if (*result) {
      task->account_work(begun_ns, clock_.now_ns());
      worked = true;
    } else {
      task->account_rest(begun_ns);
    }
    all_done &= task->done();
    wake_at_ns = std::min(wake_at_ns, task->wake_at_ns());
  }
  return worked;
}

void Worker::fail(Error error) {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  cancel();
}

void Worker::wake_all() {
  for (const auto& thread : threads_) thread->parker.wake();
}

void Worker::drain() {
  draining_.store(true, std::memory_order_relaxed);
  wake_all();
}

void Worker::cancel() {
  cancelled_.store(true, std::memory_order_relaxed);
  wake_all();
}

void Worker::thread_ended() {
  const std::lock_guard lock(mutex_);
  --threads_running_;
  ended_.notify_all();
}

bool Worker::wait_for_end(TimeNs at_most_ns) {
  std::unique_lock lock(mutex_);
  return ended_.wait_for(lock, std::chrono::nanoseconds(at_most_ns),
                         [this] { return threads_running_ == 0; });
}

Worker::End Worker::stop() {
  End end;
  if (stopped_) return end;
  stopped_ = true;
  for (const auto& thread : threads_) {
    if (thread->thread.joinable()) thread->thread.join();
  }
  end.error = error_;
  end.cancelled = cancelled_.load(std::memory_order_relaxed);
  // What is still on its way goes back by the same handles as everything else; then nothing may be missing.
  for (const auto& task : tasks_) task->close();
  std::vector<std::uint64_t> discarded(channels_.size());
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    if (channels_[c]->receiver != nullptr) discarded[c] = channels_[c]->receiver->discard_arrived();
  }
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    const ChannelCounters& n = channels_[c]->counters;
    ChannelAudit audit;
    audit.channel = ChannelId(c);
    audit.edge = plan_.edges[plan_.channels[c].edge.value].name;
    audit.granted = n.receiver.limit_blocks.read_relaxed();
    audit.sent = n.sender.blocks.read_relaxed();
    audit.received = n.receiver.received_blocks.read_relaxed();
    audit.consumed = n.receiver.consumed_blocks.read_relaxed();
    audit.records_in = n.sender.records.read_relaxed();
    audit.records_out = n.receiver.records.read_relaxed();
    audit.blocks_discarded = discarded[c];
    audit.windows_restored = channels_[c]->receiver == nullptr || channels_[c]->receiver->windows_restored();
    end.audit.channels.push_back(std::move(audit));
  }
  end.audit.held = pool_->held_blocks();
  end.audit.pool_exhausted = pool_->exhausted();
  return end;
}

}  // namespace sluice
