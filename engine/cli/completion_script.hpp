#pragma once

#include <string>
#include <string_view>

#include "operators/config/catalogue.hpp"

namespace CLI {
class App;
}

namespace sluice {

// A script for "bash", "zsh" or "fish" that completes the verbs, their options and the values that are known:
// operator types, graphs (.json files), words to choose from. Made from the command line's own tree, so it
// cannot fall behind. "" for another shell.
std::string completion_script(const CLI::App& root, const Catalogue& catalogue, std::string_view shell);

}  // namespace sluice
