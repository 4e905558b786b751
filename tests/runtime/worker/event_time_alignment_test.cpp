#include <doctest/doctest.h>

#include "runtime/worker/event_time_alignment.hpp"

namespace sluice {
namespace {

constexpr TimeNs kSecond = kNsPerSecond;

void look(EventTimeAlignment& alignment, EventTimeUs first, EventTimeUs second) {
  alignment.begin();
  alignment.see(0, first);
  alignment.see(1, second);
  alignment.end();
}

TEST_CASE("The group that is ahead in event time is held, the one behind and one alone never") {
  EventTimeAlignment alignment(2);
  look(alignment, 10, 20);
  CHECK(!alignment.holds(0));
  CHECK(alignment.holds(1));
  look(alignment, 20, 20);
  CHECK(!alignment.holds(0));
  CHECK(!alignment.holds(1));
  look(alignment, 30, kWatermarkNone);
  CHECK(alignment.holds(0));
  alignment.release();
  CHECK(!alignment.holds(0));

  EventTimeAlignment one(1);
  CHECK(!one.applies());
  one.begin();
  one.see(0, 10);
  one.see(0, 20);  // two inputs of a group: the one that is behind counts for both
  one.end();
  CHECK(!one.holds(0));
}

TEST_CASE("Of a group the input that is behind counts, and groups that have ended hold nobody") {
  EventTimeAlignment alignment(3);
  alignment.begin();
  alignment.see(0, 50);
  alignment.see(0, 5);
  alignment.see(1, 10);
  alignment.end();  // group 2 has ended
  CHECK(!alignment.holds(0));
  CHECK(alignment.holds(1));
}

TEST_CASE("Patience ends: after each second without an event one more passes, until the group behind moves") {
  EventTimeAlignment alignment(2);
  look(alignment, 10, 20);
  TimeNs now = 5 * kSecond;
  CHECK(alignment.patient(now));
  CHECK(alignment.patient_until_ns() == now + kSecond);
  CHECK(alignment.patient(now + kSecond - 1));
  for (int passing = 1; passing <= 3; ++passing) {
    CHECK(alignment.patient(now));
    now += kSecond;
    CHECK(!alignment.patient(now));
    for (int i = 0; i < passing; ++i) {
      CHECK(!alignment.holds(1));
      alignment.progress();
    }
    CHECK(alignment.holds(1));
  }
  look(alignment, 15, 20);
  CHECK(alignment.patient(now));
  CHECK(!alignment.patient(now + kSecond));
  alignment.progress();
  CHECK(alignment.holds(1));  // one again
}

TEST_CASE("An event in between begins patience anew") {
  EventTimeAlignment alignment(2);
  look(alignment, 10, 20);
  CHECK(alignment.patient(0));
  alignment.progress();
  CHECK(alignment.patient(kSecond));
  CHECK(alignment.patient(2 * kSecond - 1));
  CHECK(!alignment.patient(2 * kSecond));
}

}  // namespace
}  // namespace sluice
