#include "engine/cli/standard_descriptors.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace sluice {
namespace {

bool refused(ssize_t result) { return result == -1 && errno == EBADF; }

// Runs in a child, which has nothing else to lose. 0: as it should be, else what was wrong.
int fault_with_closed(int closed) {
  ::close(closed);
  hold_standard_descriptors();
  char byte = 'x';
  if (!refused(closed == STDIN_FILENO ? ::read(closed, &byte, 1) : ::write(closed, &byte, 1))) return 1;
  return ::open("/dev/null", O_RDWR) > STDERR_FILENO ? 0 : 2;
}

}  // namespace

TEST_CASE("a standard descriptor that is closed at the start stays unusable and is given to no file") {
  for (const int closed : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    CAPTURE(closed);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(fault_with_closed(closed));
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
}

}  // namespace sluice
