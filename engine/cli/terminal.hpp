#pragma once

#include <cstdio>
#include <string_view>

namespace sluice {

// Where a verb writes: results to `out`, everything else to `err`. Colours and progress only where a person
// looks: on a terminal, and never if NO_COLOR is set. Tests put streams in memory here.
struct Terminal {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  bool colour_out = false;
  bool colour_err = false;
  bool progress = false;  // `err` is a terminal

  void write_out(std::string_view text) const { std::fwrite(text.data(), 1, text.size(), out); }
  void write_err(std::string_view text) const { std::fwrite(text.data(), 1, text.size(), err); }
};

Terminal standard_terminal();

}  // namespace sluice
