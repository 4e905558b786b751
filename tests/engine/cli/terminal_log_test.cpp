#include "engine/cli/terminal_log.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

namespace sluice {
namespace {

TEST_CASE("a log that cannot be written is left out, and ends nothing") {
  std::FILE* const full = std::fopen("/dev/full", "w");
  if (full == nullptr) {
    MESSAGE("skipped: no /dev/full here");
    return;
  }
  std::setvbuf(full, nullptr, _IONBF, 0);  // as standard error is
  TerminalLog log(full);
  CHECK_NOTHROW(log.write(LogLevel::warning, "a bad record"));
  CHECK_NOTHROW(log.text("1 records read\n"));
  CHECK_NOTHROW(log.clear_progress());
  std::fclose(full);
}

TEST_CASE("log lines name their level, and a file gets no progress") {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  TerminalLog log(file);
  log.progress("in 5/s");
  log.write(LogLevel::info, "a");
  log.write(LogLevel::warning, "b");
  log.write(LogLevel::error, "c");
  log.text("d\n");
  std::rewind(file);
  std::string text(200, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  CHECK(text == "sluice: a\nsluice: warning: b\nsluice: error: c\nd\n");
  std::fclose(file);
}

}  // namespace
}  // namespace sluice
