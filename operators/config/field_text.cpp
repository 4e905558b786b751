#include "operators/config/field_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime/base/units.hpp"

namespace sluice {
namespace {

constexpr std::size_t kMaxQuoted = 60;

FieldRange natural_range(const FieldSpec& spec) {
  constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
  constexpr long double kInt64Max = std::numeric_limits<std::int64_t>::max();
  constexpr long double kInt64Min = std::numeric_limits<std::int64_t>::min();
  constexpr long double kUint64Max = std::numeric_limits<std::uint64_t>::max();
  switch (spec.type) {
    case FieldType::integer:
      return {kInt64Min, spec.maximum > 9.3e18 ? kUint64Max : kInt64Max};
    case FieldType::duration:
      return {spec.minimum < 0 ? kInt64Min : 0, kInt64Max};
    case FieldType::size:
      return {0, kUint64Max};
    case FieldType::rate:
      return {0, kInfinity};
    default:
      return {-kInfinity, kInfinity};
  }
}

std::string show_bound(const FieldSpec& spec, long double bound) {
  if (spec.type == FieldType::duration) return format_duration_us(static_cast<std::int64_t>(bound));
  if (spec.type == FieldType::size) return format_bytes(static_cast<std::uint64_t>(bound));
  if (spec.type == FieldType::rate) return fmt::format("{:g}/s", bound);
  if (spec.type == FieldType::integer) return fmt::format("{:.0f}", bound);
  return fmt::format("{}", static_cast<double>(bound));
}

std::string describe_forms(const FieldSpec& spec) {
  std::vector<std::string> forms;
  for (const FieldSpec& form : spec.members) {
    std::string text = describe_field_type(form);
    if (std::find(forms.begin(), forms.end(), text) == forms.end()) forms.push_back(std::move(text));
  }
  std::string text;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (i > 0) text += i + 1 == forms.size() ? " or " : ", ";
    text += forms[i];
  }
  return text;
}

}  // namespace

bool has_range(const FieldSpec& spec) { return spec.minimum != 0 || spec.maximum != 0; }

FieldRange range_of(const FieldSpec& spec) {
  FieldRange range = natural_range(spec);
  if (!has_range(spec)) return range;
  range.minimum = std::max<long double>(range.minimum, spec.minimum);
  // A maximum below the minimum is left open: "at least".
  if (spec.maximum >= spec.minimum) range.maximum = std::min<long double>(range.maximum, spec.maximum);
  return range;
}

std::string describe_range(const FieldSpec& spec) {
  const FieldRange range = range_of(spec);
  const bool open =
      spec.maximum < spec.minimum || range.maximum == std::numeric_limits<long double>::infinity();
  if (open) return "at least " + show_bound(spec, range.minimum);
  return show_bound(spec, range.minimum) + " to " + show_bound(spec, range.maximum);
}

std::string describe_field_type(const FieldSpec& spec) {
  switch (spec.type) {
    case FieldType::boolean:
      return "true or false";
    case FieldType::integer:
      return "an integer";
    case FieldType::number:
      return "a number";
    case FieldType::string:
      return spec.values.empty() ? "a string" : one_of(spec.values);
    case FieldType::duration:
      return "a duration like \"5s\"";
    case FieldType::size:
      return "a size like \"64KiB\"";
    case FieldType::rate:
      return "a rate like \"1000/s\"";
    case FieldType::expression:
      return "an expression in a string";
    case FieldType::column:
      return "the name of a column";
    case FieldType::columns:
      return "a list of columns";
    case FieldType::type:
      return "the name of a type";
    case FieldType::object:
      return "an object";
    case FieldType::list:
      return "a list";
    case FieldType::any_of:
      return describe_forms(spec);
    case FieldType::any:
      return "any value";
  }
  return "any value";
}

std::string describe_value(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "the string " + quote_value(value.get_ref<const std::string&>());
  if (value.is_number_float())
    return fmt::format("the number {}, which is written with a fraction or exponent", value.dump());
  return value.dump();
}

std::string quote_value(std::string_view text) {
  if (text.size() <= kMaxQuoted) return fmt::format("{:?}", text);
  std::size_t end = kMaxQuoted;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return fmt::format("{:?}…", text.substr(0, end));
}

std::string one_of(const std::vector<std::string>& values, std::string_view last_word) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i + 1 == values.size() ? fmt::format(" {} ", last_word) : ", ";
    text += '"' + values[i] + '"';
  }
  return text;
}

const std::vector<std::string>& type_names() {
  static const std::vector<std::string> names = {"int64", "float64", "bool", "string", "timestamp", "json"};
  return names;
}

bool accepts_json_type(const FieldSpec& spec, const Json& value) {
  switch (spec.type) {
    case FieldType::boolean:
      return value.is_boolean();
    case FieldType::integer:
    case FieldType::number:
      return value.is_number();
    case FieldType::string:
    case FieldType::duration:
    case FieldType::size:
    case FieldType::rate:
    case FieldType::expression:
    case FieldType::column:
    case FieldType::type:
      return value.is_string();
    case FieldType::columns:
    case FieldType::list:
      return value.is_array();
    case FieldType::object:
      return value.is_object();
    case FieldType::any_of:
      return std::any_of(spec.members.begin(), spec.members.end(),
                         [&](const FieldSpec& form) { return accepts_json_type(form, value); });
    case FieldType::any:
      return true;
  }
  return true;
}

}  // namespace sluice
