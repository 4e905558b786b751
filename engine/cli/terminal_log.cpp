#include "engine/cli/terminal_log.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <cstdio>
#include <utility>

namespace sluice {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// At most `columns` code points, so that the line does not wrap and can be erased.
std::string_view cut(std::string_view line, std::size_t columns) {
  std::size_t points = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool starts = (static_cast<unsigned char>(line[i]) & 0xC0) != 0x80;
    if (starts && ++points == columns) return line.substr(0, i);
  }
  return line;
}

}  // namespace

TerminalLog::TerminalLog(std::FILE* to) : to_(to), terminal_(::isatty(::fileno(to)) == 1) {}

void TerminalLog::write(LogLevel level, std::string_view message) {
  const char* name = level == LogLevel::error ? "error: " : level == LogLevel::warning ? "warning: " : "";
  text(fmt::format("sluice: {}{}\n", name, message));
}

void TerminalLog::text(std::string_view text) {
  const std::lock_guard lock(mutex_);
  erase_progress();
  put(text);
}

void TerminalLog::progress(std::string line) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  put(fmt::format("{}{}", kEraseLine, cut(line, terminal_columns())));
  std::fflush(to_);
  progress_shown_ = true;
}

void TerminalLog::clear_progress() {
  const std::lock_guard lock(mutex_);
  erase_progress();
}

void TerminalLog::erase_progress() {
  if (std::exchange(progress_shown_, false)) put(kEraseLine);
}

}  // namespace sluice
