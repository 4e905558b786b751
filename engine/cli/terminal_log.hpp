#pragma once

#include <mutex>
#include <string>

#include "runtime/base/log.hpp"

namespace sluice {

// Standard error of a run: log lines, and below them on a terminal one progress line that is redrawn in
// place. Thread-safe.
class TerminalLog final : public Log {
 public:
  TerminalLog();

  void write(LogLevel level, std::string_view message) override;
  bool shows_progress() const { return terminal_; }
  void progress(std::string line);
  void clear_progress();

 private:
  std::mutex mutex_;
  const bool terminal_;
  bool progress_shown_ = false;
};

}  // namespace sluice
