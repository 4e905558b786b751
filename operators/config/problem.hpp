#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/error.hpp"
#include "runtime/base/text_distance.hpp"

namespace sluice {

// One thing wrong with a configuration. `pointer` is a JSON pointer relative to the value that was handed in
// (an operator's `config`, e.g. "/aggregates/0/expr"; "" is the config itself); the graph parser turns it
// into file, line and column.
struct Problem {
  std::string pointer;
  ErrorCode code = ErrorCode::bad_value;
  std::string
      message;       // one sentence; may be followed by lines that show an expression with a caret under it
  std::string hint;  // what to do, "" if there is nothing to say: did you mean "capacity"?
};

using Problems = std::vector<Problem>;

// `name` as one step of a JSON pointer (~ and / escaped).
std::string pointer_step(std::string_view name);
// The name that a step stands for: the way back.
std::string pointer_name(std::string_view step);

}  // namespace sluice
