#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

// Properties (RapidCheck) start from one seed, so that a test run is the same every time; RapidCheck prints
// it. For a search beyond: RC_PARAMS="seed=… max_success=…" in the environment.
int main(int argc, char** argv) {
  ::setenv("RC_PARAMS", "seed=20240229", 0);
  return doctest::Context(argc, argv).run();
}
