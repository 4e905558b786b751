#pragma once

#include <string_view>

namespace sluice {

enum class LogLevel { info, warning, error };

// Where the lower layers report what a person should read. The engine decides what becomes of it.
// Thread-safe.
class Log {
 public:
  virtual ~Log() = default;
  virtual void write(LogLevel level, std::string_view message) = 0;
};

}  // namespace sluice
