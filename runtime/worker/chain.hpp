#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/channel/edge_sender.hpp"
#include "runtime/operator.hpp"
#include "runtime/plan/node_plan.hpp"

namespace sluice {

// The operators of one task, called one after another on the same batch, and the edges on which their output
// leaves. A chain is a tree: each stage but the first has one stage before it. It is run by an explicit stack
// instead of recursion, so that a chain may be as long as a graph allows, and so that it can stop anywhere
// (an edge without credit, an operator that waits) and go on later. An operator is called again only when all
// that it emitted has been taken. One thread.
class Chain {
 public:
  enum class Status : std::uint8_t {
    kReady,     // nothing left to do: give the next event
    kHasMore,   // the source has more; or, with an event still in work, an operator has: run() goes on
    kFinished,  // the source has ended, or finish() is complete
    kBlocked,   // an edge has no credit
    kWaits,     // an operator waits until wait_until_ns()
  };

  struct Stage {
    std::string name;
    std::unique_ptr<Operator> op;
    OperatorContext context;
    std::unique_ptr<OperatorCounters> counters;
    std::shared_ptr<StateBudget> budget;  // the task's
    std::unique_ptr<StateShare> state;
    std::vector<std::vector<TargetPlan>> outputs;
    std::uint32_t errors_port = UINT32_MAX;
  };

  // `edges` is indexed by EdgeId; null where this task does not send.
  Chain(std::vector<Stage> stages, std::vector<std::unique_ptr<EdgeSender>>& edges);
  ~Chain();

  Result<void> open();
  void close();

  // Only when the status is kReady (poll: kHasMore or kReady), each starts a new event at the first stage.
  Result<Status> poll(TimeNs now_ns);
  Result<Status> process(std::uint32_t port, const Batch& batch, TimeNs now_ns);
  Result<Status> watermark(EventTimeUs watermark, TimeNs now_ns);
  Result<Status> idle(TimeNs now_ns);
  Result<Status> input_ended(std::uint32_t port, TimeNs now_ns);
  // Ticks one operator that is due.
  Result<Status> tick(TimeNs now_ns);
  Result<Status> finish(TimeNs now_ns);
  // Goes on after kBlocked, kWaits or, with an event still in work, kHasMore. An operator is resumed once a
  // call, so that one with much to give keeps its thread neither from other tasks nor from being stopped.
  Result<Status> run(TimeNs now_ns);

  // When tick() is due; kNever without operators that want it. Counts from the first call.
  TimeNs next_tick_ns(TimeNs now_ns);
  // The chain stood still for so long: that does not count.
  void postpone_ticks(TimeNs by_ns);
  // Whether the first operator takes records of that input port now.
  bool takes(std::uint32_t port) const { return stages_.front().op->takes(port); }

  // Its operators keep so much that no more is wanted than must be.
  bool crowded() const { return stages_.front().budget != nullptr && stages_.front().budget->crowded(); }

  // No event is being worked on.
  bool idle() const { return stack_.empty(); }
  TimeNs wait_until_ns() const { return wait_until_ns_; }
  const std::vector<Stage>& stages() const { return stages_; }

 private:
  struct Event {
    enum class Kind : std::uint8_t { poll, data, watermark, idle, input_ended, tick, finish };
    Kind kind = Kind::data;
    EventTimeUs watermark_us = 0;
  };
  // Something that a stage's outputs still have to be given.
  struct Delivery {
    enum class Kind : std::uint8_t { batch, watermark, idle, finish };
    Kind kind = Kind::batch;
    const TargetPlan* target = nullptr;
    const Batch* batch = nullptr;
    EventTimeUs watermark_us = 0;
  };
  // A stage that is being run, and how far it has come.
  struct Progress {
    Event event;
    Step step;
    std::vector<Batch> emitted;  // a slot a port
    std::vector<bool> has_emitted;
    std::optional<EventTimeUs> emitted_watermark;
    bool emitted_idle = false;
    std::vector<Delivery> deliveries;
    std::size_t next_delivery = 0;
    bool batch_begun = false;  // the current delivery to an edge has been begun
    bool passed_on = false;    // the event itself has been passed downstream
    bool let_go = false;       // asked, in a run that is to end, to cut its waiting short
  };
  struct Ticker {
    std::uint32_t stage;
    TimeNs interval_ns;
    TimeNs next_ns = 0;  // 0: not armed yet
  };
  class StageEmitter;

  Result<Status> start(std::uint32_t stage, Event event, std::uint32_t port, const Batch* batch,
                       TimeNs now_ns);
  Result<void> enter(std::uint32_t stage, Event event, std::uint32_t port, const Batch* batch, TimeNs now_ns);
  Result<void> resume(std::uint32_t stage, TimeNs now_ns);
  Result<void> take_step(std::uint32_t stage, Result<Step> step);
  void queue_emissions(std::uint32_t stage);
  void queue_to_all(std::uint32_t stage, Delivery delivery);
  // False: blocked.
  Result<bool> deliver(std::uint32_t stage, TimeNs now_ns);
  bool pass_event_on(std::uint32_t stage);

  std::vector<Stage> stages_;
  std::vector<Progress> progress_;
  std::vector<std::unique_ptr<EdgeSender>>& edges_;
  std::vector<std::uint32_t> stack_;
  std::vector<Ticker> tickers_;
  TimeNs wait_until_ns_ = 0;
  std::uint32_t opened_ = 0;
};

}  // namespace sluice
