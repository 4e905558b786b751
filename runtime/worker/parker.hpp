#pragma once

#include <atomic>

#include "runtime/base/clock.hpp"
#include "runtime/ring/sleep_flag.hpp"
#include "runtime/transport/wake.hpp"

namespace sluice {

// Where one thread sleeps while it has nothing to do: an eventfd behind a SleepFlag. A wake-up of a thread
// that is awake costs a load. Sleeping costs tens of microseconds to undo, so a thread spins for
// a while before it parks.
class Parker final : public Wakeable {
 public:
  Parker();
  ~Parker() override;
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;

  // Any thread.
  void wake() override;

  // The owner's thread: announce, look for work once more, then park (or retract). Returns when woken or at
  // `until_ns`.
  void announce() { flag_.announce(); }
  void retract() { flag_.retract(); }
  void park(TimeNs now_ns, TimeNs until_ns);

 private:
  SleepFlag<> flag_;
  int event_fd_;
};

}  // namespace sluice
