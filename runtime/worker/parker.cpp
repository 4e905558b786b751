#include "runtime/worker/parker.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "runtime/base/check.hpp"

namespace sluice {

Parker::Parker() : event_fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  SLUICE_CHECK(event_fd_ >= 0, "eventfd: errno {}", errno);
}

Parker::~Parker() { ::close(event_fd_); }

void Parker::wake() {
  if (!flag_.take_sleeper()) return;
  const std::uint64_t one = 1;
  // Non-blocking; it fails only with the counter at its maximum, and then the sleeper wakes anyway.
  [[maybe_unused]] const ssize_t n = ::write(event_fd_, &one, sizeof one);
}

void Parker::park(TimeNs now_ns, TimeNs until_ns) {
  timespec timeout{};
  if (until_ns != kNever) {
    const TimeNs wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    timeout.tv_sec = wait_ns / kNsPerSecond;
    timeout.tv_nsec = wait_ns % kNsPerSecond;
  }
  pollfd fd{event_fd_, POLLIN, 0};
  ::ppoll(&fd, 1, until_ns == kNever ? nullptr : &timeout, nullptr);
  flag_.retract();
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t n = ::read(event_fd_, &count, sizeof count);
}

}  // namespace sluice
