#include "operators/builtin/aggregate_binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "operators/builtin/binding.hpp"

namespace sluice {
namespace {

void add_problem(Problems& problems, std::string at, ErrorCode code, std::string message,
                 std::string hint = "") {
  problems.push_back({std::move(at), code, std::move(message), std::move(hint)});
}

// The values that an entry aggregates; nullopt after adding a problem.
bool bind_value(const Schema& input, const Json& entry, const std::string& at, AggregatePlan& plan,
                Problems& problems) {
  if (!entry.contains("expr")) {
    if (plan.spec.function == AggregateFunction::count) return true;
    const auto fn = entry["fn"].get<std::string>();
    add_problem(problems, at, ErrorCode::missing_field,
                fmt::format("\"{}\" needs \"expr\", the values to aggregate", fn),
                "for example \"expr\": \"bytes\"");
    return false;
  }
  auto value = bind_expression(input, entry["expr"].get<std::string>(), at + "/expr", problems);
  if (!value) return false;
  plan.spec.value_type = value->type();
  plan.value.emplace();
  if (const auto column = value->as_column()) {
    plan.value->column = *column;
  } else {
    plan.value->expression = std::move(value);
  }
  return true;
}

std::optional<AggregatePlan> bind_aggregate(const Schema& input, const Json& entry, const std::string& at,
                                            std::vector<Field>& fields, Problems& problems) {
  const std::size_t before = problems.size();
  AggregatePlan plan;
  plan.name = entry["name"].get<std::string>();
  const auto fn = entry["fn"].get<std::string>();
  plan.spec.function = *parse_aggregate_function(fn);
  if (entry.contains("where")) {
    plan.where = bind_condition(input, entry["where"].get<std::string>(), at + "/where", problems);
  }
  if (!bind_value(input, entry, at, plan, problems) || problems.size() > before) return std::nullopt;
  const auto type = aggregate_type(plan.spec);
  if (!type) {
    add_problem(problems, at + "/expr", ErrorCode::type_mismatch,
                fmt::format("\"{}\" does not take values of type {}", fn, type_name(*plan.spec.value_type)));
    return std::nullopt;
  }
  if (!add_output_field(fields, {plan.name, *type}, at + "/name", problems)) return std::nullopt;
  return plan;
}

}  // namespace

std::vector<AggregatePlan> bind_aggregates(const Schema& input, const Json& list, std::vector<Field>& fields,
                                           Problems& problems) {
  std::vector<AggregatePlan> plans;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto plan = bind_aggregate(input, list[i], fmt::format("/aggregates/{}", i), fields, problems);
    if (plan) plans.push_back(std::move(*plan));
  }
  return plans;
}

bool depend_on_order(std::span<const AggregatePlan> plans) {
  return std::any_of(plans.begin(), plans.end(), [](const AggregatePlan& plan) {
    return plan.spec.function == AggregateFunction::first || plan.spec.function == AggregateFunction::last;
  });
}

FieldSpec aggregates_field() {
  return {
      .name = "aggregates",
      .type = FieldType::list,
      .required = true,
      .help = "What is computed for each window and key.",
      .members =
          {{.type = FieldType::object,
            .members = {{.name = "name",
                         .type = FieldType::string,
                         .required = true,
                         .help = "The result's column."},
                        {.name = "fn",
                         .type = FieldType::string,
                         .required = true,
                         .help = "count (records, or values of expr that are not null), sum, avg, min, max, "
                                 "first or last (by arrival). Nulls are passed over; without a value the "
                                 "result is null, of count 0. For min and max NaN is above all numbers.",
                         .values = {"count", "sum", "avg", "min", "max", "first", "last"}},
                        {.name = "expr",
                         .type = FieldType::expression,
                         .help = "The values, an expression over the input's columns; count can do without."},
                        {.name = "where",
                         .type = FieldType::expression,
                         .help = "Only records for which this is true count for this aggregate."}}}},
      .min_items = 1};
}

}  // namespace sluice
