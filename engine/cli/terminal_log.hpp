#pragma once

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "runtime/base/log.hpp"

namespace sluice {

// Standard error of a run: log lines, and below them on a terminal one progress line that is redrawn in
// place. What cannot be written (a full disk, a reader that went away) is left out: the job goes on.
// Thread-safe.
class TerminalLog final : public Log {
 public:
  explicit TerminalLog(std::FILE* to = stderr);

  void write(LogLevel level, std::string_view message) override;
  // As it is.
  void text(std::string_view text);
  bool shows_progress() const { return terminal_; }
  void progress(std::string line);
  void clear_progress();

 private:
  void put(std::string_view text) { std::fwrite(text.data(), 1, text.size(), to_); }
  void erase_progress();

  std::mutex mutex_;
  std::FILE* const to_;
  const bool terminal_;
  bool progress_shown_ = false;
};

}  // namespace sluice
