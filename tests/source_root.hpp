#pragma once

#include <filesystem>

namespace sluice::test {

// The checkout that the tests were built from, for those that read its graphs.
std::filesystem::path source_root();

}  // namespace sluice::test
