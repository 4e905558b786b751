#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operators/config/catalogue.hpp"

namespace sluice {

// How fields and values are named in sentences, shared by validation, help and schema.

// The range of a field, open ends filled in: for integers that of int64 (uint64 if the field's maximum lies
// above it), so that a checked value fits; for durations microseconds, for sizes bytes, for rates records per
// second.
struct FieldRange {
  long double minimum;
  long double maximum;
};
FieldRange range_of(const FieldSpec& spec);
// "1 to 1024", "at least 1", "0s to 1d".
std::string describe_range(const FieldSpec& spec);
// True if the field states a range of its own.
bool has_range(const FieldSpec& spec);

// "an integer", "a duration like \"5s\"", "a string or an object".
std::string describe_field_type(const FieldSpec& spec);
// "the string \"10\"", "null", "a list", "1000.0".
std::string describe_value(const Json& value);
// In double quotes, escaped, cut after 60 bytes.
std::string quote_value(std::string_view text);
// `"a", "b" or "c"`.
std::string one_of(const std::vector<std::string>& values, std::string_view last_word = "or");
// "int64" … "json".
const std::vector<std::string>& type_names();
// Whether a JSON value of this type may be meant as the field.
bool accepts_json_type(const FieldSpec& spec, const Json& value);

}  // namespace sluice
