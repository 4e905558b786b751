#include "operators/time/calendar.hpp"

#include "operators/time/time_text.hpp"

namespace sluice {

CivilTime civil_from_us(std::int64_t us) {
  const std::int64_t days = floor_divide(us, kUsPerDay);
  // Not us - days * kUsPerDay: the product of the first representable day does not fit.
  const std::int64_t remainder = us % kUsPerDay;
  const std::int64_t in_day = remainder < 0 ? remainder + kUsPerDay : remainder;
  const auto seconds = static_cast<int>(in_day / kUsPerSecond);
  const CivilDate date = civil_from_days(days);
  return {.year = date.year,
          .month = date.month,
          .day = date.day,
          .hour = seconds / 3600,
          .minute = seconds / 60 % 60,
          .second = seconds % 60,
          .microsecond = static_cast<int>(in_day % kUsPerSecond),
          .weekday = weekday_from_days(days)};
}

std::int64_t us_from_civil(int year, int month, int day, int hour, int minute, int second, int microsecond) {
  const std::int64_t days = days_from_civil(year, month, day);
  const std::int64_t in_day = us_of_day(hour, minute, second, microsecond);
  // From the day's end when it lies before 1970: the start of the first representable day does not fit.
  return days < 0 ? (days + 1) * kUsPerDay - (kUsPerDay - in_day) : days * kUsPerDay + in_day;
}

int day_of_year(const CivilTime& time) {
  return static_cast<int>(days_from_civil(time.year, time.month, time.day) -
                          days_from_civil(time.year, 1, 1)) +
         1;
}

IsoWeek iso_week(const CivilTime& time) {
  const std::int64_t thursday = days_from_civil(time.year, time.month, time.day) + 4 - time.weekday;
  const int year = civil_from_days(thursday).year;
  return {year, static_cast<int>((thursday - days_from_civil(year, 1, 1)) / 7) + 1};
}

}  // namespace sluice
