#include <doctest/doctest.h>
#include <pthread.h>

#include <csignal>
#include <initializer_list>
#include <string>

#include "tests/engine/cli/command_line_run.hpp"
#include "tests/engine/graph_run.hpp"

namespace sluice {

TEST_CASE("a signal that comes as the job ends is taken, and does not kill the process afterwards") {
  const TemporaryFolder folder;
  folder.write("graph.json", R"({"name": "short", "operators": [
      {"id": "none", "type": "generator", "config": {"count": 0, "columns": [
          {"name": "n", "type": "int64", "gen": "sequence"}]}},
      {"id": "out", "type": "null_sink"}], "edges": [{"from": "none", "to": "out"}]})");
  for (const int signal : {SIGINT, SIGTERM}) {
    CAPTURE(signal);
    sigset_t set;
    sigset_t before;
    ::sigemptyset(&set);
    ::sigaddset(&set, signal);
    REQUIRE(::pthread_sigmask(SIG_BLOCK, &set, &before) == 0);
    // Waits to be taken from the first moment on: the job may end before anybody looks.
    REQUIRE(::pthread_kill(::pthread_self(), signal) == 0);
    const CommandLineResult result = run_sluice({"run", folder.path("graph.json")});
    CHECK(result.exit_code == (signal == SIGINT ? 130 : 0));
    sigset_t pending;
    ::sigpending(&pending);
    CHECK(::sigismember(&pending, signal) == 0);
    const timespec now{};
    (void)::sigtimedwait(&set, nullptr, &now);  // a failed test must not end the others
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
}

}  // namespace sluice
