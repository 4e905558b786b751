#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operators/config/catalogue.hpp"

namespace sluice {

// One input: where it is, and how the user would call it.
struct InputPath {
  std::string path;   // "-" is standard input
  std::string shown;  // relative to the graph file, as written
};

// The files that config["path"] means: a path, a pattern with * ? [ ] (matches in byte order, folders left
// out), or a list of both. A file that exists under the very name is that file, whatever characters the name
// holds. A file that is named twice is read once. What is not there becomes a problem.
std::vector<InputPath> resolve_inputs(const Json& path, const std::string& base_directory,
                                      Problems& problems);

// The one file that config["path"] names and that will be followed: it need not be there yet, but the folder
// must be. Patterns, lists, standard input and what is no regular file become problems, and give nothing.
std::optional<InputPath> resolve_followed(const Json& path, const std::string& base_directory,
                                          Problems& problems);

// `path` seen from `base_directory`.
std::string path_from(const std::string& base_directory, const std::string& path);

}  // namespace sluice
