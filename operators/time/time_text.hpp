#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace sluice {

// Timestamps as text and numbers. int64 microseconds since 1970-01-01 UTC; years 0001 to 9999.

// A timestamp format of graph.md: iso8601, epoch_s, epoch_ms, epoch_us or a strptime pattern (%Y %m %d %H %M
// %S with fraction, %b %B %a %A %y %j %e %I %p %T %D %F %R %s %f %z %Z %n %t %% …), read as UTC unless it
// holds a zone. Compiled once; parse is const and thread-safe.
class TimeFormat {
 public:
  // `default_year` is for patterns that hold no year.
  static Result<TimeFormat> compile(std::string_view format, std::optional<int> default_year = std::nullopt);

  // The whole text must match. nullopt if it does not, or if the date does not exist. Times finer than a
  // microsecond are floored.
  std::optional<std::int64_t> parse_us(std::string_view text) const;

  enum class Kind : std::uint8_t { iso8601, epoch_s, epoch_ms, epoch_us, pattern };
  Kind kind() const { return kind_; }

 private:
  TimeFormat() = default;
  Kind kind_ = Kind::iso8601;
  std::string pattern_;
  int default_year_ = 1970;
};

// ISO 8601: 2015-05-17, 2015-05-17T10:05:00, with ' ' for T, fraction of any length, Z or ±hh:mm, ±hhmm, ±hh.
// Fast.
std::optional<std::int64_t> parse_iso8601_us(std::string_view text);

// 2015-05-17T10:05:00Z, with a fraction only if it is not zero (without trailing zeros). Appends; years
// outside 0001…9999 with sign.
void append_iso8601(std::string& out, std::int64_t us);
// strftime with %f (six digits of microseconds) as an addition.
std::string format_time(std::string_view pattern, std::int64_t us);

// Calendar arithmetic in UTC, floors towards the past (right for times before 1970 too).
struct CivilTime {
  int year, month, day, hour, minute, second, microsecond, weekday;  // weekday 1 = Monday … 7 = Sunday (ISO)
};
CivilTime civil_from_us(std::int64_t us);
std::int64_t us_from_civil(int year, int month, int day, int hour, int minute, int second, int microsecond);

}  // namespace sluice
