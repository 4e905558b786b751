#include "runtime/flow/watermark_gate.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "tests/death.hpp"

namespace sluice {
namespace {

TEST_CASE("The gate does what its two marks and the hold time say, for every course of occupancy") {
  CHECK(rc::check("gate against a plain model", [] {
    Watermarks marks;
    marks.low_blocks = *rc::gen::inRange(0, 8);
    marks.high_blocks = marks.low_blocks + *rc::gen::inRange(1, 8);
    WatermarkGate gate(marks);
    bool closed = false;
    std::vector<TimeNs> changed_at;
    TimeNs now_ns = *rc::gen::inRange<TimeNs>(0, kNsPerSecond);
    TimeNs closed_ns = 0;
    const TimeNs start_ns = now_ns;
    const auto course =
        *rc::gen::resize(200, rc::gen::arbitrary<std::vector<std::pair<std::uint8_t, std::uint8_t>>>());
    for (const auto& [occupancy_raw, pause] : course) {
      const std::uint64_t occupancy = occupancy_raw % 18;
      const TimeNs passed =
          pause % 8 * kNsPerMs * 2;  // up to 14 ms: some within the hold time, some beyond it
      const bool first = &occupancy_raw == &course.front().first;
      if (!first) now_ns += passed;
      if (!first && closed) closed_ns += passed;
      const bool due = closed ? occupancy <= marks.low_blocks : occupancy >= marks.high_blocks;
      const bool held = !changed_at.empty() && now_ns - changed_at.back() < WatermarkGate::kMinHoldNs;
      const bool expected = due && !held;
      RC_ASSERT(gate.update(occupancy, now_ns) == expected);
      if (expected) {
        closed = !closed;
        changed_at.push_back(now_ns);
      }
      RC_ASSERT((gate.state() == (closed ? GateState::throttled : GateState::open)));
    }
    RC_ASSERT(gate.changes() == changed_at.size());
    for (std::size_t i = 1; i < changed_at.size(); ++i) {
      RC_ASSERT(changed_at[i] - changed_at[i - 1] >= WatermarkGate::kMinHoldNs);
    }
    RC_ASSERT(gate.time_in_ns(GateState::throttled) == closed_ns);
    RC_ASSERT(gate.time_in_ns(GateState::open) == now_ns - start_ns - closed_ns);
    RC_ASSERT(gate.time_in_ns(GateState::lossy) == 0);
  }));
}

TEST_CASE("Between the marks a gate stays as it is") {
  WatermarkGate gate({8, 4});
  TimeNs now_ns = 0;
  CHECK(!gate.update(7, now_ns));
  CHECK(gate.update(8, now_ns));
  for (const std::uint64_t occupancy : {7u, 5u, 9u, 5u}) {
    now_ns += kNsPerSecond;
    CHECK(!gate.update(occupancy, now_ns));
    CHECK(gate.state() == GateState::throttled);
  }
  CHECK(gate.update(4, now_ns));
  CHECK(gate.state() == GateState::open);
}

TEST_CASE("Marks that leave no room for hysteresis are refused") {
  CHECK(test::last_words([] { WatermarkGate({4, 4}); }).find("check failed") != std::string::npos);
}

}  // namespace
}  // namespace sluice
