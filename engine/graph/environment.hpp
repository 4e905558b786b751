#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/json_document.hpp"
#include "engine/graph/load.hpp"
#include "engine/graph/source_text.hpp"

namespace sluice {

// A document's text with its environment variables replaced.
struct Substitution {
  std::string text;
  std::vector<TextPiece> pieces;        // for SourceText
  std::vector<PlacedProblem> problems;  // offsets in `text`, ascending
};

// Replaces ${VAR} and ${VAR:-default}; as in a shell the default also stands in for an empty variable. `$${`
// gives a literal `${`.
//
// Inside a JSON string a value is escaped, so that quotes, backslashes and line breaks in it stay part of
// that one string; outside it is inserted as it is, so that "threads": ${THREADS} may give a number. A
// default is text of the document and is inserted as it is in both cases; it ends at the first `}`. Values
// are not searched for further variables. For a variable that is not set, and for a ${ that cannot be read,
// an empty string or null stands in.
Substitution substitute_environment(std::string_view source, const Environment& environment);

}  // namespace sluice
