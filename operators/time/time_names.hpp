#pragma once

#include <array>
#include <string_view>

namespace sluice {

// The names of the C locale, whatever locale the process runs in. Months from January, weekdays from Sunday
// as in C.
inline constexpr std::array<std::string_view, 12> kMonthNames = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
inline constexpr std::array<std::string_view, 7> kWeekdayNames = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
inline constexpr std::size_t kShortNameBytes = 3;

// The conversions that stand for others; "" for a letter that does not.
constexpr std::string_view composite_conversion(char letter) {
  switch (letter) {
    case 'T':
      return "%H:%M:%S";
    case 'D':
      return "%m/%d/%y";
    case 'F':
      return "%Y-%m-%d";
    case 'R':
      return "%H:%M";
    case 'r':
      return "%I:%M:%S %p";
    default:
      return "";
  }
}

}  // namespace sluice
