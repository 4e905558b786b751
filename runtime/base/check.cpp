#include "runtime/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace sluice {

void check_failed(const char* file, int line, std::string_view condition, const std::string& values) {
  fmt::print(stderr, "sluice: {}:{}: check failed: {} ({})\n", file, line, condition, values);
  std::fflush(stderr);
  std::abort();
}

}  // namespace sluice
