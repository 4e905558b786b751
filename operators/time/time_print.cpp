#include <fmt/format.h>

#include <iterator>

#include "operators/time/calendar.hpp"
#include "operators/time/time_names.hpp"
#include "operators/time/time_text.hpp"

namespace sluice {
namespace {

constexpr std::string_view kPrinted = "aAbBhCdefFGgHIjklmMnpPrRsStTuUVwWyYDzZ%";

void put(std::string& out, int value, int width, char fill = '0') {
  char digits[12];
  int count = 0;
  int rest = value < 0 ? -value : value;
  for (; rest > 0 || count == 0; rest /= 10) digits[count++] = static_cast<char>('0' + rest % 10);
  if (value < 0) out.push_back('-');
  for (int i = count; i < width; ++i) out.push_back(fill);
  while (count > 0) out.push_back(digits[--count]);
}

int twelve_hours(int hour) { return hour % 12 == 0 ? 12 : hour % 12; }

// Weeks that begin on `first_day` (0 Sunday, 1 Monday), counted from the year's first such day.
int week_of_year(const CivilTime& time, int first_day) {
  const int from_first_day = (time.weekday % 7 - first_day + 7) % 7;
  return (day_of_year(time) - 1 + 7 - from_first_day) / 7;
}

int modulo(int a, int b) { return (a % b + b) % b; }

void append_conversion(std::string& out, char letter, const CivilTime& t, std::int64_t us) {
  switch (letter) {
    case 'a':
      out += kWeekdayNames[t.weekday % 7].substr(0, kShortNameBytes);
      break;
    case 'A':
      out += kWeekdayNames[t.weekday % 7];
      break;
    case 'b':
    case 'h':
      out += kMonthNames[t.month - 1].substr(0, kShortNameBytes);
      break;
    case 'B':
      out += kMonthNames[t.month - 1];
      break;
    case 'C':
      put(out, static_cast<int>(floor_divide(t.year, 100)), 2);
      break;
    case 'd':
      put(out, t.day, 2);
      break;
    case 'e':
      put(out, t.day, 2, ' ');
      break;
    case 'f':
      put(out, t.microsecond, 6);
      break;
    case 'G':
      put(out, iso_week(t).year, 4);
      break;
    case 'g':
      put(out, modulo(iso_week(t).year, 100), 2);
      break;
    case 'H':
      put(out, t.hour, 2);
      break;
    case 'k':
      put(out, t.hour, 2, ' ');
      break;
    case 'I':
      put(out, twelve_hours(t.hour), 2);
      break;
    case 'l':
      put(out, twelve_hours(t.hour), 2, ' ');
      break;
    case 'j':
      put(out, day_of_year(t), 3);
      break;
    case 'm':
      put(out, t.month, 2);
      break;
    case 'M':
      put(out, t.minute, 2);
      break;
    case 'n':
      out.push_back('\n');
      break;
    case 't':
      out.push_back('\t');
      break;
    case 'p':
      out += t.hour < 12 ? "AM" : "PM";
      break;
    case 'P':
      out += t.hour < 12 ? "am" : "pm";
      break;
    case 's':
      fmt::format_to(std::back_inserter(out), "{}", floor_divide(us, kUsPerSecond));
      break;
    case 'S':
      put(out, t.second, 2);
      break;
    case 'u':
      put(out, t.weekday, 1);
      break;
    case 'w':
      put(out, t.weekday % 7, 1);
      break;
    case 'U':
      put(out, week_of_year(t, 0), 2);
      break;
    case 'W':
      put(out, week_of_year(t, 1), 2);
      break;
    case 'V':
      put(out, iso_week(t).week, 2);
      break;
    case 'y':
      put(out, modulo(t.year, 100), 2);
      break;
    case 'Y':
      put(out, t.year, 4);
      break;
    case 'z':
      out += "+0000";
      break;
    case 'Z':
      out += "UTC";
      break;
    case '%':
      out.push_back('%');
      break;
    default:
      out.push_back('%');
      out.push_back(letter);
  }
}

void append_pattern(std::string& out, std::string_view pattern, const CivilTime& time, std::int64_t us) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      out.push_back(pattern[i]);
      continue;
    }
    const char letter = pattern[++i];
    const std::string_view parts = composite_conversion(letter);
    if (parts.empty()) {
      append_conversion(out, letter, time, us);
    } else {
      append_pattern(out, parts, time, us);  // composites hold no composites
    }
  }
}

}  // namespace

Result<void> check_time_pattern(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    if (++i == pattern.size()) {
      return Error(ErrorCode::bad_value,
                   "the time format ends with a single %; a percent sign itself is written %%");
    }
    if (kPrinted.find(pattern[i]) == std::string_view::npos) {
      return Error(
          ErrorCode::bad_value,
          fmt::format("the time format has the unknown conversion \"%{}\"; known are those of strftime "
                      "and %f for microseconds",
                      pattern[i]));
    }
  }
  return {};
}

void append_time(std::string& out, std::string_view pattern, std::int64_t us) {
  append_pattern(out, pattern, civil_from_us(us), us);
}

std::string format_time(std::string_view pattern, std::int64_t us) {
  std::string text;
  append_time(text, pattern, us);
  return text;
}

}  // namespace sluice
