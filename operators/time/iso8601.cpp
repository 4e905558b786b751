#include <bit>
#include <cstring>

#include "operators/time/calendar.hpp"
#include "operators/time/text_cursor.hpp"
#include "operators/time/time_text.hpp"

namespace sluice {
namespace {

static_assert(std::endian::native == std::endian::little, "the shapes below number bytes from the low end");

// Eight bytes of text compared with a shape in one step: '0' in the shape stands for any digit, '?' for any
// ASCII byte, every other byte for itself. `digits` then holds the value of each digit in its byte.
struct Shape {
  std::uint64_t expected = 0;  // XOR turns digits into 0…9 and separators into 0
  std::uint64_t slack = 0;     // added, it lifts every byte that is too large over 0x7f

  constexpr explicit Shape(const char (&pattern)[9]) {
    for (int i = 0; i < 8; ++i) {
      const char c = pattern[i];
      expected |= std::uint64_t{static_cast<unsigned char>(c == '?' ? '\0' : c)} << (8 * i);
      slack |= std::uint64_t{c == '0' ? 0x76u : c == '?' ? 0u : 0x7fu} << (8 * i);
    }
  }

  bool match(const char* text, std::uint64_t& digits) const {
    std::uint64_t word = 0;
    std::memcpy(&word, text, 8);
    digits = word ^ expected;
    return (((digits + slack) | digits) & 0x8080808080808080u) == 0;
  }
};

constexpr Shape kYearMonth("0000-00-");
constexpr Shape kDayHourMinute("00?00:00");

constexpr int digit(std::uint64_t digits, int at) { return static_cast<int>(digits >> (8 * at)) & 0xff; }
constexpr int two(std::uint64_t digits, int at) { return digit(digits, at) * 10 + digit(digits, at + 1); }

constexpr bool separates_date_from_time(char c) { return c == 'T' || c == ' ' || c == 't'; }

std::optional<std::int64_t> in_text_range(std::int64_t us) {
  if (us < kMinTextUs || us > kMaxTextUs) return std::nullopt;
  return us;
}

// What may follow seconds: a fraction and a zone.
std::optional<std::int64_t> finish(TextCursor cursor, std::int64_t us, bool leap_second) {
  int fraction = 0;
  if (cursor.take('.') || cursor.take(',')) {
    const auto given = cursor.fraction_us();
    if (!given) return std::nullopt;
    fraction = *given;
  }
  us += leap_second ? kUsPerSecond - 1 : fraction;
  if (!cursor.done()) {
    const auto zone = cursor.zone_us();
    if (!zone || !cursor.done()) return std::nullopt;
    us -= *zone;
  }
  return in_text_range(us);
}

std::optional<std::int64_t> assemble(int year, int month, int day, int hour, int minute, int second,
                                     TextCursor rest) {
  if (year < 1 || !date_exists(year, month, day) || hour > 23 || minute > 59 || second > 60)
    return std::nullopt;
  const bool leap_second = second == 60;
  const std::int64_t us =
      days_from_civil(year, month, day) * kUsPerDay + us_of_day(hour, minute, leap_second ? 59 : second, 0);
  const bool plain_end = rest.done() || (rest.end - rest.at == 1 && *rest.at == 'Z');
  return plain_end && !leap_second ? us : finish(rest, us, leap_second);
}

// The forms that the fast way does not know: a date alone, and times without seconds.
std::optional<std::int64_t> parse_rare(std::string_view text) {
  TextCursor cursor(text);
  const auto year = cursor.number(4, 4);
  if (!year || !cursor.take('-')) return std::nullopt;
  const auto month = cursor.number(2, 2);
  if (!month || !cursor.take('-')) return std::nullopt;
  const auto day = cursor.number(2, 2);
  if (!day) return std::nullopt;
  if (cursor.done()) return assemble(*year, *month, *day, 0, 0, 0, cursor);
  if (!separates_date_from_time(*cursor.at)) return std::nullopt;
  ++cursor.at;
  const auto hour = cursor.number(2, 2);
  if (!hour || !cursor.take(':')) return std::nullopt;
  const auto minute = cursor.number(2, 2);
  if (!minute || cursor.next_is('.') || cursor.next_is(',')) return std::nullopt;
  return assemble(*year, *month, *day, *hour, *minute, 0, cursor);
}

constexpr char kTwoDigits[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

char* put_two(char* out, int value) {
  std::memcpy(out, kTwoDigits + 2 * value, 2);
  return out + 2;
}

char* put_year(char* out, int year) {
  if (year >= 1 && year <= 9999) [[likely]]
    return put_two(put_two(out, year / 100), year % 100);
  *out++ = year < 0 ? '-' : '+';
  int rest = year < 0 ? -year : year;
  char digits[8];
  int count = 0;
  for (; rest > 0 || count < 4; rest /= 10) digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) *out++ = digits[--count];
  return out;
}

char* put_fraction(char* out, int microsecond) {
  *out++ = '.';
  for (int place = 100'000; microsecond > 0; place /= 10) {
    *out++ = static_cast<char>('0' + microsecond / place);
    microsecond %= place;
  }
  return out;
}

}  // namespace

std::optional<std::int64_t> TextCursor::zone_us() {
  if (at == end) return std::nullopt;
  const char sign = *at++;
  if (sign == 'Z' || sign == 'z') return 0;
  if (sign != '+' && sign != '-') return std::nullopt;
  const auto hours = number(2, 2);
  if (!hours || *hours > 23) return std::nullopt;
  int minutes = 0;
  const bool colon = take(':');
  if (colon || (at != end && is_digit(*at))) {
    const auto given = number(2, 2);
    if (!given || *given > 59) return std::nullopt;
    minutes = *given;
  }
  const std::int64_t offset = *hours * kUsPerHour + minutes * kUsPerMinute;
  return sign == '-' ? -offset : offset;
}

std::optional<std::int64_t> parse_iso8601_us(std::string_view text) {
  constexpr std::size_t kToSeconds = 19;
  if (text.size() < kToSeconds || text[16] != ':') return parse_rare(text);
  const char* t = text.data();
  std::uint64_t date = 0;
  std::uint64_t time = 0;
  if (!kYearMonth.match(t, date) || !kDayHourMinute.match(t + 8, time)) return std::nullopt;
  if (!separates_date_from_time(t[10]) || !is_digit(t[17]) || !is_digit(t[18])) return std::nullopt;
  const int second = (t[17] - '0') * 10 + (t[18] - '0');
  return assemble(two(date, 0) * 100 + two(date, 2), two(date, 5), two(time, 0), two(time, 3), two(time, 6),
                  second, TextCursor(text.substr(kToSeconds)));
}

std::size_t write_iso8601(char* out, std::int64_t us) {
  const CivilTime time = civil_from_us(us);
  char* p = put_year(out, time.year);
  *p++ = '-';
  p = put_two(p, time.month);
  *p++ = '-';
  p = put_two(p, time.day);
  *p++ = 'T';
  p = put_two(p, time.hour);
  *p++ = ':';
  p = put_two(p, time.minute);
  *p++ = ':';
  p = put_two(p, time.second);
  if (time.microsecond != 0) p = put_fraction(p, time.microsecond);
  *p++ = 'Z';
  return static_cast<std::size_t>(p - out);
}

void append_iso8601(std::string& out, std::int64_t us) {
  char buffer[kIso8601MaxBytes];
  out.append(buffer, write_iso8601(buffer, us));
}

}  // namespace sluice
