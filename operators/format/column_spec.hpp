#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operators/config/catalogue.hpp"
#include "operators/time/time_text.hpp"
#include "runtime/data/column_builder.hpp"

namespace sluice {

// One entry of a format's `schema`, checked on its own: the name is right and used once, the type known, and
// `format` and `default_year` stand only at a timestamp.
struct ColumnSpec {
  std::string name;
  std::optional<Type> type;               // left out: string, or what the format itself says
  std::string from;                       // a header or group name, or a JSON pointer; "" = left out
  std::optional<std::uint32_t> position;  // `from` as a number, from 1
  std::string time_format;                // "" = the format's own, else iso8601
  std::optional<int> default_year;
  std::string pointer;  // "/schema/2": where problems with it are reported

  const std::string& source_name() const { return from.empty() ? name : from; }
};

// The entries of config["schema"]; empty if it is left out.
std::vector<ColumnSpec> read_schema(const Json& config, Problems& problems);

// Turns the text of one field into one value of one type. Immutable, shared by threads.
//   int64      optional sign, digits; the whole text; exact or refused
//   float64    decimal or exponent form, inf, nan; too large is refused; `decimal` is the mark
//   bool       true false t f yes no 1 0, in any case
//   timestamp  by its time format
//   string     as it is;  json  one JSON value, checked
// Blanks around all but string are dropped.
class FieldConverter {
 public:
  static Result<FieldConverter> make(Type type, std::string_view time_format, std::optional<int> default_year,
                                     char decimal = '.');

  Type type() const { return type_; }
  // False: the text is no value of the type, and nothing was appended.
  bool append(std::string_view text, ColumnBuilder& to) const;

 private:
  FieldConverter(Type type, char decimal) : type_(type), decimal_(decimal) {}
  Type type_;
  char decimal_;
  std::optional<TimeFormat> time_;
};

// The converter of a schema entry; a wrong time format becomes a problem at its place.
std::optional<FieldConverter> make_converter(const ColumnSpec& spec, Type type, Problems& problems,
                                             char decimal = '.');

// `column "status": "abc" is not an int64`, with long text cut.
std::string field_fault(std::string_view column, std::string_view text, Type type);

// Whole-text number readers. nullopt: not a number of this form, or out of range.
std::optional<std::int64_t> parse_int64(std::string_view text);
std::optional<double> parse_float64(std::string_view text);

}  // namespace sluice
