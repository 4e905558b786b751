#include "tests/fuzz/fuzz_input.hpp"

#include <cstdio>
#include <cstdlib>

namespace sluice::fuzz {

void fail(std::string_view sentence) {
  std::fprintf(stderr, "property broken: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
  std::abort();
}

}  // namespace sluice::fuzz
