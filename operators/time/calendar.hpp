#pragma once

#include <cstdint>

namespace sluice {

// The proleptic Gregorian calendar as arithmetic on days since 1970-01-01, inline because reading and writing
// times in bulk spends its time here. Years are counted from March, so that the leap day is the last of its
// year and months have a linear rule (the method of Hinnant, "chrono-Compatible Low-Level Date Algorithms").

inline constexpr std::int64_t kUsPerSecond = 1'000'000;
inline constexpr std::int64_t kUsPerMinute = 60 * kUsPerSecond;
inline constexpr std::int64_t kUsPerHour = 60 * kUsPerMinute;
inline constexpr std::int64_t kUsPerDay = 24 * kUsPerHour;
inline constexpr std::int64_t kDaysPerEra = 146'097;      // 400 years
inline constexpr std::int64_t kEpochDayOfEras = 719'468;  // 0000-03-01 to 1970-01-01

// 0001-01-01T00:00:00 and the last microsecond of 9999: what may be read from text.
inline constexpr std::int64_t kMinTextUs = -62'135'596'800 * kUsPerSecond;
inline constexpr std::int64_t kMaxTextUs = 253'402'300'800 * kUsPerSecond - 1;

constexpr bool is_leap_year(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

constexpr int days_in_month(int year, int month) {
  if (month == 2) return is_leap_year(year) ? 29 : 28;
  return 30 + ((month + (month >> 3)) & 1);  // odd months up to July, even ones from August have 31
}

constexpr bool date_exists(int year, int month, int day) {
  return month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
}

constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - static_cast<std::int64_t>(a % b < 0);
}

constexpr std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  const std::int64_t y = year - static_cast<std::int64_t>(month <= 2);
  const std::int64_t era = floor_divide(y, 400);
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t month_from_march = month > 2 ? month - 3 : month + 9;
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
  const std::int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - kEpochDayOfEras;
}

struct CivilDate {
  int year, month, day;
};

constexpr CivilDate civil_from_days(std::int64_t days) {
  const std::int64_t shifted = days + kEpochDayOfEras;
  const std::int64_t era = floor_divide(shifted, kDaysPerEra);
  const auto day_of_era = static_cast<std::uint32_t>(shifted - era * kDaysPerEra);
  const std::uint32_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::uint32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint32_t month_from_march = (5 * day_of_year + 2) / 153;
  const int day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  const int month = static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  const int year = static_cast<int>(era * 400 + year_of_era) + static_cast<int>(month <= 2);
  return {year, month, day};
}

// 1 = Monday … 7 = Sunday. 1970-01-01 was a Thursday.
constexpr int weekday_from_days(std::int64_t days) {
  const std::int64_t from_monday = (days + 3) - floor_divide(days + 3, 7) * 7;
  return static_cast<int>(from_monday) + 1;
}

constexpr std::int64_t us_of_day(int hour, int minute, int second, int microsecond) {
  return ((hour * 60LL + minute) * 60 + second) * kUsPerSecond + microsecond;
}

}  // namespace sluice
