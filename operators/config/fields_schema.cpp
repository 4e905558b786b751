#include <fmt/format.h>

#include <cmath>

#include "operators/config/catalogue.hpp"
#include "operators/config/field_text.hpp"

namespace sluice {
namespace {

// A text may hold ${VAR}, which is replaced before it is checked: every pattern lets such texts through.
constexpr std::string_view kDurationPattern = R"(^([0-9]+(\.[0-9]+)?(us|ms|s|m|h|d)|.*\$\{.*)$)";
constexpr std::string_view kSignedDurationPattern = R"(^(-?[0-9]+(\.[0-9]+)?(us|ms|s|m|h|d)|.*\$\{.*)$)";
constexpr std::string_view kSizePattern = R"(^([0-9]+(\.[0-9]+)?(B|KiB|MiB|GiB|KB|MB|GB)|.*\$\{.*)$)";
constexpr std::string_view kRatePattern = R"(^(max|[0-9]+(\.[0-9]+)?/(us|ms|s|m|h|d)|.*\$\{.*)$)";

Json bound_as_json(const FieldSpec& spec, double bound) {
  // 2^63 and above do not fit a long long; such a bound says nothing beyond the type.
  if (spec.type == FieldType::integer && std::abs(bound) < 9.2e18) return static_cast<long long>(bound);
  return bound;
}

void add_range(const FieldSpec& spec, Json& schema) {
  if (!has_range(spec)) return;
  schema["minimum"] = bound_as_json(spec, spec.minimum);
  if (spec.maximum >= spec.minimum) schema["maximum"] = bound_as_json(spec, spec.maximum);
}

Json text_with_pattern(std::string_view pattern) { return {{"type", "string"}, {"pattern", pattern}}; }

Json number_schema(const FieldSpec& spec, const char* type) {
  Json schema = {{"type", type}};
  add_range(spec, schema);
  return schema;
}

Json field_schema(const FieldSpec& spec);

Json list_schema(const FieldSpec& spec) {
  Json schema = {{"type", "array"}};
  if (!spec.members.empty()) schema["items"] = field_schema(spec.members.front());
  if (spec.min_items > 0) schema["minItems"] = spec.min_items;
  if (spec.max_items > 0) schema["maxItems"] = spec.max_items;
  return schema;
}

Json columns_schema(const FieldSpec& spec) {
  Json schema = {{"type", "array"}, {"items", {{"type", "string"}}}, {"uniqueItems", true}};
  if (spec.min_items > 0) schema["minItems"] = spec.min_items;
  return schema;
}

Json any_of_schema(const FieldSpec& spec) {
  Json forms = Json::array();
  for (const FieldSpec& form : spec.members) forms.push_back(field_schema(form));
  return {{"anyOf", std::move(forms)}};
}

Json form_schema(const FieldSpec& spec) {
  switch (spec.type) {
    case FieldType::boolean:
      return {{"type", "boolean"}};
    case FieldType::integer:
      return number_schema(spec, "integer");
    case FieldType::number:
      return number_schema(spec, "number");
    case FieldType::string:
      return spec.values.empty() ? Json{{"type", "string"}} : Json{{"type", "string"}, {"enum", spec.values}};
    case FieldType::duration:
      return text_with_pattern(spec.minimum < 0 ? kSignedDurationPattern : kDurationPattern);
    case FieldType::size:
      return text_with_pattern(kSizePattern);
    case FieldType::rate:
      return text_with_pattern(kRatePattern);
    case FieldType::expression:
    case FieldType::column:
      return {{"type", "string"}};
    case FieldType::columns:
      return columns_schema(spec);
    case FieldType::type:
      return {{"type", "string"}, {"enum", type_names()}};
    case FieldType::object:
      return fields_schema(spec.members);
    case FieldType::list:
      return list_schema(spec);
    case FieldType::any_of:
      return any_of_schema(spec);
    case FieldType::any:
      return Json::object();
  }
  return Json::object();
}

// Defaults are kept as a user would write them, strings with or without their quotes.
Json default_value(const FieldSpec& spec) {
  Json value = Json::parse(spec.default_text, nullptr, false);
  if (value.is_discarded() || !accepts_json_type(spec, value)) return spec.default_text;
  return value;
}

Json field_schema(const FieldSpec& spec) {
  Json schema = form_schema(spec);
  if (!spec.help.empty()) schema["description"] = spec.help;
  if (!spec.default_text.empty()) schema["default"] = default_value(spec);
  return schema;
}

}  // namespace

Json fields_schema(const std::vector<FieldSpec>& fields) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const FieldSpec& field : fields) {
    properties[field.name] = field_schema(field);
    if (field.required) required.push_back(field.name);
  }
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

}  // namespace sluice
