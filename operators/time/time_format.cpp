#include <fmt/format.h>

#include <algorithm>

#include "operators/time/calendar.hpp"
#include "operators/time/text_cursor.hpp"
#include "operators/time/time_names.hpp"
#include "operators/time/time_text.hpp"

namespace sluice {
namespace {

constexpr std::string_view kConversions = "YymdejHIMSfbBhaApszZ";
constexpr std::size_t kMaxPatternBytes = 1024;

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

using Step = TimeFormat::Step;

bool holds(const std::vector<Step>& steps, char conversion) {
  return std::any_of(steps.begin(), steps.end(), [&](Step s) { return s.conversion == conversion; });
}

void add_space(std::vector<Step>& steps) {
  if (steps.empty() || steps.back().conversion != ' ') steps.push_back({' ', '\0'});
}

Result<void> add_steps(std::string_view pattern, std::vector<Step>& steps);

Result<void> add_conversion(char letter, std::vector<Step>& steps) {
  if (letter == '%') {
    steps.push_back({'\0', '%'});
  } else if (letter == 'n' || letter == 't') {
    add_space(steps);
  } else if (const std::string_view parts = composite_conversion(letter); !parts.empty()) {
    return add_steps(parts, steps);
  } else if (kConversions.find(letter) != std::string_view::npos) {
    steps.push_back({letter, '\0'});
  } else {
    return Error(
        ErrorCode::bad_value,
        fmt::format(
            "the time format has the unknown conversion \"%{}\"; known are %Y %y %m %d %e %j %H %I %p %M %S "
            "%f %b %B %h %a %A %s %z %Z %T %D %F %R %r %n %t %%",
            letter));
  }
  return {};
}

Result<void> add_steps(std::string_view pattern, std::vector<Step>& steps) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (is_space(c)) {
      add_space(steps);
    } else if (c != '%') {
      steps.push_back({'\0', c});
    } else if (++i == pattern.size()) {
      return Error(ErrorCode::bad_value,
                   "the time format ends with a single %; a percent sign itself is written %%");
    } else {
      SLUICE_TRY(add_conversion(pattern[i], steps));
    }
  }
  return {};
}

Result<void> check_steps(std::string_view pattern, const std::vector<Step>& steps) {
  for (const char conversion : kConversions) {
    const auto count =
        std::count_if(steps.begin(), steps.end(), [&](Step s) { return s.conversion == conversion; });
    if (count > 1) {
      return Error(ErrorCode::bad_value,
                   fmt::format("the time format \"{}\" reads %{} twice", pattern, conversion));
    }
  }
  if (holds(steps, 'I') && !holds(steps, 'p')) {
    return Error(
        ErrorCode::bad_value,
        fmt::format("the time format \"{}\" has %I without %p, so morning and afternoon look the same; "
                    "write %H for hours from 00 to 23",
                    pattern));
  }
  return {};
}

// What a pattern has read so far.
struct Fields {
  int year;
  int month = 1;
  int day = 1;
  int day_of_year = 0;  // 0: not read
  int hour = 0;
  int minute = 0;
  int second = 0;
  int microsecond = 0;
  int half_day = -1;  // 0 AM, 1 PM
  bool twelve_hours = false;
  std::int64_t zone_us = 0;
  std::optional<std::int64_t> epoch_s;
};

bool in(std::optional<int> value, int least, int most, int& target) {
  if (!value || *value < least || *value > most) return false;
  target = *value;
  return true;
}

bool take_name(TextCursor& cursor, std::string_view name) {
  if (static_cast<std::size_t>(cursor.end - cursor.at) < name.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (lowered(cursor.at[i]) != lowered(name[i])) return false;
  }
  cursor.at += name.size();
  return true;
}

// The first three letters of a name in lower case as one number: no two months or weekdays share them.
constexpr std::uint32_t short_key(const char* text) {
  const auto letter = [&](int i) {
    return std::uint32_t{static_cast<unsigned char>(text[i] | 0x20)} << (8 * i);
  };
  return letter(0) | letter(1) | letter(2);
}

template <std::size_t N>
constexpr std::array<std::uint32_t, N> short_keys(const std::array<std::string_view, N>& names) {
  std::array<std::uint32_t, N> keys{};
  for (std::size_t i = 0; i < N; ++i) keys[i] = short_key(names[i].data());
  return keys;
}

constexpr auto kMonthKeys = short_keys(kMonthNames);
constexpr auto kWeekdayKeys = short_keys(kWeekdayNames);

// The full name if it is there, else its first three letters; the index in `names`, or -1.
template <std::size_t N>
int take_name_of(TextCursor& cursor, const std::array<std::string_view, N>& names,
                 const std::array<std::uint32_t, N>& keys) {
  if (cursor.end - cursor.at < static_cast<std::ptrdiff_t>(kShortNameBytes)) return -1;
  const auto found = std::find(keys.begin(), keys.end(), short_key(cursor.at));
  if (found == keys.end()) return -1;
  cursor.at += kShortNameBytes;
  const auto index = static_cast<std::size_t>(found - keys.begin());
  take_name(cursor, names[index].substr(kShortNameBytes));
  return static_cast<int>(index);
}

bool take_epoch(TextCursor& cursor, Fields& fields) {
  const bool negative = cursor.take('-');
  const char* from = cursor.at;
  std::int64_t seconds = 0;
  for (; !cursor.done() && is_digit(*cursor.at); ++cursor.at) {
    if (cursor.at - from >= 12) return false;
    seconds = seconds * 10 + (*cursor.at - '0');
  }
  fields.epoch_s = negative ? -seconds : seconds;
  return cursor.at != from;
}

bool take_zone_name(TextCursor& cursor) {
  return take_name(cursor, "UTC") || take_name(cursor, "GMT") || take_name(cursor, "UT") ||
         take_name(cursor, "Z");
}

bool take_zone(TextCursor& cursor, Fields& fields) {
  const auto zone = cursor.zone_us();
  fields.zone_us = zone.value_or(0);
  return zone.has_value();
}

bool take_seconds(TextCursor& cursor, Fields& fields, const Step* next) {
  if (!in(cursor.number(1, 2), 0, 60, fields.second)) return false;
  const bool pattern_goes_on =
      next != nullptr && next->conversion == '\0' && (next->literal == '.' || next->literal == ',');
  if (pattern_goes_on || cursor.end - cursor.at < 2 || !is_digit(cursor.at[1])) return true;
  if (!cursor.next_is('.') && !cursor.next_is(',')) return true;
  ++cursor.at;
  fields.microsecond = cursor.fraction_us().value_or(0);
  return true;
}

bool take_two_digit_year(TextCursor& cursor, Fields& fields) {
  if (!in(cursor.number(2, 2), 0, 99, fields.year)) return false;
  fields.year += fields.year < 69 ? 2000 : 1900;
  return true;
}

bool take_half_day(TextCursor& cursor, Fields& fields) {
  fields.half_day = take_name(cursor, "AM") ? 0 : take_name(cursor, "PM") ? 1 : -1;
  return fields.half_day >= 0;
}

bool take_spaces(TextCursor& cursor) {
  const char* from = cursor.at;
  while (!cursor.done() && is_space(*cursor.at)) ++cursor.at;
  return cursor.at != from;
}

bool take_step(TextCursor& cursor, const Step& step, const Step* next, Fields& fields) {
  switch (step.conversion) {
    case '\0':
      return cursor.take(step.literal);
    case ' ':
      return take_spaces(cursor);
    case 'Y':
      return in(cursor.number(4, 4), 1, 9999, fields.year);
    case 'y':
      return take_two_digit_year(cursor, fields);
    case 'm':
      return in(cursor.number(1, 2), 1, 12, fields.month);
    case 'e':
      cursor.take(' ');
      [[fallthrough]];
    case 'd':
      return in(cursor.number(1, 2), 1, 31, fields.day);
    case 'j':
      return in(cursor.number(1, 3), 1, 366, fields.day_of_year);
    case 'H':
      return in(cursor.number(1, 2), 0, 23, fields.hour);
    case 'I':
      fields.twelve_hours = true;
      return in(cursor.number(1, 2), 1, 12, fields.hour);
    case 'p':
      return take_half_day(cursor, fields);
    case 'M':
      return in(cursor.number(1, 2), 0, 59, fields.minute);
    case 'S':
      return take_seconds(cursor, fields, next);
    case 'f':
      return in(cursor.fraction_us(), 0, 999'999, fields.microsecond);
    case 'b':
    case 'B':
    case 'h':
      return (fields.month = take_name_of(cursor, kMonthNames, kMonthKeys) + 1) > 0;
    case 'a':
    case 'A':
      return take_name_of(cursor, kWeekdayNames, kWeekdayKeys) >= 0;
    case 's':
      return take_epoch(cursor, fields);
    case 'z':
      return take_zone(cursor, fields);
    case 'Z':
      return take_zone_name(cursor);
    default:
      return false;
  }
}

std::optional<std::int64_t> assemble(Fields& fields) {
  if (fields.epoch_s) return *fields.epoch_s * kUsPerSecond + fields.microsecond;
  if (fields.twelve_hours) fields.hour = fields.hour % 12 + (fields.half_day == 1 ? 12 : 0);
  if (fields.second == 60) {
    fields.second = 59;
    fields.microsecond = static_cast<int>(kUsPerSecond) - 1;
  }
  std::int64_t days = 0;
  if (fields.day_of_year > 0) {
    if (fields.day_of_year == 366 && !is_leap_year(fields.year)) return std::nullopt;
    days = days_from_civil(fields.year, 1, 1) + fields.day_of_year - 1;
  } else {
    if (!date_exists(fields.year, fields.month, fields.day)) return std::nullopt;
    days = days_from_civil(fields.year, fields.month, fields.day);
  }
  return days * kUsPerDay + us_of_day(fields.hour, fields.minute, fields.second, fields.microsecond) -
         fields.zone_us;
}

}  // namespace

Result<TimeFormat> TimeFormat::compile(std::string_view format, std::optional<int> default_year) {
  TimeFormat compiled;
  compiled.default_year_ = default_year.value_or(1970);
  if (compiled.default_year_ < 1 || compiled.default_year_ > 9999) {
    return Error(ErrorCode::out_of_range,
                 fmt::format("the default year is {}; years run from 1 to 9999", *default_year));
  }
  if (format == "iso8601") return compiled;
  compiled.kind_ = format == "epoch_s"    ? Kind::epoch_s
                   : format == "epoch_ms" ? Kind::epoch_ms
                   : format == "epoch_us" ? Kind::epoch_us
                                          : Kind::pattern;
  if (compiled.kind_ != Kind::pattern) return compiled;
  if (format.size() > kMaxPatternBytes) {
    return Error(ErrorCode::bad_value,
                 fmt::format("the time format is longer than {} bytes", kMaxPatternBytes));
  }
  SLUICE_TRY(add_steps(format, compiled.steps_));
  SLUICE_TRY(check_steps(format, compiled.steps_));
  const bool reads_anything = std::any_of(compiled.steps_.begin(), compiled.steps_.end(),
                                          [](Step s) { return s.conversion != '\0' && s.conversion != ' '; });
  if (!reads_anything) {
    return Error(
        ErrorCode::bad_value,
        fmt::format("the time format \"{}\" reads nothing; it is iso8601, epoch_s, epoch_ms, epoch_us or a "
                    "pattern such as \"%Y-%m-%d %H:%M:%S\"",
                    format));
  }
  return compiled;
}

std::optional<std::int64_t> TimeFormat::parse_us(std::string_view text) const {
  switch (kind_) {
    case Kind::iso8601:
      return parse_iso8601_us(text);
    case Kind::epoch_s:
      return parse_epoch_us(text, 6);
    case Kind::epoch_ms:
      return parse_epoch_us(text, 3);
    case Kind::epoch_us:
      return parse_epoch_us(text, 0);
    case Kind::pattern:
      break;
  }
  TextCursor cursor(text);
  Fields fields{.year = default_year_};
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step* next = i + 1 < steps_.size() ? &steps_[i + 1] : nullptr;
    if (!take_step(cursor, steps_[i], next, fields)) return std::nullopt;
  }
  if (!cursor.done()) return std::nullopt;
  const auto us = assemble(fields);
  if (!us || *us < kMinTextUs || *us > kMaxTextUs) return std::nullopt;
  return us;
}

}  // namespace sluice
