#include "runtime/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace sluice {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;  // in base units
};

constexpr std::array<Unit, 6> kDurations = {{{"us", 1},
                                             {"ms", 1'000},
                                             {"s", 1'000'000},
                                             {"m", 60'000'000},
                                             {"h", 3'600'000'000},
                                             {"d", 86'400'000'000}}};
constexpr std::array<Unit, 7> kSizes = {{{"B", 1},
                                         {"KiB", 1ULL << 10},
                                         {"MiB", 1ULL << 20},
                                         {"GiB", 1ULL << 30},
                                         {"KB", 1'000},
                                         {"MB", 1'000'000},
                                         {"GB", 1'000'000'000}}};

constexpr std::string_view kDurationForm =
    "a duration is a number and a unit (us ms s m h d), like \"250ms\" or \"1m\"";
constexpr std::string_view kSizeForm =
    "a size is a number and a unit (B KiB MiB GiB KB MB GB), like \"64KiB\"";
constexpr std::string_view kRateForm =
    "a rate is a number per unit of time (us ms s m h d), like \"1000/s\", or \"max\"";

constexpr std::size_t kMaxQuantityLength = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string quoted(std::string_view text) {
  if (text.size() <= kMaxQuantityLength) return fmt::format("{:?}", text);
  return fmt::format("{:?}…", text.substr(0, kMaxQuantityLength));
}

// "1.50ms" cut into "1", "50" and "ms". The digits are there; nothing is said of the unit.
struct Quantity {
  std::string_view whole;
  std::string_view fraction;
  std::string_view unit;
};

std::optional<Quantity> cut(std::string_view text) {
  if (text.size() > kMaxQuantityLength) return std::nullopt;
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == 0) return std::nullopt;
  Quantity q{text.substr(0, end), {}, {}};
  if (end < text.size() && text[end] == '.') {
    const std::size_t start = ++end;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end == start) return std::nullopt;
    q.fraction = text.substr(start, end - start);
  }
  q.unit = text.substr(end);
  return q;
}

template <std::size_t N>
std::optional<std::uint64_t> factor_of(const std::array<Unit, N>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit.factor;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> whole_in_base(std::string_view digits, std::uint64_t factor) {
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (__builtin_mul_overflow(value, 10ULL, &value)) return std::nullopt;
    if (__builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value)) return std::nullopt;
  }
  if (__builtin_mul_overflow(value, factor, &value)) return std::nullopt;
  return value;
}

// 0.d1d2…dn of `factor`, by Horner's rule from the last digit. The sum is whole exactly if each division is,
// because the remaining terms are multiples of ten; no intermediate exceeds 10 · factor.
std::optional<std::uint64_t> fraction_in_base(std::string_view digits, std::uint64_t factor) {
  std::uint64_t value = 0;
  for (std::size_t i = digits.size(); i-- > 0;) {
    value += static_cast<std::uint64_t>(digits[i] - '0') * factor;
    if (value % 10 != 0) return std::nullopt;
    value /= 10;
  }
  return value;
}

template <std::size_t N>
Result<std::uint64_t> parse_quantity(std::string_view text, const std::array<Unit, N>& units,
                                     std::string_view form, std::uint64_t limit) {
  const auto q = cut(text);
  const auto factor = q ? factor_of(units, q->unit) : std::nullopt;
  if (!factor) return Error(ErrorCode::wrong_unit, fmt::format("{} cannot be read: {}", quoted(text), form));
  const auto whole = whole_in_base(q->whole, *factor);
  const auto fraction = fraction_in_base(q->fraction, *factor);
  if (!fraction) {
    return Error(ErrorCode::wrong_unit,
                 fmt::format("{} is not a whole number of {}", quoted(text), units.front().name));
  }
  std::uint64_t value = 0;
  if (!whole || __builtin_add_overflow(*whole, *fraction, &value) || value > limit) {
    return Error(ErrorCode::out_of_range,
                 fmt::format("{} is too large: the limit is {} {}", quoted(text), limit, units.front().name));
  }
  return value;
}

constexpr std::uint64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

// `value` / `factor` as a decimal, if it has one of at most nine places.
std::optional<std::string> exact_decimal(std::uint64_t value, std::uint64_t factor) {
  std::string text = std::to_string(value / factor);
  std::uint64_t rest = value % factor;
  if (rest != 0) text += '.';
  for (int places = 0; rest != 0; ++places) {
    if (places == 9) return std::nullopt;
    rest *= 10;
    text += static_cast<char>('0' + rest / factor);
    rest %= factor;
  }
  return text;
}

// Three significant digits without trailing zeros: 1.5, 12.3, 123.
std::string three_digits(double value) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals == 0) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string with_thousands(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, 1, ',');
  return text;
}

}  // namespace

Result<std::int64_t> parse_duration_us(std::string_view text) {
  SLUICE_ASSIGN(const std::uint64_t us, parse_quantity(text, kDurations, kDurationForm, kInt64Max));
  return static_cast<std::int64_t>(us);
}

Result<std::int64_t> parse_signed_duration_us(std::string_view text) {
  if (text.empty() || text.front() != '-') return parse_duration_us(text);
  SLUICE_ASSIGN(const std::uint64_t us,
                parse_quantity(text.substr(1), kDurations, kDurationForm, kInt64Max + 1));
  return static_cast<std::int64_t>(0 - us);
}

Result<std::uint64_t> parse_size_bytes(std::string_view text) {
  return parse_quantity(text, kSizes, kSizeForm, std::numeric_limits<std::uint64_t>::max());
}

Result<double> parse_rate_per_second(std::string_view text) {
  if (text == "max") return std::numeric_limits<double>::infinity();
  const auto q = cut(text);
  const auto unit_us = q && q->unit.starts_with('/') ? factor_of(kDurations, q->unit.substr(1))
                                                     : std::optional<std::uint64_t>();
  if (!unit_us)
    return Error(ErrorCode::wrong_unit, fmt::format("{} cannot be read: {}", quoted(text), kRateForm));
  double count = 0;
  std::from_chars(text.data(), q->unit.data(), count, std::chars_format::fixed);
  const double rate = count * 1e6 / static_cast<double>(*unit_us);
  if (!(rate > 0)) {
    return Error(ErrorCode::out_of_range,
                 fmt::format("{} would never pass a record: a rate is above 0", quoted(text)));
  }
  return rate;
}

std::string format_duration_us(std::int64_t us) {
  const std::uint64_t magnitude =
      us < 0 ? 0 - static_cast<std::uint64_t>(us) : static_cast<std::uint64_t>(us);
  if (magnitude == 0) return "0s";
  std::string best;
  for (std::size_t i = kDurations.size(); i-- > 0;) {
    if (magnitude < kDurations[i].factor) continue;
    const auto decimal = exact_decimal(magnitude, kDurations[i].factor);
    if (!decimal) continue;
    std::string text = *decimal + std::string(kDurations[i].name);
    if (best.empty() || text.size() < best.size()) best = std::move(text);
  }
  return us < 0 ? "-" + best : best;
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 7> kNames = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  std::size_t i = 0;
  for (; value >= 1023.5 && i + 1 < kNames.size(); ++i) value /= 1024;
  return fmt::format("{} {}", three_digits(value), kNames[i]);
}

std::string format_count(std::uint64_t count) {
  if (count < 1'000'000) return with_thousands(count);
  constexpr std::array<std::string_view, 5> kNames = {"million", "billion", "trillion", "quadrillion",
                                                      "quintillion"};
  double value = static_cast<double>(count) / 1e6;
  std::size_t i = 0;
  for (; value >= 999.5 && i + 1 < kNames.size(); ++i) value /= 1000;
  return fmt::format("{} {}", three_digits(value), kNames[i]);
}

}  // namespace sluice
