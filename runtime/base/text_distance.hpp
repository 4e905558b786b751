#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// `did you mean "x"?` for the candidate nearest to `name` by edit distance (with transpositions), or "" if
// none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace sluice
