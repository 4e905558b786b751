#include "operators/time/time_text.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <ctime>
#include <string>

#include "operators/time/calendar.hpp"

using namespace sluice;

namespace {

std::string iso(std::optional<std::int64_t> us) {
  if (!us) return "none";
  std::string text;
  append_iso8601(text, *us);
  return text;
}

std::string parsed(std::string_view format, std::string_view text,
                   std::optional<int> default_year = std::nullopt) {
  const auto compiled = TimeFormat::compile(format, default_year);
  REQUIRE(compiled.ok());
  return iso(compiled->parse_us(text));
}

std::string refusal(std::string_view format) {
  const auto compiled = TimeFormat::compile(format);
  return compiled.ok() ? "" : compiled.error().message();
}

struct Pair {
  std::string_view text;
  std::string_view time;
};

std::int64_t any_text_us() { return *rc::gen::inRange<std::int64_t>(kMinTextUs, kMaxTextUs + 1); }

}  // namespace

TEST_CASE("iso 8601 times are read in all their forms") {
  const Pair cases[] = {{"2015-05-17", "2015-05-17T00:00:00Z"},
                        {"2015-05-17T10:05:00", "2015-05-17T10:05:00Z"},
                        {"2015-05-17 10:05:00Z", "2015-05-17T10:05:00Z"},
                        {"2015-05-17t10:05:00z", "2015-05-17T10:05:00Z"},
                        {"2015-05-17T10:05", "2015-05-17T10:05:00Z"},
                        {"2015-05-17T10:05+02:00", "2015-05-17T08:05:00Z"},
                        {"2015-05-17T10:05:03.250Z", "2015-05-17T10:05:03.25Z"},
                        {"2015-05-17T10:05:03,5", "2015-05-17T10:05:03.5Z"},
                        {"2015-05-17T10:05:03.123456999", "2015-05-17T10:05:03.123456Z"},
                        {"2015-05-17T10:05:03+0530", "2015-05-17T04:35:03Z"},
                        {"2015-05-17T10:05:03-08", "2015-05-17T18:05:03Z"},
                        {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
                        {"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"},
                        {"1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.5Z"},
                        {"2016-02-29", "2016-02-29T00:00:00Z"},
                        {"2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999Z"},
                        {"1968-12-31T23:59:60.25Z", "1968-12-31T23:59:59.999999Z"}};
  for (const Pair& c : cases) {
    CAPTURE(c.text);
    CHECK(iso(parse_iso8601_us(c.text)) == c.time);
  }
}

TEST_CASE("what is no iso 8601 time, or no date of the calendar, is refused") {
  const std::string_view cases[] = {"",
                                    "2015",
                                    "2015-05",
                                    "2015-5-17",
                                    "2015-13-01",
                                    "2015-00-01",
                                    "2015-05-00",
                                    "2015-05-32",
                                    "2015-02-29",
                                    "1900-02-29",
                                    "2015-04-31",
                                    "0000-01-01",
                                    "2015-05-17T",
                                    "2015-05-17T10",
                                    "2015-05-17T24:00:00",
                                    "2015-05-17T10:60:00",
                                    "2015-05-17T10:05:61",
                                    "2015-05-17T10:05:0",
                                    "2015-05-17T10:05:00.",
                                    "2015-05-17T10:05:00ZZ",
                                    "2015-05-17T10:05:00+",
                                    "2015-05-17T10:05:00+2",
                                    "2015-05-17T10:05:00+02:",
                                    "2015-05-17T10:05:00+24:00",
                                    "2015-05-17X10:05:00",
                                    " 2015-05-17",
                                    "2015-05-17 ",
                                    "2015/05/17 10:05:00",
                                    "2015-05-17T10:05:00\xc3\xa9",
                                    "\xff\xff\xff\xff-05-17T10:05:00",
                                    "2015-05-17T1a:05:00",
                                    "2015-05-17T10:05:0a",
                                    "0001-01-01T00:00:00+01:00",
                                    "+2015-05-17",
                                    "2015-05-17T10:05.5",
                                    "2015:05-17T10:05:00"};
  for (const std::string_view text : cases) {
    CAPTURE(text);
    CHECK(iso(parse_iso8601_us(text)) == "none");
  }
}

TEST_CASE("every byte of the fast form is checked") {
  const std::string good = "2015-05-17T10:05:03Z";
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = good;
      text[i] = static_cast<char>(byte);
      const auto us = parse_iso8601_us(text);
      if (!us) continue;
      std::string again = iso(us);
      const bool same =
          again == text || (i == 10 && (byte == ' ' || byte == 't')) || (i == 19 && byte == 'z');
      // The seconds' second digit may also be followed by nothing else; all accepted texts print as
      // themselves.
      CHECK_MESSAGE(same, text);
    }
  }
}

TEST_CASE("a printed time reads back the same") {
  CHECK(rc::check("printed times read back", [] {
    const std::int64_t us = any_text_us();
    RC_ASSERT(parse_iso8601_us(iso(us)) == us);
  }));
  CHECK(rc::check("patterns print and read back", [] {
    const std::int64_t us = any_text_us();
    const std::string pattern = *rc::gen::elementOf(
        std::vector<std::string>{"%Y-%m-%d %H:%M:%S.%f", "%d/%b/%Y:%T.%f %z", "%A, %e %B %Y %I:%M:%S.%f %p",
                                 "%Y %j %H%M%S,%f", "%s %f"});
    const auto format = TimeFormat::compile(pattern);
    RC_ASSERT(format.ok());
    RC_ASSERT(format->parse_us(format_time(pattern, us)) == us);
  }));
}

TEST_CASE("calendar fields and microseconds are inverse over the whole range") {
  CHECK(rc::check("civil and back", [] {
    const std::int64_t us = *rc::gen::arbitrary<std::int64_t>();
    const CivilTime t = civil_from_us(us);
    RC_ASSERT(date_exists(t.year, t.month, t.day));
    RC_ASSERT(us_from_civil(t.year, t.month, t.day, t.hour, t.minute, t.second, t.microsecond) == us);
  }));
  for (const std::int64_t us : {INT64_MIN, INT64_MAX, std::int64_t{-1}, std::int64_t{0}}) {
    const CivilTime t = civil_from_us(us);
    CHECK(us_from_civil(t.year, t.month, t.day, t.hour, t.minute, t.second, t.microsecond) == us);
  }
  int weekday = weekday_from_days(days_from_civil(1, 1, 1));
  CHECK(weekday == 1);  // 0001-01-01 was a Monday
  std::int64_t day = days_from_civil(1, 1, 1);
  for (int year = 1; year <= 2400; ++year) {
    for (int month = 1; month <= 12; ++month) {
      for (int d = 1; d <= days_in_month(year, month); ++d, ++day) {
        const CivilDate date = civil_from_days(day);
        if (days_from_civil(year, month, d) != day || date.year != year || date.month != month ||
            date.day != d) {
          FAIL(year << "-" << month << "-" << d);
        }
      }
    }
  }
}

TEST_CASE("numbers since 1970 are exact") {
  CHECK(parsed("epoch_s", "1331901000.000000") == "2012-03-16T12:30:00Z");
  CHECK(parsed("epoch_s", "1331901000.1234567") == "2012-03-16T12:30:00.123456Z");
  CHECK(parsed("epoch_s", "0.1") == "1970-01-01T00:00:00.1Z");
  CHECK(parsed("epoch_s", "-0.0000001") == "1969-12-31T23:59:59.999999Z");
  CHECK(parsed("epoch_s", "-1.5") == "1969-12-31T23:59:58.5Z");
  CHECK(parsed("epoch_s", "1.331901e9") == "2012-03-16T12:30:00Z");
  CHECK(parsed("epoch_s", "1e-7") == "1970-01-01T00:00:00Z");
  CHECK(parsed("epoch_s", "-1e-9") == "1969-12-31T23:59:59.999999Z");
  CHECK(parsed("epoch_s", "253402300799.999999") == "9999-12-31T23:59:59.999999Z");
  CHECK(parsed("epoch_s", "253402300800") == "none");
  CHECK(parsed("epoch_s", "-62135596800") == "0001-01-01T00:00:00Z");
  CHECK(parsed("epoch_s", "-62135596800.000001") == "none");
  CHECK(parsed("epoch_s", "1e9999") == "none");
  CHECK(parsed("epoch_s", "0e9999") == "1970-01-01T00:00:00Z");
  CHECK(parsed("epoch_ms", "1431857103000") == "2015-05-17T10:05:03Z");
  CHECK(parsed("epoch_ms", "1.5") == "1970-01-01T00:00:00.0015Z");
  CHECK(parsed("epoch_us", "-1") == "1969-12-31T23:59:59.999999Z");
  for (const std::string_view bad :
       {"", "-", ".", "1.2.3", "1e", "abc", " 1", "1 ", "0x10", "nan", "99999999999999999999"}) {
    CAPTURE(bad);
    CHECK(parsed("epoch_s", bad) == "none");
  }
}

TEST_CASE("strptime patterns") {
  struct Case {
    std::string_view pattern, text, time;
  };
  const Case cases[] = {{"%d/%b/%Y:%H:%M:%S %z", "17/May/2015:10:05:03 +0000", "2015-05-17T10:05:03Z"},
                        {"%d/%b/%Y:%H:%M:%S %z", "17/may/2015:10:05:03 -0330", "2015-05-17T13:35:03Z"},
                        {"%Y/%m/%d %H:%M", "2013/9/7 1:05", "2013-09-07T01:05:00Z"},
                        {"%Y%m%d%H%M%S", "20150517100503", "2015-05-17T10:05:03Z"},
                        {"%b %d %H:%M:%S", "Dec 10 06:55:46", "1970-12-10T06:55:46Z"},
                        {"%b %d %H:%M:%S", "Dec  1 06:55:46", "1970-12-01T06:55:46Z"},
                        {"%b%e", "Dec 1", "1970-12-01T00:00:00Z"},
                        {"%a, %d %B %Y", "Sunday, 17 May 2015", "2015-05-17T00:00:00Z"},
                        {"%y-%m-%d", "69-01-01", "1969-01-01T00:00:00Z"},
                        {"%y-%m-%d", "68-01-01", "2068-01-01T00:00:00Z"},
                        {"%Y-%j", "2016-366", "2016-12-31T00:00:00Z"},
                        {"%Y-%j", "2015-366", "none"},
                        {"%I:%M %p", "12:05 AM", "1970-01-01T00:05:00Z"},
                        {"%I:%M %p", "12:05 pm", "1970-01-01T12:05:00Z"},
                        {"%I:%M %p", "13:05 PM", "none"},
                        {"%r", "01:02:03 PM", "1970-01-01T13:02:03Z"},
                        {"%F %T", "2015-05-17 10:05:03.75", "2015-05-17T10:05:03.75Z"},
                        {"%F %T.%f", "2015-05-17 10:05:03.75", "2015-05-17T10:05:03.75Z"},
                        {"%F %T.csv", "2015-05-17 10:05:03.csv", "2015-05-17T10:05:03Z"},
                        {"%H:%M:%S", "23:59:60", "1970-01-01T23:59:59.999999Z"},
                        {"%H:%M:%S", "23:59:61", "none"},
                        {"%F %R%z", "2015-05-17 10:05Z", "2015-05-17T10:05:00Z"},
                        {"%F %R %z", "2015-05-17 10:05 +02:00", "2015-05-17T08:05:00Z"},
                        {"%F %R %Z", "2015-05-17 10:05 GMT", "2015-05-17T10:05:00Z"},
                        {"%F %R %Z", "2015-05-17 10:05 CEST", "none"},
                        {"%s", "-1", "1969-12-31T23:59:59Z"},
                        {"%d%%%m%%%Y", "17%05%2015", "2015-05-17T00:00:00Z"},
                        {"%Y-%m-%d", "2015-02-30", "none"},
                        {"%Y-%m-%d", "2015-05-17 ", "none"},
                        {"%Y-%m-%d", "2015-05-1", "2015-05-01T00:00:00Z"},
                        {"%Y-%m-%d", "15-05-17", "none"},
                        {"%Y %m", "2015   5", "2015-05-01T00:00:00Z"},
                        {"%Y %m", "20155", "none"}};
  for (const Case& c : cases) {
    CAPTURE(c.pattern);
    CAPTURE(c.text);
    CHECK(parsed(c.pattern, c.text) == c.time);
  }
  CHECK(parsed("%b %d", "Feb 29", 2016) == "2016-02-29T00:00:00Z");
  CHECK(parsed("%b %d", "Feb 29", 2015) == "none");
}

TEST_CASE("formats that cannot be right are refused with a sentence") {
  CHECK(refusal("%Y-%q") ==
        "the time format has the unknown conversion \"%q\"; known are %Y %y %m %d %e %j %H %I %p %M %S %f %b "
        "%B %h %a %A %s %z "
        "%Z %T %D %F %R %r %n %t %%");
  CHECK(refusal("%Y-%") == "the time format ends with a single %; a percent sign itself is written %%");
  CHECK(refusal("%H:%M %T") == "the time format \"%H:%M %T\" reads %H twice");
  CHECK(refusal("%I:%M") ==
        "the time format \"%I:%M\" has %I without %p, so morning and afternoon look the same; write %H for "
        "hours from 00 to 23");
  CHECK(refusal("iso") ==
        "the time format \"iso\" reads nothing; it is iso8601, epoch_s, epoch_ms, epoch_us or a pattern such "
        "as \"%Y-%m-%d "
        "%H:%M:%S\"");
  CHECK(check_time_pattern("%Y %f").ok());
  CHECK_FALSE(check_time_pattern("%Q").ok());
  CHECK_FALSE(check_time_pattern("%").ok());
}

TEST_CASE("years outside 1 to 9999 are printed with a sign") {
  CHECK(iso(us_from_civil(0, 1, 1, 0, 0, 0, 0)) == "+0000-01-01T00:00:00Z");
  CHECK(iso(us_from_civil(-44, 3, 15, 12, 0, 0, 0)) == "-0044-03-15T12:00:00Z");
  CHECK(iso(us_from_civil(12345, 6, 7, 0, 0, 0, 1)) == "+12345-06-07T00:00:00.000001Z");
  CHECK(iso(INT64_MIN) == "-290308-12-21T19:59:05.224192Z");
  CHECK(iso(INT64_MAX) == "+294247-01-10T04:00:54.775807Z");
}

TEST_CASE("strftime conversions") {
  const std::int64_t us = us_from_civil(2016, 1, 3, 15, 4, 5, 60'007);
  CHECK(format_time("%a %A %b %B %C %d %D %e %F %f %g %G %H %I %j %k %l %m %M %p %P %R %r %S %s %T %u %w %U "
                    "%W %V %y %Y %z %Z %%",
                    us) ==
        "Sun Sunday Jan January 20 03 01/03/16  3 2016-01-03 060007 15 2015 15 03 003 15  3 01 04 PM pm "
        "15:04 03:04:05 PM 05 "
        "1451833445 15:04:05 7 0 01 00 53 16 2016 +0000 UTC %");
}

TEST_CASE("conversions print what the C library prints") {
  CHECK(rc::check("as strftime", [] {
    const std::int64_t us = any_text_us();
    // 1000 on: the C library does not fill years with zeros.
    RC_PRE(us >= us_from_civil(1000, 1, 1, 0, 0, 0, 0));
    const std::time_t seconds = floor_divide(us, kUsPerSecond);
    std::tm fields{};
    gmtime_r(&seconds, &fields);
    const std::string pattern =
        "%a %A %b %B %C %d %D %e %F %g %G %H %I %j %k %l %m %M %p %P %R %r %S %T %u %w %U %W %V %y %Y %%";
    char expected[400];
    std::strftime(expected, sizeof expected, pattern.c_str(), &fields);
    RC_ASSERT(format_time(pattern, us) == expected);
  }));
}
