#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/plan/node_plan.hpp"
#include "runtime/transport/local_link.hpp"
#include "runtime/worker/audit.hpp"
#include "runtime/worker/parker.hpp"
#include "runtime/worker/task.hpp"

namespace sluice {

// Runs one node plan in this process: the pool, the channels, the tasks, and the threads that go round them.
// A thread with nothing to do sleeps. start(), then wait_for_end() as often as one likes, drain() or cancel()
// from any thread (not from a signal handler), then stop(): all threads have ended, everything is given back,
// and the audit says whether that is so.
class Worker {
 public:
  static Result<std::unique_ptr<Worker>> create(NodePlan plan, Log& log);
  ~Worker();

  void start();
  // True once all tasks are done or the job has failed or been cancelled.
  bool wait_for_end(TimeNs at_most_ns);
  // Sources stop reading; what they have read is carried through and the sinks are finished.
  void drain();
  // Everything stops where it is; sinks do not publish.
  void cancel();
  // Joins, closes and audits. The error is the first that a task met.
  struct End {
    std::optional<Error> error;
    bool cancelled = false;
    AuditReport audit;
  };
  End stop();

  const NodePlan& plan() const { return plan_; }
  const std::vector<std::unique_ptr<Task>>& tasks() const { return tasks_; }
  const ChannelCounters& channel_counters(ChannelId id) const { return channels_[id.value]->counters; }
  std::size_t pool_bytes() const { return pool_->bytes(); }

 private:
  struct Channel {
    ChannelCounters counters;
    std::unique_ptr<LocalLink> link;
    ChannelReceiver* receiver = nullptr;  // owned by its task
  };
  struct Thread {
    explicit Thread(Pool& pool) : cache(pool) {}
    PoolCache cache;
    Parker parker;
    std::vector<Task*> tasks;
    std::thread thread;
  };

  Worker(NodePlan plan, Log& log, std::unique_ptr<Pool> pool);
  void build_channels();
  void build_task(TaskId id);
  PoolCache& cache_of(TaskId task) { return threads_[plan_.tasks[task.value].thread]->cache; }
  Parker& parker_of(TaskId task) { return threads_[plan_.tasks[task.value].thread]->parker; }
  Chain::Stage build_stage(const StagePlan& plan, const std::shared_ptr<StateBudget>& budget);
  std::unique_ptr<EdgeSender> build_edge(TaskId task, EdgeId edge, const Chain::Stage& stage);
  std::vector<Task::Input> build_inputs(TaskId task);
  void run_thread(Thread& thread);
  bool open_tasks(Thread& thread);
  bool work_round(Thread& thread, bool& all_done, TimeNs& wake_at_ns);
  void fail(Error error);
  void wake_all();
  void thread_ended();

  const NodePlan plan_;
  Log& log_;
  MonotonicClock clock_;
  std::unique_ptr<Pool> pool_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<std::unique_ptr<Task>> tasks_;

  std::atomic<bool> draining_{false};
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;  // guards what follows
  std::condition_variable ended_;
  std::size_t threads_running_ = 0;
  std::optional<Error> error_;
  bool stopped_ = false;
};

}  // namespace sluice
