#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "operators/config/catalogue.hpp"
#include "operators/config/problem.hpp"

namespace sluice {

// A problem that knows its own place in the scanned text (a second key, a byte) instead of leaving it to its
// pointer.
struct PlacedProblem {
  Problem problem;
  std::size_t offset = 0;
};

// A JSON text as a value, with what is wrong with the text itself: not JSON (then `complete` is false and the
// root is what came before), keys written twice (the first counts), numbers that fit no type.
struct JsonDocument {
  Json root;
  bool complete = false;
  std::vector<PlacedProblem> problems;
  // Pointers of values that stand in for something that could not be read. Further problems of them or below
  // them are noise.
  std::unordered_set<std::string> unreliable;
  // The pointer of the value that holds each of `unset`, "" where none does.
  std::vector<std::string> unset_pointers;
};

// `unset` are the offsets at which something stands in for an environment variable without a value, in
// ascending order.
JsonDocument parse_json_document(std::string_view text, std::size_t max_depth,
                                 const std::vector<std::size_t>& unset = {});

}  // namespace sluice
