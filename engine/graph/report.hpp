#pragma once

#include <string>
#include <vector>

#include "engine/graph/source_text.hpp"
#include "operators/config/catalogue.hpp"
#include "operators/config/problem.hpp"

namespace sluice {

// A problem with its place in the document. The pointer is absolute.
struct Diagnostic {
  Problem problem;
  Position position;
};

// What was found wrong with one document, in the order of the text.
struct Report {
  std::string file;
  std::vector<Diagnostic> diagnostics;

  bool ok() const { return diagnostics.empty(); }
};

// Finds the places of problems with absolute pointers, e.g. those of the planner.
Report make_report(const SourceText& source, Problems problems);
void sort_by_position(Report& report);

// `file:line:column: error[CODE] at /json/pointer: sentence`, the lines that may follow the sentence, and a
// line `  hint: …`; each ends with a newline. `colour` for terminals alone.
std::string report_as_text(const Report& report, bool colour);
// [{"file", "line", "column", "code", "pointer", "message", "hint"}, …]
Json report_as_json(const Report& report);

}  // namespace sluice
