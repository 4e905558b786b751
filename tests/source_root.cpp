#include "tests/source_root.hpp"

namespace sluice::test {

std::filesystem::path source_root() { return SLUICE_SOURCE_ROOT; }

}  // namespace sluice::test
