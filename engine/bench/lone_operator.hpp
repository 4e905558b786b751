#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "engine/bench/silent_log.hpp"
#include "operators/config/catalogue.hpp"
#include "runtime/base/check.hpp"
#include "runtime/operator.hpp"

namespace sluice {

// One operator driven as a task drives it, without the task: what it costs by itself. Rows of its first port
// are counted, nothing goes further.
class LoneOperator {
 public:
  explicit LoneOperator(const BoundOperator& bound)
      : state_(budget_, counters_.state_bytes, counters_.state_keys), op_(bound.create()) {
    OperatorContext context;
    context.counters = &counters_;
    context.state = &state_;
    context.log = &log_;
    context.draining = &draining_;
    context.connected_ports = 1;
    context.record_limit_bytes = 1 << 20;
    const Result<void> opened = op_->open(context);
    SLUICE_CHECK(opened.ok(), "{}", opened.ok() ? "" : opened.error().message());
  }
  ~LoneOperator() { op_->close(); }
  LoneOperator(const LoneOperator&) = delete;

  void process(std::uint32_t port, const Batch& batch) { drive(op_->process(port, batch, emitter_, 1)); }
  void watermark(EventTimeUs watermark) { drive(op_->watermark(watermark, emitter_, 1)); }
  // Only of a source: all that it has.
  void read_all() {
    auto& source = static_cast<Source&>(*op_);
    for (Step::Next next = Step::Next::kHasMore; next != Step::Next::kFinished;) {
      next = checked(source.poll(emitter_, 1)).next;
    }
  }
  void finish() { drive(op_->finish(emitter_, 1)); }

  std::uint64_t rows() const { return emitter_.rows; }
  const OperatorCounters& counters() const { return counters_; }

 private:
  struct CountingEmitter final : Emitter {
    void emit(std::uint32_t port, const Batch& batch) override {
      if (port == 0) rows += batch.rows;
    }
    void emit_watermark(EventTimeUs) override {}
    void emit_idle() override {}
    std::uint64_t rows = 0;
  };

  static Step checked(Result<Step> step) {
    SLUICE_CHECK(step.ok(), "{}", step.ok() ? "" : step.error().message());
    return *step;
  }
  void drive(Result<Step> result) {
    Step step = checked(std::move(result));
    while (step.next == Step::Next::kHasMore) step = checked(op_->resume(emitter_, 1));
  }

  OperatorCounters counters_;
  StateBudget budget_{std::uint64_t{4} << 30};
  StateShare state_;
  SilentLog log_;
  std::atomic<bool> draining_{false};
  CountingEmitter emitter_;
  std::unique_ptr<Operator> op_;
};

}  // namespace sluice
