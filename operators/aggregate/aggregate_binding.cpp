#include "operators/aggregate/aggregate_binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "operators/aggregate/dd_sketch.hpp"
#include "operators/aggregate/hyper_log_log.hpp"
#include "operators/binding/binding.hpp"

namespace sluice {
namespace {

void add_problem(Problems& problems, std::string at, ErrorCode code, std::string message,
                 std::string hint = "") {
  problems.push_back({std::move(at), code, std::move(message), std::move(hint)});
}

// ---- p, k and accuracy: each belongs to some functions ----

constexpr double kLargestK = 1000;
constexpr std::uint32_t kUsualK = 10;

bool takes_p(AggregateFunction f) {
  return f == AggregateFunction::quantile || f == AggregateFunction::approx_quantile;
}
bool takes_k(AggregateFunction f) { return f == AggregateFunction::approx_top; }

// What `accuracy` may be, and what it is if it is left out.
struct AccuracyRule {
  AggregateFunction function;
  double least, largest, usual;
};
constexpr AccuracyRule kAccuracyRules[] = {
    {AggregateFunction::approx_distinct, HyperLogLog::kLeastError, HyperLogLog::kLargestError, 0.01},
    {AggregateFunction::approx_quantile, DDSketch::kLeastAccuracy, DDSketch::kLargestAccuracy, 0.01},
    {AggregateFunction::approx_top, 0.0001, 0.1, 0.001},
};
const AccuracyRule* accuracy_rule(AggregateFunction f) {
  const auto* rule = std::find_if(std::begin(kAccuracyRules), std::end(kAccuracyRules),
                                  [&](const AccuracyRule& r) { return r.function == f; });
  return rule == std::end(kAccuracyRules) ? nullptr : rule;
}

// True if the entry has the parameter and its function takes it.
bool has_parameter(const Json& entry, const char* name, bool taken, const char* whose, const std::string& at,
                   Problems& problems) {
  if (!entry.contains(name)) return false;
  if (taken) return true;
  add_problem(problems, at + "/" + name, ErrorCode::bad_value,
              fmt::format("\"{}\" takes no \"{}\"", entry["fn"].get<std::string>(), name),
              fmt::format("leave it out; it belongs to {}", whose));
  return false;
}

void bind_parameters(const Json& entry, const std::string& at, AggregateSpec& spec, Problems& problems) {
  const AggregateFunction f = spec.function;
  if (has_parameter(entry, "p", takes_p(f), "quantile and approx_quantile", at, problems)) {
    spec.p = entry["p"].get<double>();
  } else if (takes_p(f)) {
    add_problem(
        problems, at, ErrorCode::missing_field,
        fmt::format("\"{}\" needs \"p\", the share of values up to it", entry["fn"].get<std::string>()),
        "for example \"p\": 0.5 for the median");
  }
  spec.k = takes_k(f) ? kUsualK : 0;
  if (has_parameter(entry, "k", takes_k(f), "approx_top", at, problems)) {
    spec.k = entry["k"].get<std::uint32_t>();
  }
  const AccuracyRule* rule = accuracy_rule(f);
  if (rule != nullptr) spec.accuracy = rule->usual;
  if (has_parameter(entry, "accuracy", rule != nullptr, "the functions whose name starts with approx_", at,
                    problems)) {
    spec.accuracy = entry["accuracy"].get<double>();
    if (spec.accuracy >= rule->least && spec.accuracy <= rule->largest) return;
    add_problem(problems, at + "/accuracy", ErrorCode::out_of_range,
                fmt::format("the \"accuracy\" of \"{}\" may be {} to {}, not {}",
                            entry["fn"].get<std::string>(), rule->least, rule->largest, spec.accuracy),
                fmt::format("left out, it is {}", rule->usual));
  }
}

// What to do about values that a function does not take.
std::string values_hint(AggregateFunction f) {
  switch (f) {
    case AggregateFunction::min:
    case AggregateFunction::max:
      return "JSON has no order: take a value out of it with json_text, and cast that";
    case AggregateFunction::quantile:
      return "it takes int64, float64 and timestamp: cast the value";
    default:
      return "it takes int64 and float64: cast the value";
  }
}

// The values that an entry aggregates; false after adding a problem.
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
  bind_parameters(entry, at, plan.spec, problems);
  if (entry.contains("where")) {
    plan.where = bind_condition(input, entry["where"].get<std::string>(), at + "/where", problems);
  }
  if (!bind_value(input, entry, at, plan, problems) || problems.size() > before) return std::nullopt;
  const auto type = aggregate_type(plan.spec);
  if (!type) {
    add_problem(problems, at + "/expr", ErrorCode::type_mismatch,
                fmt::format("\"{}\" does not take values of type {}", fn, type_name(*plan.spec.value_type)),
                values_hint(plan.spec.function));
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
    const AggregateFunction f = plan.spec.function;
    return f == AggregateFunction::first || f == AggregateFunction::last ||
           f == AggregateFunction::approx_top;
  });
}

FieldSpec aggregates_field() {
  const FieldSpec name{
      .name = "name", .type = FieldType::string, .required = true, .help = "The result's column."};
  const FieldSpec fn{
      .name = "fn",
      .type = FieldType::string,
      .required = true,
      .help =
          "Nulls are passed over; without a value the result is null, a count 0, approx_top the empty list. "
          "count: records, or values of expr. sum, avg: exact and rounded once, in any order; of float64 NaN "
          "with a NaN or with infinities of both signs. min, max: NaN is above all numbers. first, last: by "
          "arrival. var, stddev: of a sample (n − 1), null below two values, NaN with a NaN or infinity; "
          "from "
          "exact sums. count_distinct: exact, every value is kept; NaN is one value, -0.0 is 0.0. quantile: "
          "the value of rank ⌈p·n⌉ (p = 0: the smallest), exact, every value is kept. approx_distinct: "
          "HyperLogLog (Flajolet et al. 2007, estimator of Ertl 2017), standard error \"accuracy\", exact "
          "for "
          "few values. approx_quantile: DDSketch (Masson, Rim, Lee 2019), within \"accuracy\" of the value "
          "of "
          "that rank, times 2, 4, … should values not fit 41 / accuracy buckets (35 decades of them without "
          "a gap). approx_top: the k most frequent values as [{\"value\", \"count\", \"error\"}], most "
          "first; "
          "the true count is count − error to count, error at most \"accuracy\" of all values, 0 as long as "
          "there were few different ones; none with more than that is missed (Misra and Gries 1982, Agarwal "
          "et al. 2012).",
      .values = aggregate_function_names()};
  const FieldSpec expr{
      .name = "expr",
      .type = FieldType::expression,
      .help =
          "The values, an expression over the input's columns; count can do without. sum, avg, var, stddev "
          "and approx_quantile take int64 and float64, quantile timestamp too."};
  const FieldSpec where{.name = "where",
                        .type = FieldType::expression,
                        .help = "Only records for which this is true count for this aggregate."};
  const FieldSpec p{.name = "p",
                    .type = FieldType::number,
                    .help =
                        "quantile and approx_quantile need it: the share of values up to the result, 0.5 "
                        "for the median.",
                    .minimum = 0,
                    .maximum = 1};
  const FieldSpec k{.name = "k",
                    .type = FieldType::integer,
                    .help = fmt::format("approx_top: the number of values, {} if left out; the list ends "
                                        "early rather than grow beyond 256 KiB.",
                                        kUsualK),
                    .minimum = 1,
                    .maximum = kLargestK};
  const FieldSpec accuracy{
      .name = "accuracy",
      .type = FieldType::number,
      .help =
          "The relative error. approx_distinct: 0.0025 to 0.1, usually 0.01, which takes 16 KiB for a "
          "group of many values (standard error 1.04 / √m with m bytes). approx_quantile: 0.001 to 0.2, "
          "usually 0.01. approx_top: 0.0001 to 0.1, usually 0.001, of the number of values; up to "
          "2 / accuracy or 8 k different values are kept.",
      .minimum = 0.0001,
      .maximum = 0.2};
  return {.name = "aggregates",
          .type = FieldType::list,
          .required = true,
          .help = "What is computed for each window and key.",
          .members = {{.type = FieldType::object, .members = {name, fn, expr, where, p, k, accuracy}}},
          .min_items = 1};
}

}  // namespace sluice
