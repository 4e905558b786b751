#include "runtime/worker/task.hpp"

#include <doctest/doctest.h>

#include "runtime/data/column_builder.hpp"
#include "tests/runtime/channel/two_ends.hpp"

namespace sluice {
namespace {

const Schema kSchema({{"n", Type::int64}});
constexpr Watermarks kMarks{2, 1};
constexpr TimeNs kLingerNs = 5 * kNsPerMs;

// A row a poll, counting up.
class Counting final : public Source {
 public:
  Result<void> open(const OperatorContext&) override { return {}; }
  Result<Step> poll(Emitter& out, TimeNs) override {
    row_.clear();
    row_.column(0).append_int64(next_++);
    out.emit(0, row_.view());
    return Step::has_more();
  }

 private:
  BatchStaging row_{kSchema};
  std::int64_t next_ = 0;
};

// A source task with two edges, each of one channel.
struct Forked {
  std::unique_ptr<Pool> pool = test::make_pool({{4096, 8}});
  test::TwoEnds first{*pool, kSchema, {{0, 2, 0}}, kMarks};
  test::TwoEnds second{*pool, kSchema, {{0, 2, 0}}, kMarks};
  OperatorCounters* counters = nullptr;
  std::atomic<bool> draining{false};
  std::unique_ptr<Task> task;

  Forked() {
    std::vector<std::unique_ptr<EdgeSender>> edges;
    edges.push_back(edge(first));
    edges.push_back(edge(second));
    Chain::Stage stage;
    stage.name = "count";
    stage.op = std::make_unique<Counting>();
    stage.counters = std::make_unique<OperatorCounters>();
    stage.context.draining = &draining;
    stage.outputs.resize(1);
    for (std::uint32_t e = 0; e < 2; ++e) {
      TargetPlan target;
      target.kind = TargetPlan::Kind::edge;
      target.edge = EdgeId(e);
      stage.outputs[0].push_back(target);
    }
    std::vector<Chain::Stage> stages;
    stages.push_back(std::move(stage));
    task = std::make_unique<Task>("count[0]", std::move(stages), std::vector<Task::Input>{}, std::move(edges),
                                  true, kLingerNs, draining);
    REQUIRE(task->open().ok());
  }

  static std::unique_ptr<EdgeSender> edge(test::TwoEnds& ends) {
    std::vector<std::unique_ptr<ChannelSender>> channels;
    channels.push_back(std::move(ends.sender));
    return std::make_unique<EdgeSender>(PartitionKind::forward, std::vector<std::size_t>{},
                                        std::move(channels), [](const Batch&, std::uint32_t) {});
  }
};

// Waits for a reader that never comes, whether or not the run is to end.
class Stuck final : public Operator {
 public:
  explicit Stuck(int& resumed) : resumed_(resumed) {}
  Result<void> open(const OperatorContext&) override { return {}; }
  Result<Step> process(std::uint32_t, const Batch&, Emitter&, TimeNs now_ns) override {
    return Step::waits_until(now_ns + kNsPerSecond);
  }
  Result<Step> resume(Emitter&, TimeNs now_ns) override {
    if (++resumed_ == 100) return Error(ErrorCode::internal, "resumed without end in one call");
    return Step::waits_until(now_ns + kNsPerSecond);
  }

 private:
  int& resumed_;
};

Chain::Stage stage_of(std::string name, std::unique_ptr<Operator> op, const std::atomic<bool>& draining) {
  Chain::Stage stage;
  stage.name = std::move(name);
  stage.op = std::move(op);
  stage.counters = std::make_unique<OperatorCounters>();
  stage.context.draining = &draining;
  return stage;
}

TEST_CASE("An operator that goes on waiting while the run is drained keeps its thread from nothing else") {
  std::atomic<bool> draining{false};
  int resumed = 0;
  std::vector<Chain::Stage> stages;
  stages.push_back(stage_of("count", std::make_unique<Counting>(), draining));
  stages.push_back(stage_of("stuck", std::make_unique<Stuck>(resumed), draining));
  TargetPlan target;
  target.kind = TargetPlan::Kind::stage;
  target.stage = 1;
  stages[0].outputs = {{target}};
  Task task("count[0]", std::move(stages), {}, {}, true, kLingerNs, draining);
  REQUIRE(task.open().ok());
  TimeNs now_ns = kNsPerSecond;
  REQUIRE(task.do_work(now_ns).ok());
  CHECK(resumed == 0);

  draining = true;
  REQUIRE(task.do_work(++now_ns).ok());
  CHECK(resumed == 1);  // it is told at once, and once
  CHECK(task.wake_at_ns() == now_ns + kNsPerSecond);
  REQUIRE(task.do_work(++now_ns).ok());
  CHECK(resumed == 1);
  REQUIRE(task.do_work(now_ns + kNsPerSecond).ok());
  CHECK(resumed == 2);  // afterwards when it asked for it
  task.close();
}

// Has much to give for every record, and looks at the record each time.
class Generous final : public Operator {
 public:
  Generous(int& resumed, std::int64_t& seen) : resumed_(resumed), seen_(seen) {}
  Result<void> open(const OperatorContext&) override { return {}; }
  Result<Step> process(std::uint32_t, const Batch& batch, Emitter&, TimeNs) override {
    batch_ = batch;
    left_ = 1000;
    return Step::has_more();
  }
  Result<Step> resume(Emitter&, TimeNs) override {
    ++resumed_;
    seen_ = batch_.column(0).int64s()[0];
    return --left_ > 0 ? Step::has_more() : Step::needs_input();
  }

 private:
  int& resumed_;
  std::int64_t& seen_;
  Batch batch_;
  int left_ = 0;
};

TEST_CASE("An operator with much to give keeps its thread neither from other tasks nor from being stopped") {
  std::atomic<bool> draining{false};
  int resumed = 0;
  std::int64_t seen = -1;
  std::unique_ptr<Pool> pool = test::make_pool({{4096, 8}});
  test::TwoEnds ends(*pool, kSchema, {{0, 2, 0}}, kMarks);
  ends.receiver->open();
  BatchStaging row(kSchema);
  row.column(0).append_int64(42);
  REQUIRE(ends.sender->append(row.view(), std::uint32_t{0}, 1, 0).status == AppendStatus::kDone);
  ends.sender->flush();
  std::vector<Chain::Stage> stages;
  stages.push_back(stage_of("generous", std::make_unique<Generous>(resumed, seen), draining));
  stages[0].outputs.resize(1);
  std::vector<Task::Input> inputs;
  inputs.push_back({std::move(ends.receiver), 0});
  Task task("generous[0]", std::move(stages), std::move(inputs), {}, false, kLingerNs, draining);
  REQUIRE(task.open().ok());
  int rounds = 0;
  for (TimeNs now_ns = kNsPerSecond; resumed < 1000 && rounds < 1000; ++now_ns, ++rounds) {
    const int before = resumed;
    const Result<bool> worked = task.do_work(now_ns);
    REQUIRE(worked.ok());
    CHECK(*worked);
    CHECK(resumed - before <= 16);
    CHECK(seen == 42);  // the block is the task's until the operator is done with it
  }
  CHECK(resumed == 1000);
  CHECK(rounds > 60);
  task.close();
}

TEST_CASE("What one edge was given leaves after the linger time though another edge has no credit") {
  Forked forked;
  forked.first.receiver->open();  // the second edge's receiver grants nothing
  const TimeNs start_ns = kNsPerSecond;
  REQUIRE(forked.task->do_work(start_ns).ok());
  CHECK(forked.first.link.arrived() == 0);
  CHECK(forked.task->wake_at_ns() == start_ns + kLingerNs);

  REQUIRE(forked.task->do_work(start_ns + kLingerNs + 1).ok());
  CHECK(forked.first.link.arrived() == 1);
  CHECK(forked.task->wake_at_ns() == kNever);  // from now on only a credit helps
  forked.first.receiver->discard_arrived();
  forked.task->close();
  CHECK(forked.pool->held_blocks().empty());
}

}  // namespace
}  // namespace sluice
