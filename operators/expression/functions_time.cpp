#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "operators/expression/functions.hpp"
#include "operators/time/calendar.hpp"
#include "operators/time/time_text.hpp"
#include "runtime/base/text_distance.hpp"
#include "runtime/base/units.hpp"

namespace sluice::expression {
namespace {

using Text = std::string_view;

enum class Unit { microsecond, millisecond, second, minute, hour, day, week, month, quarter, year };
struct UnitName {
  Text name;
  Unit unit;
};
constexpr std::array<UnitName, 10> kUnits = {{{"microsecond", Unit::microsecond},
                                              {"millisecond", Unit::millisecond},
                                              {"second", Unit::second},
                                              {"minute", Unit::minute},
                                              {"hour", Unit::hour},
                                              {"day", Unit::day},
                                              {"week", Unit::week},
                                              {"month", Unit::month},
                                              {"quarter", Unit::quarter},
                                              {"year", Unit::year}}};

using Extract = std::int64_t (*)(const CivilTime&, std::int64_t us);
struct FieldName {
  Text name;
  Extract extract;
};
constexpr std::array<FieldName, 15> kFields = {{
    {"year", [](const CivilTime& t, std::int64_t) -> std::int64_t { return t.year; }},
    {"quarter", [](const CivilTime& t, std::int64_t) -> std::int64_t { return (t.month + 2) / 3; }},
    {"month", [](const CivilTime& t, std::int64_t) -> std::int64_t { return t.month; }},
    {"day", [](const CivilTime& t, std::int64_t) -> std::int64_t { return t.day; }},
    {"hour", [](const CivilTime& t, std::int64_t) -> std::int64_t { return t.hour; }},
    {"minute", [](const CivilTime& t, std::int64_t) -> std::int64_t { return t.minute; }},
    {"second", [](const CivilTime& t, std::int64_t) -> std::int64_t { return t.second; }},
    {"millisecond",
     [](const CivilTime& t, std::int64_t) -> std::int64_t { return t.second * 1000 + t.microsecond / 1000; }},
    {"microsecond",
     [](const CivilTime& t, std::int64_t) -> std::int64_t { return t.second * 1'000'000LL + t.microsecond; }},
    {"dow", [](const CivilTime& t, std::int64_t) -> std::int64_t { return t.weekday % 7; }},
    {"isodow", [](const CivilTime& t, std::int64_t) -> std::int64_t { return t.weekday; }},
    {"doy", [](const CivilTime& t, std::int64_t) -> std::int64_t { return day_of_year(t); }},
    {"week", [](const CivilTime& t, std::int64_t) -> std::int64_t { return iso_week(t).week; }},
    {"isoyear", [](const CivilTime& t, std::int64_t) -> std::int64_t { return iso_week(t).year; }},
    {"epoch", [](const CivilTime&, std::int64_t us) { return floor_divide(us, kUsPerSecond); }},
}};

// A name out of a table, in any case, with or without a plural s.
template <typename Table>
const auto& find_name(const Table& table, const Constant& given, Text what) {
  std::string name(given.text);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  std::vector<std::string> known;
  for (const auto& entry : table) {
    if (entry.name == name || std::string(entry.name) + 's' == name) return entry;
    known.emplace_back(entry.name);
  }
  std::string list;
  for (const std::string& k : known) list += (list.empty() ? "" : " ") + k;
  const std::string hint = did_you_mean(name, known);
  throw ArgumentError{
      0, ErrorCode::bad_value,
      fmt::format("\"{}\" is no {}; {}they are {}", given.text, what, hint.empty() ? "" : hint + " ", list)};
}

struct PreparedUnit final : Prepared {
  explicit PreparedUnit(Unit u) : unit(u) {}
  Unit unit;
};
struct PreparedField final : Prepared {
  explicit PreparedField(Extract e) : extract(e) {}
  Extract extract;
};
struct PreparedWidth final : Prepared {
  explicit PreparedWidth(std::int64_t us) : width_us(us) {}
  std::int64_t width_us;
};
struct PreparedFormat final : Prepared {
  PreparedFormat(TimeFormat f, Text p) : format(std::move(f)), pattern(p) {}
  TimeFormat format;
  std::string pattern;
};
struct PreparedPattern final : Prepared {
  explicit PreparedPattern(Text p) : pattern(p) {}
  std::string pattern;
};

PreparedPtr prepare_trunc(std::span<const Constant* const> arguments) {
  if (arguments[0]->valid == 0) return nullptr;
  return std::make_shared<PreparedUnit>(find_name(kUnits, *arguments[0], "unit of time").unit);
}

PreparedPtr prepare_field(std::span<const Constant* const> arguments) {
  if (arguments[0]->valid == 0) return nullptr;
  return std::make_shared<PreparedField>(find_name(kFields, *arguments[0], "field of a time").extract);
}

PreparedPtr prepare_bucket(std::span<const Constant* const> arguments) {
  if (arguments[0]->valid == 0) return nullptr;
  const auto width = parse_duration_us(arguments[0]->text);
  if (!width.ok()) throw ArgumentError{0, ErrorCode::wrong_unit, width.error().message()};
  if (*width == 0)
    throw ArgumentError{0, ErrorCode::out_of_range, "the width of time_bucket must be more than 0"};
  return std::make_shared<PreparedWidth>(*width);
}

PreparedPtr prepare_parse(std::span<const Constant* const> arguments) {
  if (arguments[1]->valid == 0) return nullptr;
  auto format = TimeFormat::compile(arguments[1]->text);
  if (!format.ok()) throw ArgumentError{1, format.error().code(), format.error().message()};
  return std::make_shared<PreparedFormat>(std::move(format).value(), arguments[1]->text);
}

PreparedPtr prepare_print(std::span<const Constant* const> arguments) {
  if (arguments[1]->valid == 0) return nullptr;
  if (const auto checked = check_time_pattern(arguments[1]->text); !checked.ok()) {
    throw ArgumentError{1, checked.error().code(), checked.error().message()};
  }
  return std::make_shared<PreparedPattern>(arguments[1]->text);
}

void fail_range(KernelCall& call, std::uint32_t row, Text function) {
  call.fail(row, ErrorCode::integer_overflow,
            fmt::format("{}: the time does not fit into a timestamp", function));
}

// The largest multiple of `width` that is not after `us`; false if it does not fit.
bool floor_to(std::int64_t us, std::int64_t width, std::int64_t& out) {
  const std::int64_t past = us % width;
  return !__builtin_sub_overflow(us, past < 0 ? past + width : past, &out);
}

bool start_of_days(std::int64_t days, std::int64_t& out) {
  return !__builtin_mul_overflow(days, kUsPerDay, &out);
}

bool truncated(std::int64_t us, Unit unit, std::int64_t& out) {
  switch (unit) {
    case Unit::microsecond:
      out = us;
      return true;
    case Unit::millisecond:
      return floor_to(us, 1000, out);
    case Unit::second:
      return floor_to(us, kUsPerSecond, out);
    case Unit::minute:
      return floor_to(us, kUsPerMinute, out);
    case Unit::hour:
      return floor_to(us, kUsPerHour, out);
    case Unit::day:
      return floor_to(us, kUsPerDay, out);
    default:
      break;
  }
  const std::int64_t days = floor_divide(us, kUsPerDay);
  const CivilDate date = civil_from_days(days);
  switch (unit) {
    case Unit::week:
      return start_of_days(days - (weekday_from_days(days) - 1), out);
    case Unit::month:
      return start_of_days(days - (date.day - 1), out);
    case Unit::quarter:
      return start_of_days(days_from_civil(date.year, (date.month - 1) / 3 * 3 + 1, 1), out);
    default:
      return start_of_days(days_from_civil(date.year, 1, 1), out);
  }
}

void date_trunc(KernelCall& call) {
  if (call.prepared == nullptr) return;  // the unit is null, so every row is
  const Unit unit = static_cast<const PreparedUnit*>(call.prepared)->unit;
  const Argument<std::int64_t> ts(call.args[1]);
  auto* out = call.out<std::int64_t>();
  call.each_valid([&](std::uint32_t row) {
    if (!truncated(ts[row], unit, out[row])) fail_range(call, row, "date_trunc");
  });
}

void time_bucket(KernelCall& call) {
  if (call.prepared == nullptr) return;
  const std::int64_t width = static_cast<const PreparedWidth*>(call.prepared)->width_us;
  const Argument<std::int64_t> ts(call.args[1]);
  auto* out = call.out<std::int64_t>();
  call.each_valid([&](std::uint32_t row) {
    if (!floor_to(ts[row], width, out[row])) fail_range(call, row, "time_bucket");
  });
}

void extract_field(KernelCall& call) {
  if (call.prepared == nullptr) return;
  const Extract field = static_cast<const PreparedField*>(call.prepared)->extract;
  const Argument<std::int64_t> ts(call.args[1]);
  auto* out = call.out<std::int64_t>();
  call.each_valid([&](std::uint32_t row) { out[row] = field(civil_from_us(ts[row]), ts[row]); });
}

void epoch_ms(KernelCall& call) {
  const Argument<std::int64_t> ts(call.args[0]);
  auto* out = call.out<std::int64_t>();
  call.rows.each([&](std::uint32_t row) { out[row] = floor_divide(ts[row], 1000); });
}

void epoch_us(KernelCall& call) {
  const Argument<std::int64_t> ts(call.args[0]);
  auto* out = call.out<std::int64_t>();
  call.rows.each([&](std::uint32_t row) { out[row] = ts[row]; });
}

void from_epoch_ms(KernelCall& call) {
  const Argument<std::int64_t> ms(call.args[0]);
  auto* out = call.out<std::int64_t>();
  call.each_valid([&](std::uint32_t row) {
    if (__builtin_mul_overflow(ms[row], 1000, &out[row])) fail_range(call, row, "from_epoch_ms");
  });
}

void to_timestamp(KernelCall& call) {
  if (call.prepared == nullptr) return;
  const auto& prepared = *static_cast<const PreparedFormat*>(call.prepared);
  const Argument<Text> text(call.args[0]);
  auto* out = call.out<std::int64_t>();
  call.each_valid([&](std::uint32_t row) {
    if (const auto us = prepared.format.parse_us(text[row])) [[likely]] {
      out[row] = *us;
    } else {
      call.fail(row, ErrorCode::cast_failed,
                fmt::format("{} is no time of the format \"{}\"", quoted_value(text[row]), prepared.pattern));
    }
  });
}

void format_timestamp(KernelCall& call) {
  if (call.prepared == nullptr) return;
  const std::string& pattern = static_cast<const PreparedPattern*>(call.prepared)->pattern;
  const Argument<std::int64_t> ts(call.args[0]);
  auto* out = call.out<Text>();
  std::string scratch;
  call.each_valid([&](std::uint32_t row) {
    scratch.clear();
    append_time(scratch, pattern, ts[row]);
    out[row] = call.arena.copy(scratch);
  });
}

}  // namespace

void add_time_functions(Overloads& all) {
  using enum Type;
  all.push_back({"date_trunc", {string, timestamp}, timestamp, date_trunc, prepare_trunc, 0b1});
  all.push_back({"time_bucket", {string, timestamp}, timestamp, time_bucket, prepare_bucket, 0b1});
  all.push_back({"extract", {string, timestamp}, int64, extract_field, prepare_field, 0b1});
  all.push_back({"epoch_ms", {timestamp}, int64, epoch_ms});
  all.push_back({"epoch_us", {timestamp}, int64, epoch_us});
  all.push_back({"from_epoch_ms", {int64}, timestamp, from_epoch_ms});
  all.push_back({"to_timestamp", {string, string}, timestamp, to_timestamp, prepare_parse, 0b10});
  all.push_back({"format_timestamp", {timestamp, string}, string, format_timestamp, prepare_print, 0b10});
}

}  // namespace sluice::expression
