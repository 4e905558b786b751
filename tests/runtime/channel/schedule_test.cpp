#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <optional>

#include "tests/runtime/channel/two_ends.hpp"
#include "tests/runtime/data/random_rows.hpp"

namespace sluice {
namespace {

// A channel whose two ends take their steps in any order, on one thread, beside a list of the rows that must
// come out. The pool has exactly the blocks of the windows, so whoever keeps one too many is found at once.
class Schedule {
 public:
  Schedule(test::RandomRows& random, bool bulk_lane)
      : random_(random),
        schema_(random.schema(4)),
        lanes_(make_lanes(random, bulk_lane)),
        pool_(test::make_pool(tiers(lanes_))),
        ends_(*pool_, schema_, lanes_, marks(random, lanes_[0])) {
    refill();
  }

  void step(unsigned choice) {
    now_ns_ += static_cast<TimeNs>(random_.below(20) * kNsPerMs);
    switch (choice % 12) {
      case 0:
        ends_.receiver->open();  // however often, and only at some time, but it changes nothing more
        opened_ = true;
        break;
      case 1:
      case 2:
      case 3:
        append();
        break;
      case 4:
        ends_.sender->flush();
        break;
      case 5:
        ends_.sender->flush_older(now_ns_ - 5 * kNsPerMs);
        break;
      case 6:
        watermark();
        break;
      case 7:
      case 8:
      case 9:
        poll();
        break;
      case 10:
        held_.reset();
        break;
      case 11:
        ends_.receiver->tick(now_ns_, random_.below(2) == 0);
        break;
    }
    check();
  }

  // Both ends go on, fairly, until the end of the stream has come.
  void run_to_end() {
    if (!opened_) ends_.receiver->open();
    if (!ended_) ends_.sender->end_of_stream();
    ended_ = true;
    for (int round = 0; !ends_.receiver->ended(); ++round) {
      RC_ASSERT(round < 1000);  // stuck
      now_ns_ += kNsPerMs;
      poll();
      held_.reset();
      ends_.receiver->tick(now_ns_, true);
      ends_.sender->flush();
      check();
    }
    RC_ASSERT(received_.size() == sent_.size());
    RC_ASSERT(seen_watermark_ == last_watermark_);
    RC_ASSERT(ends_.counters.sender.records.read_relaxed() == ends_.counters.receiver.records.read_relaxed());
    expect_all_back();
  }

  void cancel() {
    ends_.sender->abandon();
    held_.reset();
    ends_.receiver->discard_arrived();
    expect_all_back();
  }

 private:
  static std::vector<LanePlan> make_lanes(test::RandomRows& random, bool bulk) {
    std::vector<LanePlan> lanes{{0, 1 + random.below(3), random.below(5)}};
    if (bulk) lanes.push_back({1, 1 + random.below(2), 0});
    return lanes;
  }
  static std::vector<TierSize> tiers(const std::vector<LanePlan>& lanes) {
    std::vector<TierSize> tiers;
    for (const LanePlan& lane : lanes)
      tiers.push_back({std::size_t{4096} << (2 * lane.tier), lane.window_blocks(), 0});
    return tiers;
  }
  static Watermarks marks(test::RandomRows& random, const LanePlan& lane) {
    const std::uint64_t high = 1 + random.below(lane.window_blocks());
    return {high, random.below(high)};
  }

  void refill() {
    rows_ = random_.rows(schema_, 1 + random_.below(200), 1 + random_.below(20000));
    staging_.emplace(test::stage(schema_, rows_));
    next_ = 0;
  }

  void append() {
    if (next_ == rows_.size()) refill();
    const auto count = static_cast<std::uint32_t>(1 + random_.below(rows_.size() - next_));
    const AppendResult result = ends_.sender->append(staging_->view(), next_, count, now_ns_);
    RC_ASSERT(result.appended <= count);
    for (std::uint32_t i = 0; i < result.appended; ++i) sent_.push_back(rows_[next_ + i]);
    next_ += result.appended;
    if (result.status == AppendStatus::kTooLarge) ++next_;
    if (result.status == AppendStatus::kDone) RC_ASSERT(result.appended == count);
  }

  // The watermark's value is the number of rows before it, which is what it promises about them.
  void watermark() {
    last_watermark_ = static_cast<std::int64_t>(sent_.size());
    ends_.sender->watermark(*last_watermark_);
  }

  void poll() {
    if (held_) return;  // one batch at a time
    ControlMessage next;
    const bool control = ends_.link.peek_control(next);
    Result<ReceiverEvent> event = ends_.receiver->poll();
    RC_ASSERT(event.ok());
    const std::uint64_t blocks = ends_.counters.receiver.received_blocks.read_relaxed();
    if (event->kind == ReceiverEvent::Kind::batch) RC_ASSERT((!control || blocks <= next.after_sequence));
    if (event->kind == ReceiverEvent::Kind::watermark) RC_ASSERT(blocks == next.after_sequence);
    switch (event->kind) {
      case ReceiverEvent::Kind::batch:
        held_ = std::move(event->received);
        RC_ASSERT(held_->batch.rows > 0u);
        for (std::uint32_t r = 0; r < held_->batch.rows; ++r) {
          RC_ASSERT(received_.size() < sent_.size());
          RC_ASSERT(test::row(held_->batch, r) == sent_[received_.size()]);
          received_.push_back(0);
        }
        break;
      case ReceiverEvent::Kind::watermark:
        RC_ASSERT(static_cast<std::int64_t>(received_.size()) >= event->watermark_us);
        RC_ASSERT(event->watermark_us >= seen_watermark_.value_or(0));
        seen_watermark_ = event->watermark_us;
        break;
      case ReceiverEvent::Kind::idle:
        RC_FAIL("nobody said idle");
        break;
      case ReceiverEvent::Kind::end:
        RC_ASSERT(ended_);
        RC_ASSERT(received_.size() == sent_.size());
        break;
      case ReceiverEvent::Kind::nothing:
        break;
    }
  }

  void check() {
    const ChannelCounters& n = ends_.counters;
    RC_ASSERT(n.sender.blocks.read_relaxed() == ends_.sender->sent_blocks());
    RC_ASSERT(n.sender.blocks.read_relaxed() <= n.receiver.limit_blocks.read_relaxed());
    RC_ASSERT(n.receiver.received_blocks.read_relaxed() <= n.sender.blocks.read_relaxed());
    RC_ASSERT(n.receiver.consumed_blocks.read_relaxed() + (held_ ? 1 : 0) ==
              n.receiver.received_blocks.read_relaxed());
    RC_ASSERT(n.receiver.limit_blocks.read_relaxed() - n.receiver.consumed_blocks.read_relaxed() <= window());
    RC_ASSERT(pool_->exhausted() == 0u);  // credit in hand is a block in hand
  }

  std::uint64_t window() const { return test::TwoEnds::window(lanes_); }

  void expect_all_back() {
    RC_ASSERT(pool_->held_blocks().empty());
    RC_ASSERT(ends_.receiver->windows_restored());
    RC_ASSERT(ends_.receiver->consumed_blocks() == ends_.sender->sent_blocks());
  }

  test::RandomRows& random_;
  const Schema schema_;
  const std::vector<LanePlan> lanes_;
  const std::unique_ptr<Pool> pool_;
  test::TwoEnds ends_;
  TimeNs now_ns_ = kNsPerSecond;
  bool opened_ = false;
  bool ended_ = false;
  std::vector<test::Row> rows_;
  std::optional<BatchStaging> staging_;
  std::uint32_t next_ = 0;
  std::vector<test::Row> sent_;
  std::vector<char> received_;
  std::optional<ReceivedBatch> held_;
  std::optional<std::int64_t> last_watermark_;
  std::optional<std::int64_t> seen_watermark_;
};

void run(bool bulk_lane, void (Schedule::*finish)()) {
  test::RandomRows random(*rc::gen::arbitrary<std::uint64_t>());
  Schedule schedule(random, bulk_lane);
  const auto steps = *rc::gen::resize(300, rc::gen::arbitrary<std::vector<std::uint8_t>>());
  for (const std::uint8_t step : steps) schedule.step(step);
  (schedule.*finish)();
}

TEST_CASE(
    "Whatever the two ends do and when, all rows and watermarks come out in order and all credit comes "
    "back") {
  CHECK(rc::check("one lane", [] { run(false, &Schedule::run_to_end); }));
  CHECK(rc::check("fast and bulk", [] { run(true, &Schedule::run_to_end); }));
}

TEST_CASE("A channel that is cancelled at any moment gives every block and every credit back") {
  CHECK(rc::check("one lane", [] { run(false, &Schedule::cancel); }));
  CHECK(rc::check("fast and bulk", [] { run(true, &Schedule::cancel); }));
}

}  // namespace
}  // namespace sluice
