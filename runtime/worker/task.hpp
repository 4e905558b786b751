#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/channel/channel_receiver.hpp"
#include "runtime/metrics/counter.hpp"
#include "runtime/worker/chain.hpp"
#include "runtime/worker/event_time_alignment.hpp"

namespace sluice {

// Where a task's time goes; the three add up to the time since it was opened. Written by its thread.
struct TaskCounters {
  Counter busy_ns;
  Counter idle_ns;     // no input, or waiting on purpose
  Counter blocked_ns;  // an edge had no credit
};

// One parallel instance of a chain of operators: takes events from its input channels (or its source), runs
// them through the chain and sends what comes out. A duty cycle: do_work does a bounded amount and returns.
// It holds at most one received block at a time, and gives it back before it takes the next. Touched by one
// thread at a time.
class Task {
 public:
  struct Input {
    std::unique_ptr<ChannelReceiver> receiver;
    std::uint32_t port = 0;
    EventTimeUs watermark = kWatermarkNone;
    bool idle = false;        // said that it must not hold event time back, until something comes
    std::uint32_t group = 0;  // see EventTimeAlignment
  };

  // `edges` is indexed by EdgeId; null where the task does not send.
  Task(std::string name, std::vector<Chain::Stage> stages, std::vector<Input> inputs,
       std::vector<std::unique_ptr<EdgeSender>> edges, bool is_source, TimeNs linger_ns,
       const std::atomic<bool>& draining);

  Result<void> open() { return chain_.open(); }
  // True if anything was done. An error ends the job.
  Result<bool> do_work(TimeNs now_ns);
  bool done() const { return phase_ == Phase::done; }
  // With nothing done: when to come back even if nobody wakes the thread; kNever if only a wake-up helps.
  TimeNs wake_at_ns() const { return wake_at_ns_; }
  // Books the time since the last call: up to `begun_ns` on what the task was waiting for, from there on as
  // work.
  void account_work(TimeNs begun_ns, TimeNs ended_ns);
  void account_rest(TimeNs now_ns);

  // Ends the operators and gives everything back that the task holds: blocks received and blocks being built.
  // May be repeated.
  void close();

  const std::string& name() const { return name_; }
  const TaskCounters& counters() const { return counters_; }
  const Chain& chain() const { return chain_; }
  std::vector<Input>& inputs() { return inputs_; }
  const std::vector<std::unique_ptr<EdgeSender>>& edges() const { return edges_; }

 private:
  // Next phases: running → finishing (all input ended) → flushing (operators are finished) → done.
  enum class Phase : std::uint8_t { running, finishing, flushing, done };
  static constexpr int kEventsPerRound = 16;
  // How long a task is without input before it sends partly filled blocks: shorter than a thread's spinning
  // before it sleeps, longer than the gap between two blocks of a sender that is busy.
  static constexpr TimeNs kIdleFlushNs = 10 * kNsPerUs;

  Result<bool> step(TimeNs now_ns);
  Result<bool> step_source(TimeNs now_ns);
  Result<bool> step_inputs(TimeNs now_ns);
  void align_inputs();
  Result<bool> take(Result<Chain::Status> status);
  Result<bool> take_event(Input& input, ReceiverEvent event, TimeNs now_ns);
  void end_input(Input& input);
  // Tells the chain, one event a call, what has become of ports and event time. False: nothing was to tell.
  Result<bool> settle(TimeNs now_ns);
  void mind_ticks(TimeNs now_ns);
  void flush_edges(bool idle, TimeNs now_ns);
  bool edges_pending() const;

  const std::string name_;
  const bool is_source_;
  const TimeNs linger_ns_;
  const std::atomic<bool>& draining_;
  std::vector<Input> inputs_;
  std::vector<std::unique_ptr<EdgeSender>> edges_;
  Chain chain_;
  Phase phase_ = Phase::running;
  Chain::Status status_ = Chain::Status::kReady;
  std::optional<ReceivedBatch> current_;  // what the chain is working on
  std::size_t next_input_ = 0;
  EventTimeAlignment alignment_;
  EventTimeUs watermark_ = kWatermarkNone;
  bool idle_ = false;  // all inputs that have not ended are idle, and the chain knows
  bool settle_due_ = false;
  bool several_ports_ = false;
  std::vector<std::uint32_t> ended_ports_;  // to be told to the chain
  bool stalled_ = false;                    // at the end of the last round: blocked, or waiting on purpose
  TimeNs last_round_ns_ = 0;
  TimeNs source_waits_until_ns_ = 0;
  TimeNs wake_at_ns_ = kNever;
  TimeNs idle_since_ns_ = kNever;
  TimeNs accounted_until_ns_ = 0;
  TaskCounters counters_;
};

}  // namespace sluice
