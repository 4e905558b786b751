#include "operators/binding/binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/base/units.hpp"

namespace sluice {
namespace {

std::vector<std::string> visible_names(const Schema& schema) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < schema.visible(); ++i) names.push_back(schema.field(i).name);
  return names;
}

std::string columns_hint(const Schema& schema, const std::string& name, std::string_view which) {
  const auto names = visible_names(schema);
  std::string hint = did_you_mean(name, names);
  return hint.empty() ? fmt::format("{} has {}", which, fmt::join(names, ", ")) : hint;
}

}  // namespace

std::optional<std::size_t> bind_column(const Schema& input, const std::string& name,
                                       const std::string& pointer, Problems& problems,
                                       std::string_view which) {
  const auto index = input.find(name);
  if (!index) {
    problems.push_back({pointer, ErrorCode::unknown_column,
                        fmt::format("{} has no column \"{}\"", which, name),
                        columns_hint(input, name, which)});
  }
  return index;
}

std::optional<std::vector<std::size_t>> bind_columns(const Schema& input, const Json& names,
                                                     const std::string& pointer, Problems& problems) {
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto index =
        bind_column(input, names[i].get<std::string>(), fmt::format("{}/{}", pointer, i), problems);
    if (index) indexes.push_back(*index);
  }
  if (indexes.size() != names.size()) return std::nullopt;
  return indexes;
}

std::optional<Expression> bind_expression(const Schema& input, const std::string& text,
                                          const std::string& pointer, Problems& problems) {
  auto compiled = Expression::compile(text, input);
  if (compiled) return std::move(compiled).value();
  problems.push_back({pointer, compiled.error().code(), compiled.error().message(), ""});
  return std::nullopt;
}

std::optional<Expression> bind_condition(const Schema& input, const std::string& text,
                                         const std::string& pointer, Problems& problems) {
  auto expression = bind_expression(input, text, pointer, problems);
  if (expression && expression->type() != Type::boolean) {
    problems.push_back(
        {pointer, ErrorCode::type_mismatch,
         fmt::format("a condition must be of type bool, and this is {}", type_name(expression->type())),
         "compare it with something, for example: … > 0"});
    return std::nullopt;
  }
  return expression;
}

bool add_output_field(std::vector<Field>& fields, const Field& field, const std::string& pointer,
                      Problems& problems) {
  if (field.name.empty() || field.name.front() == '$') {
    problems.push_back({pointer, ErrorCode::bad_name,
                        fmt::format("\"{}\" cannot be the name of a column", field.name),
                        "a name is not empty and does not start with $"});
    return false;
  }
  const bool clash =
      std::any_of(fields.begin(), fields.end(), [&](const Field& f) { return f.name == field.name; });
  if (clash) {
    problems.push_back({pointer, ErrorCode::duplicate_name,
                        fmt::format("the output already has a column \"{}\"", field.name),
                        "choose another name, or rename a column of the input in a map before"});
    return false;
  }
  fields.push_back(field);
  return true;
}

const Json& config_field(const Json& config, std::string_view name) {
  static const Json kLeftOut;
  const auto found = config.find(name);
  return found == config.end() ? kLeftOut : *found;
}

std::int64_t duration_us_of(const Json& config, std::string_view name, std::int64_t left_out) {
  const Json& field = config_field(config, name);
  return field.is_null() ? left_out : parse_duration_us(field.get<std::string>()).value();
}

}  // namespace sluice
