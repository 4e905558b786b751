#include "engine/cli/standard_descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace sluice {

void hold_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1) continue;
    // open() takes the lowest free number, which is this one. Open for the opposite of what it is used for.
    (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace sluice
