#include "runtime/worker/worker.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "runtime/data/column_builder.hpp"

namespace sluice {
namespace {

constexpr TimeNs kDeadlineNs = 300 * kNsPerSecond;  // only so that a fault ends

struct SilentLog final : Log {
  void write(LogLevel, std::string_view) override {}
};

// What came out, and what is to happen on the way.
struct Outcome {
  std::atomic<std::uint64_t> read{0};
  std::atomic<std::uint64_t> rows{0};
  std::atomic<std::uint64_t> sum{0};
  std::atomic<std::uint64_t> late{0};  // rows that came though a watermark had promised that they would not
  std::atomic<int> finished{0};
  std::atomic<int> closed{0};
  std::uint64_t fail_at = UINT64_MAX;  // rows after which a sink reports an error
};

// Numbers from 0 on, some hundred a poll, up to `total`.
class Numbers final : public Source {
 public:
  Numbers(Outcome& outcome, std::uint64_t total) : outcome_(outcome), total_(total) {}
  Result<void> open(const OperatorContext&) override { return {}; }
  Result<Step> poll(Emitter& out, TimeNs) override {
    rows_.clear();
    const std::uint64_t end = std::min(total_, next_ + 300);
    for (; next_ < end; ++next_) rows_.column(0).append_int64(static_cast<std::int64_t>(next_));
    outcome_.read += rows_.rows();
    out.emit(0, rows_.view());
    out.emit_watermark(static_cast<EventTimeUs>(next_));
    return next_ == total_ ? Step::finished() : Step::has_more();
  }

 private:
  Outcome& outcome_;
  const std::uint64_t total_;
  std::uint64_t next_ = 0;
  BatchStaging rows_{Schema({{"n", Type::int64}})};
};

// Passes batches on; every seventh batch is swallowed and given later, at the next watermark or at the end.
class Passing final : public Operator {
 public:
  Result<void> open(const OperatorContext&) override { return {}; }
  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) override {
    if (++batches_ % 7 != 0) {
      out.emit(0, batch);
    } else {
      for (std::uint32_t r = 0; r < batch.rows; ++r) kept_.append(batch, r);
    }
    return Step::needs_input();
  }
  Result<Step> watermark(EventTimeUs, Emitter& out, TimeNs) override {
    return give(out, Step::needs_input());
  }
  Result<Step> finish(Emitter& out, TimeNs) override { return give(out, Step::finished()); }
  Result<Step> resume(Emitter&, TimeNs) override {
    kept_.clear();
    return then_;
  }

 private:
  Result<Step> give(Emitter& out, Step then) {
    then_ = then;
    if (kept_.rows() == 0) return then;
    out.emit(0, kept_.view());
    return Step::has_more();
  }
  BatchStaging kept_{Schema({{"n", Type::int64}})};
  Step then_;
  std::uint64_t batches_ = 0;
};

class Summing final : public Operator {
 public:
  explicit Summing(Outcome& outcome) : outcome_(outcome) {}
  Result<void> open(const OperatorContext&) override { return {}; }
  Result<Step> process(std::uint32_t, const Batch& batch, Emitter&, TimeNs) override {
    for (std::uint32_t r = 0; r < batch.rows; ++r) {
      const std::int64_t n = batch.column(0).int64s()[r];
      outcome_.sum += static_cast<std::uint64_t>(n);
      if (n < last_) ++outcome_.late;
    }
    outcome_.rows += batch.rows;
    if (outcome_.rows > outcome_.fail_at) {
      // Fails late: by then its thread, idle before, has every reason to go to sleep.
      const MonotonicClock clock;
      const TimeNs until_ns = clock.now_ns() + kNsPerMs;
      while (clock.now_ns() < until_ns) std::this_thread::yield();
      return Error(ErrorCode::internal, "the sink has had enough");
    }
    return Step::needs_input();
  }
  Result<Step> watermark(EventTimeUs watermark, Emitter&, TimeNs) override {
    SLUICE_CHECK_LE(last_, watermark);
    last_ = watermark;
    return Step::needs_input();
  }
  Result<Step> finish(Emitter&, TimeNs) override {
    ++outcome_.finished;
    return Step::finished();
  }
  void close() override { ++outcome_.closed; }

 private:
  Outcome& outcome_;
  EventTimeUs last_ = kWatermarkNone;
};

// sources → (hash) → passing tasks → (rebalance) → sinks, with windows of a few small blocks.
class PlanBuilder {
 public:
  PlanBuilder(Outcome& outcome, std::uint64_t rows_each, std::uint32_t threads) {
    plan_.threads = threads;
    add_edge("numbers → passing", PartitionKind::hash);
    add_edge("passing → sum", PartitionKind::rebalance);
    const std::uint32_t sources = 2, middles = 3, sinks = 2;
    for (std::uint32_t i = 0; i < sources; ++i) {
      add_task(
          "numbers", i, true, [&outcome, rows_each] { return std::make_unique<Numbers>(outcome, rows_each); },
          0);
    }
    for (std::uint32_t i = 0; i < middles; ++i) {
      add_task(
          "passing", i, false, [] { return std::make_unique<Passing>(); }, 1);
    }
    for (std::uint32_t i = 0; i < sinks; ++i) {
      add_task(
          "sum", i, false, [&outcome] { return std::make_unique<Summing>(outcome); }, UINT32_MAX);
    }
    connect(0, 0, sources, sources, middles);
    connect(1, sources, middles, sources + middles, sinks);
    plan_.tiers = {{4096, blocks_ + 4 * threads, 4}};
  }
  NodePlan take() { return std::move(plan_); }

 private:
  void add_edge(std::string name, PartitionKind kind) {
    EdgePlan edge;
    edge.name = std::move(name);
    edge.schema = std::make_shared<const Schema>(std::vector<Field>{{"n", Type::int64}});
    edge.partition = kind;
    edge.hash_columns = {0};
    plan_.edges.push_back(std::move(edge));
  }
  void add_task(std::string name, std::uint32_t index, bool source,
                std::function<std::unique_ptr<Operator>()> create, std::uint32_t edge) {
    StagePlan stage;
    stage.name = name;
    stage.task_index = index;
    stage.is_source = source;
    stage.create = std::move(create);
    if (edge != UINT32_MAX) {
      TargetPlan target;
      target.kind = TargetPlan::Kind::edge;
      target.edge = EdgeId(edge);
      stage.outputs = {{target}};
    }
    TaskPlan task;
    task.name = name;
    task.stages.push_back(std::move(stage));
    task.thread = static_cast<std::uint32_t>(plan_.tasks.size()) % plan_.threads;
    plan_.tasks.push_back(std::move(task));
  }
  void connect(std::uint32_t edge, std::uint32_t from, std::uint32_t froms, std::uint32_t to,
               std::uint32_t tos) {
    for (std::uint32_t s = from; s < from + froms; ++s) {
      for (std::uint32_t r = to; r < to + tos; ++r) {
        plan_.tasks[r].inputs.push_back({ChannelId(static_cast<std::uint32_t>(plan_.channels.size())), 0});
        plan_.channels.push_back({EdgeId(edge), TaskId(s), TaskId(r), {{0, 1, 2}}, {2, 1}});
        blocks_ += 3;
      }
    }
  }

  NodePlan plan_;
  std::size_t blocks_ = 0;
};

std::vector<std::string> differences(const Worker::End& end) { return end.audit.differences(!end.cancelled); }

TEST_CASE(
    "A job of several tasks on any number of threads carries every row to a sink and gives everything back") {
  for (const std::uint32_t threads : {1u, 2u, 3u, 7u}) {
    CAPTURE(threads);
    Outcome outcome;
    SilentLog log;
    constexpr std::uint64_t kRows = 30'000;
    auto worker = std::move(Worker::create(PlanBuilder(outcome, kRows, threads).take(), log)).value();
    worker->start();
    const bool ended = worker->wait_for_end(kDeadlineNs);
    CHECK(ended);
    if (!ended) worker->cancel();
    const Worker::End end = worker->stop();
    CHECK(!end.error);
    CHECK(differences(end) == std::vector<std::string>{});
    CHECK(outcome.rows == 2 * kRows);
    CHECK(outcome.sum == kRows * (kRows - 1));
    CHECK(outcome.late == 0);
    CHECK(outcome.finished == 2);
    CHECK(outcome.closed == 2);
    CHECK(end.audit.pool_exhausted == 0);
  }
}

TEST_CASE("A job that is drained while it runs gives out all that was read") {
  for (const std::uint32_t threads : {1u, 2u}) {
    CAPTURE(threads);
    Outcome outcome;
    SilentLog log;
    auto worker =
        std::move(Worker::create(PlanBuilder(outcome, UINT64_MAX / 2, threads).take(), log)).value();
    worker->start();
    const MonotonicClock clock;
    const TimeNs deadline_ns = clock.now_ns() + kDeadlineNs;
    while (outcome.rows < 5000 && clock.now_ns() < deadline_ns) std::this_thread::yield();
    worker->drain();
    CHECK(worker->wait_for_end(kDeadlineNs));
    const Worker::End end = worker->stop();
    CHECK(!end.error);
    CHECK(differences(end) == std::vector<std::string>{});
    CHECK(outcome.rows == outcome.read);
    CHECK(outcome.finished == 2);
  }
}

TEST_CASE("A job that is cancelled under load gives every block back and finishes no sink") {
  for (const std::uint32_t threads : {1u, 2u}) {
    for (const std::uint64_t after : {0u, 1u, 3000u}) {
      CAPTURE(threads);
      CAPTURE(after);
      Outcome outcome;
      SilentLog log;
      auto worker =
          std::move(Worker::create(PlanBuilder(outcome, UINT64_MAX / 2, threads).take(), log)).value();
      worker->start();
      const MonotonicClock clock;
      const TimeNs deadline_ns = clock.now_ns() + kDeadlineNs;
      while (outcome.rows < after && clock.now_ns() < deadline_ns) std::this_thread::yield();
      worker->cancel();
      CHECK(worker->wait_for_end(kDeadlineNs));
      const Worker::End end = worker->stop();
      CHECK(end.cancelled);
      CHECK(differences(end) == std::vector<std::string>{});
      CHECK(outcome.finished == 0);
    }
  }
}

TEST_CASE("An operator's error ends the job, names the operator, and leaves no block behind") {
  for (std::uint32_t run = 0; run < 120; ++run) {
    const std::uint32_t threads = run % 8 + 1;
    CAPTURE(threads);
    Outcome outcome;
    outcome.fail_at = run * 17;
    SilentLog log;
    auto worker =
        std::move(Worker::create(PlanBuilder(outcome, UINT64_MAX / 2, threads).take(), log)).value();
    worker->start();
    CHECK(worker->wait_for_end(kDeadlineNs));
    const Worker::End end = worker->stop();
    REQUIRE(end.error.has_value());
    CHECK(end.error->message().find("sum") != std::string::npos);
    CHECK(end.error->message().find("had enough") != std::string::npos);
    CHECK(differences(end) == std::vector<std::string>{});
    CHECK(outcome.finished == 0);
  }
}

}  // namespace
}  // namespace sluice
