#include "runtime/flow/credit.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <numeric>
#include <vector>

#include "tests/death.hpp"

namespace sluice {
namespace {

// Both ends of one lane, and between them a credit path that keeps every grant it ever saw and delivers any
// of them at any time, or none: lost, repeated and reordered grants in one. The plain model beside them
// counts on its own.
struct Lane {
  Lane(std::uint64_t reserved, std::uint64_t floating)
      : window(reserved, floating), most_floating(floating) {}

  ReceiveWindow window;
  SendCredit credit;
  std::vector<std::uint64_t> grants;
  std::uint64_t on_the_way = 0;
  std::uint64_t most_floating;
  std::uint64_t last_limit = 0;
  std::uint64_t sent = 0, received = 0, consumed = 0;  // the model

  void step(unsigned choice, unsigned amount) {
    switch (choice) {
      case 0:
        grants.push_back(window.limit());
        break;
      case 1:
        if (!grants.empty()) credit.hear(grants[amount % grants.size()]);
        break;
      case 2:
      case 3:
        if (credit.available() > 0) {
          credit.spend();
          ++sent;
          ++on_the_way;
        }
        break;
      case 4:
        if (on_the_way > 0) {
          --on_the_way;
          RC_ASSERT(window.receive());
          ++received;
        }
        break;
      case 5:
        if (received > consumed) {
          window.consume();
          ++consumed;
        }
        break;
      case 6: {
        const std::uint64_t floating = amount % (most_floating + 1);
        window.set_floating(floating);
        break;
      }
    }
    check();
  }

  void check() {
    RC_ASSERT(credit.sent() == sent);
    RC_ASSERT(window.received() == received);
    RC_ASSERT(window.consumed() == consumed);
    RC_ASSERT(credit.sent() <= credit.limit());   // I1
    RC_ASSERT(credit.limit() <= window.limit());  // I1
    RC_ASSERT(window.limit() >= last_limit);      // the edge never retreats
    RC_ASSERT(window.limit() >= consumed + window.reserved() + window.floating());
    RC_ASSERT(window.outstanding() <= window.reserved() + most_floating);  // I2, floating withheld or not
    RC_ASSERT(sent - consumed <= window.outstanding());                    // room for all that is under way
    last_limit = window.limit();
  }

  // Everything arrives and is consumed, and the newest grant is heard.
  void settle() {
    while (on_the_way > 0) step(4, 0);
    while (received > consumed) step(5, 0);
    credit.hear(window.limit());
  }
};

TEST_CASE("Lost, repeated and reordered grants never let a sender exceed its window, and cost no credit") {
  CHECK(rc::check("credit of one lane", [] {
    Lane lane(*rc::gen::inRange(1, 4), *rc::gen::inRange(0, 6));
    const auto steps =
        *rc::gen::resize(400, rc::gen::arbitrary<std::vector<std::pair<std::uint8_t, std::uint8_t>>>());
    for (const auto& [choice, amount] : steps) lane.step(choice % 7, amount);
    lane.settle();
    lane.window.set_floating(lane.most_floating);
    lane.credit.hear(lane.window.limit());
    RC_ASSERT(lane.credit.available() == lane.window.window());  // the window is back at its first size
  }));
}

TEST_CASE("Several lanes together never have more outstanding than the pool has blocks") {
  CHECK(rc::check("credit of several lanes", [] {
    std::vector<Lane> lanes;
    std::uint64_t pool = 0;
    for (int n = *rc::gen::inRange(1, 6); n > 0; --n) {
      lanes.emplace_back(*rc::gen::inRange(1, 4), *rc::gen::inRange(0, 6));
      pool += lanes.back().window.window();
    }
    const auto steps =
        *rc::gen::resize(600, rc::gen::arbitrary<std::vector<std::pair<std::uint8_t, std::uint8_t>>>());
    for (const auto& [choice, amount] : steps) {
      lanes[amount % lanes.size()].step(choice % 7, amount / 7);
      const auto outstanding =
          std::accumulate(lanes.begin(), lanes.end(), std::uint64_t{0},
                          [](auto sum, const Lane& l) { return sum + l.window.outstanding(); });
      RC_ASSERT(outstanding <= pool);  // I3
    }
  }));
}

TEST_CASE("Floating credit that was withheld is granted at once when it is floating again") {
  ReceiveWindow window(2, 6);
  CHECK(window.limit() == 8);
  window.set_floating(0);
  CHECK(window.limit() == 8);  // what was granted stays granted
  for (int i = 0; i < 8; ++i) REQUIRE(window.receive());
  CHECK(!window.receive());
  for (int i = 0; i < 6; ++i) window.consume();
  CHECK(window.limit() == 8);  // withheld: consumption only draws the window in
  window.consume();
  CHECK(window.limit() == 9);
  window.consume();
  CHECK(window.limit() == 10);
  window.set_floating(6);
  CHECK(window.limit() == 16);
}

TEST_CASE("A sender that has used all its credit hears of new credit without an idle round") {
  CHECK(rc::check("a sender is never left without credit", [] {
    ReceiveWindow window(*rc::gen::inRange(1, 5), *rc::gen::inRange(0, 9));
    GrantSchedule grants;
    SendCredit credit;
    grants.mark_published(window.limit());
    const auto steps = *rc::gen::resize(300, rc::gen::arbitrary<std::vector<std::uint8_t>>());
    for (const std::uint8_t step : steps) {
      credit.hear(grants.published());
      if (step % 3 == 0 && credit.available() > 0) credit.spend();
      if (step % 3 == 1 && window.received() < credit.sent()) RC_ASSERT(window.receive());
      if (step % 3 == 2 && window.consumed() < window.received()) {
        window.consume();
        const bool due = grants.due(window, false);
        if (window.received() == grants.published()) RC_ASSERT(due);  // none left: at once
        const std::uint64_t news = window.limit() - grants.published();
        if (news * 4 >= window.window()) RC_ASSERT(due);  // a quarter of the window
        if (due) grants.mark_published(window.limit());
      }
      RC_ASSERT(grants.published() <= window.limit());
      const bool stuck = credit.sent() == grants.published() && window.consumed() == credit.sent();
      RC_ASSERT(!stuck);
      // Idle tells everything there is, and nothing twice.
      RC_ASSERT(grants.due(window, true) == (grants.published() != window.limit()));
    }
  }));
}

TEST_CASE(
    "Credit that was not granted cannot be spent, and a block that was not received cannot be consumed") {
  CHECK(test::last_words([] { SendCredit().spend(); }).find("check failed") != std::string::npos);
  CHECK(test::last_words([] { ReceiveWindow(1, 0).consume(); }).find("check failed") != std::string::npos);
}

}  // namespace
}  // namespace sluice
