#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "runtime/base/clock.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/result.hpp"
#include "runtime/data/batch.hpp"
#include "runtime/memory/state_budget.hpp"
#include "runtime/metrics/counter.hpp"

namespace sluice {

// What one task's instance of an operator counts. Written by the task's thread, read by any.
struct OperatorCounters {
  Counter records_in;                        // kept by the task
  Counter records_out;                       // kept by the task: rows emitted on all ports but `errors`
  Counter late;                              // late records, connected port or not
  Gauge state_bytes;                         // what it keeps between calls
  Gauge state_keys;                          // for how many keys
  std::array<Counter, kErrorCodeCount> bad;  // bad records by reason, whatever became of them

  std::uint64_t bad_total() const {
    std::uint64_t sum = 0;
    for (const Counter& c : bad) sum += c.read_relaxed();
    return sum;
  }
};

// What the runtime lends to an operator for its life.
struct OperatorContext {
  std::string operator_id;       // as in the graph
  std::uint32_t task_index = 0;  // 0 ≤ task_index < parallelism
  std::uint32_t parallelism = 1;
  std::uint32_t connected_ports =
      0;  // bit p: output port p has an edge; emitting on others is allowed and free
  std::size_t record_limit_bytes = 0;  // the largest row (its values' bytes together) that an edge can carry
  OperatorCounters* counters = nullptr;
  StateShare* state = nullptr;  // says what the operator keeps between calls; never null in a run
  Log* log = nullptr;
  const std::atomic<bool>* draining = nullptr;  // the run is to end soon: do not slow it down on purpose

  bool connected(std::uint32_t port) const { return (connected_ports >> port) & 1; }
};

// Event-time watermarks: microseconds; kWatermarkNone before the first, kWatermarkEnd after the last.
using EventTimeUs = std::int64_t;
inline constexpr EventTimeUs kWatermarkNone = INT64_MIN;
inline constexpr EventTimeUs kWatermarkEnd = INT64_MAX;

// What the caller does next.
struct Step {
  enum class Next : std::uint8_t {
    kNeedsInput,  // this input is done with; give the next one
    kHasMore,  // more output is ready: call resume() (a source: poll()) again once what was emitted is gone
    kWaits,  // nothing until `until_ns`: then resume() (a source: poll()); until then this chain stands still
    kFinished,  // finish() is complete; a source: its input has ended
  };
  Next next = Next::kNeedsInput;
  TimeNs until_ns = 0;

  static Step needs_input() { return {Next::kNeedsInput}; }
  static Step has_more() { return {Next::kHasMore}; }
  static Step waits_until(TimeNs t) { return {Next::kWaits, t}; }
  static Step finished() { return {Next::kFinished}; }
};

// Where an operator puts its output. During one call it may emit at most one batch on each port; to give more
// it returns kHasMore. The columns must stay valid until the operator is called again.
class Emitter {
 public:
  virtual ~Emitter() = default;
  virtual void emit(std::uint32_t port, const Batch& batch) = 0;
  // Says that, after all that was emitted in this and earlier calls, the event-time watermark of the
  // operator's output is `watermark`. Only for operators that make event time (event_time); the others' rises
  // with their input's.
  virtual void emit_watermark(EventTimeUs watermark) = 0;
  // Says that, until the next record or watermark, this output must not hold event time back where it meets
  // others. Only for operators that make event time.
  virtual void emit_idle() = 0;
};

// One parallel instance of an operator, driven by its task and touched by one thread at a time. Every call
// does a bounded amount of work, never blocks and never sleeps. An error ends the job: it names what, where
// and why. What a record alone has done wrong is not an error but a bad record (see BadRecords in
// operators/config/).
//
// Order of calls: open; then process, watermark, idle, tick, input_ended and, after kHasMore or kWaits,
// resume until something else comes back; then finish (and resume after kHasMore) until kFinished; then
// close. close comes also when the job fails or is cancelled, after open at any point, and must not publish
// incomplete results.
class Operator {
 public:
  virtual ~Operator() = default;

  virtual Result<void> open(const OperatorContext& context) = 0;
  // `now_ns` is monotonic time; batch.rows ≥ 1.
  virtual Result<Step> process(std::uint32_t input_port, const Batch& batch, Emitter& out, TimeNs now_ns) = 0;
  virtual Result<Step> resume(Emitter&, TimeNs) { return Step::needs_input(); }
  // The event-time watermark of all inputs together has risen. Afterwards the task passes `passed_on(w)`
  // downstream.
  virtual Result<Step> watermark(EventTimeUs, Emitter&, TimeNs) { return Step::needs_input(); }
  // (kWatermarkNone: nothing).
  virtual EventTimeUs passed_on(EventTimeUs watermark) const { return watermark; }
  // All inputs that have not ended are idle: nothing more is known to come. Give what waits for event time;
  // what comes later for a time that was given out is late. Afterwards the task passes idleness on, if
  // `passes_idle()`.
  virtual Result<Step> idle(Emitter&, TimeNs) { return Step::needs_input(); }
  virtual bool passes_idle() const { return true; }
  // For operators with several input ports: false leaves that port's records in their channels for now, where
  // credit holds their senders back. Asked before each record batch.
  virtual bool takes(std::uint32_t /*input_port*/) const { return true; }
  // All channels of one of several input ports have ended.
  virtual Result<Step> input_ended(std::uint32_t /*input_port*/, Emitter&, TimeNs) {
    return Step::needs_input();
  }
  // If tick_interval_ns() > 0, tick comes about so often, also without input; the time in which the task was
  // blocked or waited does not count.
  virtual TimeNs tick_interval_ns() const { return 0; }
  virtual Result<Step> tick(Emitter&, TimeNs) { return Step::needs_input(); }
  // All inputs have ended: give what is left.
  virtual Result<Step> finish(Emitter&, TimeNs) { return Step::finished(); }
  virtual void close() {}
};

// The head of a chain without input. poll takes the place of process; finish is called after poll said
// kFinished or the run is drained. A source that has nothing just now returns waits_until(later).
class Source : public Operator {
 public:
  virtual Result<Step> poll(Emitter& out, TimeNs now_ns) = 0;
  Result<Step> process(std::uint32_t, const Batch&, Emitter&, TimeNs) final {
    return Error(ErrorCode::internal, "a source was given input");
  }
};

}  // namespace sluice
