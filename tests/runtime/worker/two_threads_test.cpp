#include <doctest/doctest.h>

#include <thread>

#include "runtime/data/column_builder.hpp"
#include "runtime/worker/parker.hpp"
#include "tests/runtime/channel/two_ends.hpp"

namespace sluice {
namespace {

constexpr TimeNs kDeadlineNs = 300 * kNsPerSecond;  // only so that a lost wake-up ends

// Both ends of a channel on threads of their own, which sleep whenever they find nothing to do.
struct Threads {
  const Schema schema{std::vector<Field>{{"n", Type::int64}, {"s", Type::string}}};
  const std::vector<LanePlan> lanes;
  const std::unique_ptr<Pool> pool;
  PoolCache sender_cache{*pool};
  PoolCache receiver_cache{*pool};
  Parker sender_parker;
  Parker receiver_parker;
  LocalLink link;
  ChannelCounters counters;
  ChannelSender sender;
  ChannelReceiver receiver;
  const MonotonicClock clock;
  const TimeNs deadline_ns = clock.now_ns() + kDeadlineNs;

  explicit Threads(std::uint64_t window)
      : lanes{{0, 1, window - 1}},
        pool(test::make_pool({{4096, window, 0}})),
        link(window, 1, sender_parker, receiver_parker),
        sender(ChannelId(0), TaskId(0), schema, lanes, sender_cache, link, counters),
        receiver(ChannelId(0), TaskId(1), schema, lanes, {window, window / 2}, receiver_cache, link,
                 counters) {}

  // Calls `work` until it says that it is done; sleeps when it did nothing. False: nobody woke us in time.
  template <typename Work>
  bool go_round(Parker& parker, Work work) {
    bool done = false;
    while (!done) {
      if (work(done)) continue;
      if (done) break;
      parker.announce();
      if (work(done) || done) {
        parker.retract();
        continue;
      }
      parker.park(clock.now_ns(), deadline_ns);
      if (clock.now_ns() >= deadline_ns) return false;
    }
    return true;
  }
};

TEST_CASE("Two threads that sleep whenever they can lose no row, no watermark and no wake-up") {
  for (const std::uint64_t window : {1u, 2u, 8u}) {
    CAPTURE(window);
    Threads t(window);
    constexpr std::int64_t kRows = 20'000;
    bool sender_woke = false;
    std::thread sender([&] {
      std::int64_t next = 0;
      BatchStaging staging(t.schema);
      sender_woke = t.go_round(t.sender_parker, [&](bool& done) {
        if (next == kRows) {
          t.sender.end_of_stream();
          done = !t.sender.pending();
          return false;
        }
        staging.clear();
        staging.column(0).append_int64(next);
        staging.column(1).append_string(std::string(static_cast<std::size_t>(next % 900), 's'));
        if (t.sender.append(staging.view(), 0u, 1u, 0).status != AppendStatus::kDone) return false;
        ++next;
        if (next % 5 == 0) t.sender.watermark(next);
        if (next % 3 == 0) t.sender.flush();
        return true;
      });
    });
    std::int64_t expected = 0;
    std::int64_t watermark = 0;
    std::uint64_t wrong = 0;
    t.receiver.open();
    const bool receiver_woke = t.go_round(t.receiver_parker, [&](bool& done) {
      Result<ReceiverEvent> event = t.receiver.poll();
      if (!event.ok()) {
        ++wrong;
        done = true;
        return false;
      }
      if (event->kind == ReceiverEvent::Kind::batch) {
        const Batch& batch = event->received->batch;
        for (std::uint32_t r = 0; r < batch.rows; ++r) {
          const std::int64_t n = batch.column(0).int64s()[r];
          wrong += n != expected++ || batch.column(1).string(r).size() != static_cast<std::size_t>(n % 900)
                       ? 1
                       : 0;
        }
      } else if (event->kind == ReceiverEvent::Kind::watermark) {
        wrong += event->watermark_us < watermark || event->watermark_us > expected ? 1 : 0;
        watermark = event->watermark_us;
      }
      const bool worked = event->kind != ReceiverEvent::Kind::nothing;
      event->received.reset();
      t.receiver.tick(t.clock.now_ns(), !worked);
      done = t.receiver.ended();
      return worked;
    });
    sender.join();
    REQUIRE(sender_woke);
    REQUIRE(receiver_woke);
    CHECK(wrong == 0);
    CHECK(expected == kRows);
    CHECK(watermark == kRows);
    CHECK(t.pool->held_blocks().empty());
    CHECK(t.pool->exhausted() == 0);
    CHECK(t.receiver.windows_restored());
    CHECK(t.receiver.consumed_blocks() == t.sender.sent_blocks());
  }
}

}  // namespace
}  // namespace sluice
