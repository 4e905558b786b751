#include "runtime/ring/spsc_ring.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <deque>
#include <thread>
#include <vector>

#include "runtime/base/clock.hpp"

namespace sluice {
namespace {

TEST_CASE(
    "A ring is a bounded queue in which what is not published is not seen and what is not released is not "
    "free") {
  CHECK(rc::check("ring against a plain model", [] {
    SpscRing<int> ring(static_cast<std::size_t>(*rc::gen::inRange(1, 20)));
    RC_ASSERT(ring.capacity() >= 2u);
    std::deque<int> hidden, visible;
    std::size_t unreleased = 0;
    int next = 0;
    const auto steps = *rc::gen::resize(400, rc::gen::arbitrary<std::vector<std::uint8_t>>());
    for (const std::uint8_t step : steps) {
      int item = -1;
      switch (step % 8) {
        case 0:
        case 1:
        case 2: {
          const bool room = hidden.size() + visible.size() + unreleased < ring.capacity();
          RC_ASSERT(ring.push(next) == room);
          if (room) hidden.push_back(next++);
          break;
        }
        case 3:
          ring.publish();
          visible.insert(visible.end(), hidden.begin(), hidden.end());
          hidden.clear();
          break;
        case 4:
          RC_ASSERT(ring.peek(item) == !visible.empty());
          if (!visible.empty()) RC_ASSERT(item == visible.front());
          break;
        case 5:
        case 6:
          RC_ASSERT(ring.pop(item) == !visible.empty());
          if (!visible.empty()) {
            RC_ASSERT(item == visible.front());
            visible.pop_front();
            ++unreleased;
          }
          break;
        case 7:
          ring.release();
          unreleased = 0;
          break;
      }
      RC_ASSERT(ring.available() == visible.size());
      RC_ASSERT(ring.pending() == hidden.size() + visible.size() + unreleased);
    }
  }));
}

// The thread sanitizer judges each access by what happened before it, not by luck over many; it is slow, and
// slower on a machine that does other things too.
#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kItems = 100'000;
#else
constexpr std::uint64_t kItems = 1'000'000;
#endif

TEST_CASE("Two threads hand many items over, in order, through a ring of any size") {
  for (const std::size_t capacity : {2u, 64u}) {
    CAPTURE(capacity);
    SpscRing<std::uint64_t> ring(capacity);
    const MonotonicClock clock;
    const TimeNs deadline_ns = clock.now_ns() + 300 * kNsPerSecond;  // only so that a fault ends
    const auto out_of_time = [&](std::uint64_t round) {
      return round % 4096 == 0 && clock.now_ns() > deadline_ns;
    };
    std::thread producer([&] {
      std::uint64_t waited = 0;
      for (std::uint64_t i = 0; i < kItems; ++i) {
        while (!ring.push(i)) {
          ring.publish();
          std::this_thread::yield();
          if (out_of_time(++waited)) return;
        }
        if (i % 7 == 0) ring.publish();
      }
      ring.publish();
    });
    std::uint64_t expected = 0;
    std::uint64_t wrong = 0;
    std::uint64_t waited = 0;
    while (expected < kItems) {
      std::uint64_t item = 0;
      if (!ring.pop(item)) {
        ring.release();
        std::this_thread::yield();
        if (out_of_time(++waited)) break;
        continue;
      }
      wrong += item != expected++ ? 1 : 0;
      if (expected % 5 == 0) ring.release();
    }
    ring.release();
    producer.join();
    CHECK(expected == kItems);
    CHECK(wrong == 0);
  }
}

}  // namespace
}  // namespace sluice
