#include <doctest/doctest.h>

#include <atomic>

#include "operators/join/join.hpp"
#include "tests/operators/operator_harness.hpp"

// Many rows, column by column: what a join holds of them.
namespace sluice::test {
namespace {

constexpr std::int64_t kMinuteUs = 60'000'000;
constexpr std::int64_t kDayUs = 24 * 60 * kMinuteUs;

class CountingEmitter final : public Emitter {
 public:
  void emit(std::uint32_t port, const Batch& batch) override { rows[port] += batch.rows; }
  void emit_watermark(EventTimeUs) override {}
  void emit_idle() override {}
  std::array<std::uint64_t, 4> rows{};
};

// A side whose key i has the time i·step, with some disorder; every row carries the watermark before it.
class KeyedSide {
 public:
  KeyedSide(const Schema& schema, std::int64_t rows, std::int64_t step_us, std::int64_t bound_us)
      : staging_(schema), rows_(rows), step_us_(step_us), bound_us_(bound_us) {}

  bool ended() const { return next_ == rows_; }
  EventTimeUs watermark() const { return watermark_; }
  Batch next_batch() {
    staging_.clear();
    for (; next_ < rows_ && staging_.rows() < kTargetBatchRows; ++next_) {
      const std::int64_t key = next_ ^ 1;  // neighbours change places
      const EventTimeUs time = key * step_us_;
      staging_.column(0).append_int64(key);
      staging_.column(1).append_int64(time);
      staging_.column(2).append_int64(watermark_);
      watermark_ = std::max(watermark_, time - bound_us_);
    }
    return staging_.view();
  }

 private:
  BatchStaging staging_;
  const std::int64_t rows_, step_us_, bound_us_;
  std::int64_t next_ = 0;
  EventTimeUs watermark_ = kWatermarkNone;
};

struct StateRun {
  std::uint64_t joined, late, peak_bytes, peak_keys, end_bytes;
};

StateRun run_day(const std::string& kind, std::int64_t keys) {
  const Schema schema({{"k", Type::int64}}, true);
  const Json on = Json::array({Json::array({"k", "k"})});
  const auto bound =
      bind_config(join_type(), {{"type", "interval"}, {"on", on}, {"within", {"-1m", "1m"}}, {"kind", kind}},
                  {schema, schema});
  OperatorCounters counters;
  StateBudget budget;
  StateShare share(budget, counters.state_bytes, counters.state_keys);
  const std::atomic<bool> draining{false};
  OperatorContext context;
  context.connected_ports = ~0u;
  context.counters = &counters;
  context.state = &share;
  context.draining = &draining;
  const auto op = bound->create();
  REQUIRE(op->open(context).ok());
  CountingEmitter out;
  const auto finish_step = [&](Result<Step> step) {
    REQUIRE(step.ok());
    while (step->next == Step::Next::kHasMore) {
      step = op->resume(out, 0);
      REQUIRE(step.ok());
    }
  };
  KeyedSide sides[] = {{schema, keys, kDayUs / keys, 1'000'000}, {schema, keys, kDayUs / keys, 1'000'000}};
  EventTimeUs watermark = kWatermarkNone;
  while (!sides[0].ended() || !sides[1].ended()) {
    for (std::uint32_t port = 0; port < 2; ++port) {
      finish_step(op->process(port, sides[port].next_batch(), out, 0));
      const EventTimeUs least = std::min(sides[0].watermark(), sides[1].watermark());
      if (least > watermark) finish_step(op->watermark(watermark = least, out, 0));
    }
  }
  const std::uint64_t end_bytes = counters.state_bytes.read_relaxed();
  finish_step(op->finish(out, 0));
  op->close();
  return {out.rows[0], counters.late.read_relaxed(), counters.state_bytes.peak_relaxed(),
          counters.state_keys.peak_relaxed(), end_bytes};
}

TEST_CASE("A million keys over a day, joined within a minute, hold the state of minutes") {
  constexpr std::int64_t kKeys = 1'000'000;
  for (const char* kind : {"inner", "left"}) {
    CAPTURE(kind);
    const StateRun run = run_day(kind, kKeys);
    CHECK(run.joined == kKeys);
    CHECK(run.late == 0);
    // A minute has 694 keys a side: a few minutes of them, in chunks of 1024 rows.
    CHECK(run.peak_keys < 10'000);
    CHECK(run.peak_bytes < 1'000'000);
  }
}

TEST_CASE("What a join holds does not depend on how long it has been running") {
  const StateRun shorter = run_day("left", 20'000);
  const StateRun longer = run_day("left", 200'000);
  // Ten times the rows in the same time: state follows the rows a minute, not all rows.
  CHECK(longer.peak_bytes < shorter.peak_bytes * 4);
  CHECK(longer.end_bytes <= longer.peak_bytes);
}

}  // namespace
}  // namespace sluice::test
