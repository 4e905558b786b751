#include <doctest/doctest.h>
#include <fmt/format.h>

#include "runtime/data/column_builder.hpp"
#include "runtime/worker/task.hpp"
#include "tests/runtime/channel/two_ends.hpp"

namespace sluice {
namespace {

const Schema kSchema({{"n", Type::int64}});
constexpr Watermarks kMarks{8, 4};

// Writes down what it is told. Takes its left side (port 0) only once it may.
class Diary final : public Operator {
 public:
  explicit Diary(std::vector<std::string>& lines) : lines_(lines) {}

  bool waits_for_right = false;
  TimeNs tick_ns = 0;
  TimeNs stand_still_ns = 0;  // after each record

  Result<void> open(const OperatorContext&) override { return {}; }
  Result<Step> process(std::uint32_t port, const Batch& batch, Emitter&, TimeNs now_ns) override {
    lines_.push_back(fmt::format("{} rows on {}", batch.rows, port));
    return stand_still_ns > 0 ? Step::waits_until(now_ns + stand_still_ns) : Step::needs_input();
  }
  Result<Step> watermark(EventTimeUs watermark, Emitter&, TimeNs) override {
    return note(fmt::format("watermark {}", watermark));
  }
  Result<Step> idle(Emitter&, TimeNs) override { return note("idle"); }
  Result<Step> input_ended(std::uint32_t port, Emitter&, TimeNs) override {
    if (port == 1) waits_for_right = false;
    return note(fmt::format("end of {}", port));
  }
  bool takes(std::uint32_t port) const override { return port == 1 || !waits_for_right; }
  TimeNs tick_interval_ns() const override { return tick_ns; }
  Result<Step> tick(Emitter&, TimeNs) override { return note("tick"); }
  Result<Step> finish(Emitter&, TimeNs) override {
    lines_.emplace_back("finish");
    return Step::finished();
  }

 private:
  Result<Step> note(std::string line) {
    lines_.push_back(std::move(line));
    return Step::needs_input();
  }
  std::vector<std::string>& lines_;
};

// A task with one operator, and a channel into each of its two input ports.
struct TwoPorts {
  std::unique_ptr<Pool> pool = test::make_pool({{4096, 16}});
  test::TwoEnds left{*pool, kSchema, {{0, 2, 0}}, kMarks};
  test::TwoEnds right{*pool, kSchema, {{0, 2, 0}}, kMarks};
  std::vector<std::string> lines;
  std::atomic<bool> draining{false};
  Diary* diary = nullptr;
  std::unique_ptr<Task> task;
  TimeNs now_ns = kNsPerSecond;

  explicit TwoPorts(bool waits_for_right = false, TimeNs tick_ns = 0, TimeNs stand_still_ns = 0) {
    auto op = std::make_unique<Diary>(lines);
    diary = op.get();
    diary->waits_for_right = waits_for_right;
    diary->tick_ns = tick_ns;
    diary->stand_still_ns = stand_still_ns;
    Chain::Stage stage;
    stage.name = "diary";
    stage.op = std::move(op);
    stage.counters = std::make_unique<OperatorCounters>();
    stage.context.draining = &draining;
    stage.outputs.resize(1);
    std::vector<Chain::Stage> stages;
    stages.push_back(std::move(stage));
    left.receiver->open();
    right.receiver->open();
    std::vector<Task::Input> inputs;
    inputs.push_back({std::move(left.receiver), 0});
    inputs.push_back({std::move(right.receiver), 1});
    task = std::make_unique<Task>("diary", std::move(stages), std::move(inputs),
                                  std::vector<std::unique_ptr<EdgeSender>>{}, false, kNsPerMs, draining);
    REQUIRE(task->open().ok());
  }

  static bool send_row(ChannelSender& sender) {
    BatchStaging row(kSchema);
    row.column(0).append_int64(1);
    const bool sent = sender.append(row.view(), std::uint32_t{0}, 1, 0).status == AppendStatus::kDone;
    sender.flush();
    return sent;
  }

  // What the task told its operator since the last call.
  std::vector<std::string> work() {
    lines.clear();
    REQUIRE(task->do_work(++now_ns).ok());
    return lines;
  }
};

using Lines = std::vector<std::string>;

TEST_CASE("An idle input holds event time back no longer, and counts again with its next record") {
  TwoPorts t;
  t.left.sender->watermark(100);
  t.left.sender->flush();
  CHECK(t.work().empty());  // nothing is known of the right side

  t.right.sender->idle();
  t.right.sender->flush();
  CHECK(t.work() == Lines{"watermark 100"});

  t.right.sender->watermark(120);
  t.right.sender->flush();
  CHECK(TwoPorts::send_row(*t.right.sender));
  CHECK(t.work() == Lines{"1 rows on 1"});
  t.left.sender->watermark(200);
  t.left.sender->flush();
  CHECK(t.work() == Lines{"watermark 120"});

  t.right.sender->idle();
  t.right.sender->flush();
  CHECK(t.work() == Lines{"watermark 200"});
  CHECK(TwoPorts::send_row(*t.right.sender));
  CHECK(t.work() == Lines{"1 rows on 1"});
  t.left.sender->watermark(300);
  t.left.sender->flush();
  CHECK(t.work().empty());  // the right side is back with its old watermark, which event time has passed
  t.task->close();
}

TEST_CASE("When every input that has not ended is idle the operator is told once, and again after a record") {
  TwoPorts t;
  t.left.sender->idle();
  t.left.sender->flush();
  CHECK(t.work().empty());
  t.right.sender->idle();
  t.right.sender->flush();
  CHECK(t.work() == Lines{"idle"});
  t.left.sender->idle();
  t.left.sender->flush();
  CHECK(t.work().empty());

  CHECK(TwoPorts::send_row(*t.left.sender));
  CHECK(t.work() == Lines{"1 rows on 0"});
  t.left.sender->idle();
  t.left.sender->flush();
  CHECK(t.work() == Lines{"idle"});

  CHECK(TwoPorts::send_row(*t.left.sender));
  t.left.sender->end_of_stream();
  CHECK(t.work() == Lines{"1 rows on 0", "end of 0", "idle"});
  t.right.sender->end_of_stream();
  CHECK(t.work() == Lines{"end of 1", "finish"});
  t.task->close();
}

TEST_CASE("Idleness that a record has overtaken before it could be sent is not sent") {
  TwoPorts t;
  t.left.sender->idle();
  CHECK(TwoPorts::send_row(*t.left.sender));
  t.right.sender->idle();
  t.right.sender->flush();
  CHECK(t.work() == Lines{"1 rows on 0"});
  t.task->close();
}

TEST_CASE("A left side that is not taken yet stays in its channel, without credit for more") {
  TwoPorts t(true);
  CHECK(TwoPorts::send_row(*t.left.sender));
  CHECK(TwoPorts::send_row(*t.left.sender));
  t.left.sender->end_of_stream();
  CHECK(TwoPorts::send_row(*t.right.sender));
  CHECK(t.work() == Lines{"1 rows on 1"});
  CHECK(t.work().empty());
  CHECK(!TwoPorts::send_row(*t.left.sender));  // two blocks are its window

  t.right.sender->end_of_stream();
  CHECK(t.work() == Lines{"end of 1", "1 rows on 0", "1 rows on 0", "end of 0", "finish"});
  t.task->close();
  t.left.sender->abandon();
  CHECK(t.pool->held_blocks().empty());
}

TEST_CASE("Ticks come at their interval, also without input, and say when to come back") {
  TwoPorts t(false, kNsPerMs);
  const TimeNs first_ns = t.now_ns + 1;
  CHECK(t.work().empty());
  CHECK(t.task->wake_at_ns() == first_ns + kNsPerMs);
  t.now_ns = first_ns + kNsPerMs - 1;
  CHECK(t.work() == Lines{"tick"});
  CHECK(t.work().empty());
  t.now_ns += 5 * kNsPerMs;
  CHECK(t.work() == Lines{"tick"});  // one, however late
  t.task->close();
}

TEST_CASE("The time in which a task stands still does not count for ticks") {
  TwoPorts t(false, 10 * kNsPerMs, 100 * kNsPerMs);
  CHECK(t.work().empty());
  CHECK(TwoPorts::send_row(*t.left.sender));
  CHECK(t.work() == Lines{"1 rows on 0"});
  t.now_ns += 50 * kNsPerMs;
  CHECK(t.work().empty());
  t.now_ns += 51 * kNsPerMs;
  CHECK(t.work().empty());  // goes on; its first tick is still 10 ms away
  t.now_ns += 11 * kNsPerMs;
  CHECK(t.work() == Lines{"tick"});
  t.task->close();
}

}  // namespace
}  // namespace sluice
