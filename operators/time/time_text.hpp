#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"

namespace sluice {

// Timestamps as text and numbers. int64 microseconds since 1970-01-01 UTC; text is read for years 0001 to
// 9999. No locale, no time zone database, no global state: every function is thread-safe.
//
// A leap second (":60") is read as the last microsecond of its minute, so that it stays in its minute and
// after :59.

// A timestamp format of graph.md: iso8601, epoch_s, epoch_ms, epoch_us or a strptime pattern, read as UTC
// unless it holds a zone. Compiled once; parse is const and thread-safe.
//   %Y 4 digits   %y 2 digits (69-99: 19xx)   %m %d %e %H %I %M 1-2 digits   %j day of year   %p AM/PM (with
//   %I) %S 1-2 digits, with a fraction of any length unless the pattern itself goes on with '.' or ','   %f
//   digits of a fraction %b %B %h month name   %a %A weekday name (read, not compared)   %s seconds since
//   1970, signed %z +hhmm +hh:mm +hh Z   %Z UTC GMT UT Z (other names do not say which offset they mean)   %T
//   %D %F %R %r as in C   %n %t %%
// White space in the pattern stands for one or more of it in the text; names match in any case; the rest
// matches itself. Month and day default to 1, the time to 00:00:00.
class TimeFormat {
 public:
  // `default_year` is for patterns that hold no year.
  static Result<TimeFormat> compile(std::string_view format, std::optional<int> default_year = std::nullopt);

  // The whole text must match. nullopt if it does not, or if the date does not exist. Times finer than a
  // microsecond are floored.
  std::optional<std::int64_t> parse_us(std::string_view text) const;

  enum class Kind : std::uint8_t { iso8601, epoch_s, epoch_ms, epoch_us, pattern };
  Kind kind() const { return kind_; }

  // One conversion (its letter), a stretch of white space (' ') or one literal byte ('\0' and the byte).
  struct Step {
    char conversion = '\0';
    char literal = '\0';
  };

 private:
  TimeFormat() = default;
  Kind kind_ = Kind::iso8601;
  std::vector<Step> steps_;
  int default_year_ = 1970;
};

// ISO 8601: 2015-05-17, 2015-05-17T10:05[:00], with ' ' for T, fraction of any length, Z or ±hh:mm, ±hhmm,
// ±hh. Fast.
std::optional<std::int64_t> parse_iso8601_us(std::string_view text);

// A decimal number of units (`unit_digits` = 6 for seconds, 3 for milliseconds, 0 for microseconds) since
// 1970 with sign, fraction and exponent, exactly: digits are moved, nothing passes through a double. nullopt
// outside years 0001 to 9999.
std::optional<std::int64_t> parse_epoch_us(std::string_view text, int unit_digits);

// 2015-05-17T10:05:00Z, with a fraction only if it is not zero (without trailing zeros). Appends; years
// outside 0001…9999 with sign.
void append_iso8601(std::string& out, std::int64_t us);
inline constexpr std::size_t kIso8601MaxBytes = 32;
// The same into `out`, which has room for kIso8601MaxBytes; returns the number of bytes.
std::size_t write_iso8601(char* out, std::int64_t us);

// strftime in the C locale and UTC, with %f (six digits of microseconds) as an addition. check_time_pattern
// says what is wrong with a pattern; what it refuses, format_time writes as it stands.
Result<void> check_time_pattern(std::string_view pattern);
void append_time(std::string& out, std::string_view pattern, std::int64_t us);
std::string format_time(std::string_view pattern, std::int64_t us);

// Calendar arithmetic in UTC, floors towards the past (right for times before 1970 too).
struct CivilTime {
  int year, month, day, hour, minute, second, microsecond, weekday;  // weekday 1 = Monday … 7 = Sunday (ISO)
};
CivilTime civil_from_us(std::int64_t us);
std::int64_t us_from_civil(int year, int month, int day, int hour, int minute, int second, int microsecond);
int day_of_year(const CivilTime& time);  // 1 … 366
// The ISO week that holds the day: week 1 holds the year's first Thursday.
struct IsoWeek {
  int year, week;
};
IsoWeek iso_week(const CivilTime& time);

}  // namespace sluice
