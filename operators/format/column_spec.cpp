#include "operators/format/column_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "operators/format/json_text.hpp"
#include "operators/format/record_format.hpp"

namespace sluice {
namespace {

FieldSpec text_field(std::string name, std::string help, bool required = false) {
  FieldSpec field;
  field.name = std::move(name);
  field.type = FieldType::string;
  field.required = required;
  field.help = std::move(help);
  return field;
}

FieldSpec integer_field(std::string name, std::string help, double minimum, double maximum) {
  FieldSpec field;
  field.name = std::move(name);
  field.type = FieldType::integer;
  field.help = std::move(help);
  field.minimum = minimum;
  field.maximum = maximum;
  return field;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool equals_ignoring_case(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() && std::equal(a.begin(), a.end(), lower.begin(), [](char x, char y) {
           return (x >= 'A' && x <= 'Z' ? x + 32 : x) == y;
         });
}

std::optional<bool> parse_bool(std::string_view text) {
  for (const std::string_view yes : {"true", "1", "t", "yes"}) {
    if (equals_ignoring_case(text, yes)) return true;
  }
  for (const std::string_view no : {"false", "0", "f", "no"}) {
    if (equals_ignoring_case(text, no)) return false;
  }
  return std::nullopt;
}

// "2,6" with the mark ',' → "2.6". A point is then no mark: "1.000,5" is refused rather than misread.
std::optional<double> parse_float64_with_mark(std::string_view text, char mark) {
  if (mark == '.') return parse_float64(text);
  if (text.size() > 64 || text.find('.') != std::string_view::npos) return std::nullopt;
  char copy[64];
  std::replace_copy(text.begin(), text.end(), copy, mark, '.');
  return parse_float64({copy, text.size()});
}

ColumnSpec read_entry(const Json& entry, std::string pointer, Problems& problems) {
  ColumnSpec spec;
  spec.pointer = std::move(pointer);
  spec.name = entry.at("name").get<std::string>();
  if (spec.name.empty() || spec.name.front() == '$') {
    problems.push_back({spec.pointer + "/name", ErrorCode::bad_name,
                        "a column needs a name, and \"$\" may not start it", ""});
  }
  if (entry.contains("type")) spec.type = parse_type(entry.at("type").get<std::string>());
  if (const auto from = entry.find("from"); from != entry.end()) {
    if (from->is_string()) {
      spec.from = from->get<std::string>();
    } else {
      spec.position = from->get<std::uint32_t>();
    }
  }
  const bool timestamp = spec.type == Type::timestamp || !spec.type;
  for (const char* field : {"format", "default_year"}) {
    if (entry.contains(field) && !timestamp) {
      problems.push_back({spec.pointer + "/" + field, ErrorCode::bad_value,
                          fmt::format("\"{}\" is for columns of type timestamp, and \"{}\" is {}", field,
                                      spec.name, type_name(*spec.type)),
                          "leave it out, or write \"type\": \"timestamp\""});
    }
  }
  if (entry.contains("format")) spec.time_format = entry.at("format").get<std::string>();
  if (entry.contains("default_year")) spec.default_year = entry.at("default_year").get<int>();
  return spec;
}

}  // namespace

FieldSpec schema_field() {
  FieldSpec from;
  from.name = "from";
  from.type = FieldType::any_of;
  from.help =
      "Where the value stands: a header or group name, a position from 1, a logfmt key, or for JSON a key or "
      "a "
      "pointer such as /properties/mag; left out, it is the name.";
  from.members = {text_field("from", "A header or group name, a logfmt key, or a JSON key or pointer."),
                  integer_field("from", "A position, from 1.", 1, 100000)};

  FieldSpec type;
  type.name = "type";
  type.type = FieldType::type;
  type.default_text = "string";
  type.help = "The column's type; the Apache formats know their own.";

  FieldSpec entry;
  entry.name = "column";
  entry.type = FieldType::object;
  entry.help = "One column.";
  entry.members = {
      text_field("name", "The column's name.", true), type, from,
      text_field(
          "format",
          "Of a timestamp: iso8601 (the default), epoch_s, epoch_ms, epoch_us or a strptime pattern, read as "
          "UTC unless it holds a zone."),
      integer_field("default_year", "The year for a timestamp pattern that holds none.", 1, 9999)};

  FieldSpec schema;
  schema.name = "schema";
  schema.type = FieldType::list;
  schema.help =
      "The columns to read; what it does not name is not read. Left out, all columns are read: of csv as "
      "strings, of JSON and logfmt with types inferred from the first 1,000 records.";
  schema.members = {entry};
  schema.min_items = 1;
  return schema;
}

std::vector<ColumnSpec> read_schema(const Json& config, Problems& problems) {
  std::vector<ColumnSpec> specs;
  const auto schema = config.find("schema");
  if (schema == config.end()) return specs;
  std::set<std::string> names;
  for (std::size_t i = 0; i < schema->size(); ++i) {
    specs.push_back(read_entry((*schema)[i], fmt::format("/schema/{}", i), problems));
    if (!names.insert(specs.back().name).second) {
      problems.push_back({specs.back().pointer + "/name", ErrorCode::duplicate_name,
                          fmt::format("the column \"{}\" is named twice", specs.back().name), ""});
    }
  }
  return specs;
}

Result<FieldConverter> FieldConverter::make(Type type, std::string_view time_format,
                                            std::optional<int> default_year, char decimal) {
  FieldConverter converter(type, decimal);
  if (type == Type::timestamp) {
    SLUICE_ASSIGN(converter.time_,
                  TimeFormat::compile(time_format.empty() ? "iso8601" : time_format, default_year));
  }
  return converter;
}

bool FieldConverter::append(std::string_view text, ColumnBuilder& to) const {
  if (type_ == Type::string) {
    to.append_string(text);
    return true;
  }
  text = trimmed(text);
  switch (type_) {
    case Type::int64: {
      const auto value = parse_int64(text);
      if (value) to.append_int64(*value);
      return value.has_value();
    }
    case Type::float64: {
      const auto value = parse_float64_with_mark(text, decimal_);
      if (value) to.append_float64(*value);
      return value.has_value();
    }
    case Type::boolean: {
      const auto value = parse_bool(text);
      if (value) to.append_bool(*value);
      return value.has_value();
    }
    case Type::timestamp: {
      const auto value = time_->parse_us(text);
      if (value) to.append_int64(*value);
      return value.has_value();
    }
    case Type::json:
      if (!is_json(text)) return false;
      to.append_string(text);
      return true;
    case Type::string:
      break;
  }
  return false;
}

std::optional<FieldConverter> make_converter(const ColumnSpec& spec, Type type, Problems& problems,
                                             char decimal) {
  auto made = FieldConverter::make(type, spec.time_format, spec.default_year, decimal);
  if (made.ok()) return std::move(made).value();
  problems.push_back(
      {spec.pointer + "/format", ErrorCode::bad_value, made.error().message(),
       "iso8601, epoch_s, epoch_ms, epoch_us or a strptime pattern such as %Y-%m-%d %H:%M:%S"});
  return std::nullopt;
}

std::string field_fault(std::string_view column, std::string_view text, Type type) {
  constexpr std::size_t kShown = 60;
  const std::string_view shown = text.substr(0, kShown);
  const std::string_view article = type == Type::int64 ? "an" : "a";
  return fmt::format("column \"{}\": \"{}{}\" is not {} {}", column, shown, text.size() > kShown ? "…" : "",
                     article, type_name(type));
}

std::optional<std::int64_t> parse_int64(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> parse_float64(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || text.empty()) return std::nullopt;
  if (error == std::errc()) return value;
  if (error != std::errc::result_out_of_range) return std::nullopt;
  // from_chars does not tell too large from too small; the latter is the nearest number, zero or a denormal
  // one.
  const std::string copy(text);
  const double nearest = std::strtod(copy.c_str(), nullptr);
  if (std::isinf(nearest)) return std::nullopt;
  return nearest;
}

}  // namespace sluice
