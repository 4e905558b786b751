#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace sluice::test {

// Runs `call` in a child process. What it said on standard error if a check stopped it; empty if nothing did.
template <typename Call>
std::string last_words(Call&& call) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGABRT, SIG_DFL);  // the test framework has a handler of its own
    ::dup2(ends[1], STDERR_FILENO);
    call();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string words;
  char buffer[512];
  for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    words.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? words : std::string();
}

}  // namespace sluice::test
