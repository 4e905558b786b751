#include "operators/aggregate/aggregate.hpp"

#include <algorithm>
#include <utility>

#include "operators/aggregate/aggregate_factories.hpp"
#include "runtime/base/check.hpp"

namespace sluice {

const std::vector<std::string>& aggregate_function_names() {
  static const std::vector<std::string> names = {"count",
                                                 "sum",
                                                 "avg",
                                                 "min",
                                                 "max",
                                                 "first",
                                                 "last",
                                                 "var",
                                                 "stddev",
                                                 "count_distinct",
                                                 "quantile",
                                                 "approx_distinct",
                                                 "approx_quantile",
                                                 "approx_top"};
  return names;
}

std::optional<AggregateFunction> parse_aggregate_function(std::string_view name) {
  const auto& names = aggregate_function_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<AggregateFunction>(found - names.begin());
}

std::optional<Type> aggregate_type(const AggregateSpec& spec) {
  const auto [function, value] = std::pair(spec.function, spec.value_type);
  if (function == AggregateFunction::count) return Type::int64;
  if (!value) return std::nullopt;
  const bool number = *value == Type::int64 || *value == Type::float64;
  const auto number_gives = [&](Type type) { return number ? std::optional(type) : std::nullopt; };
  switch (function) {
    case AggregateFunction::count:
    case AggregateFunction::count_distinct:
    case AggregateFunction::approx_distinct:
      return Type::int64;
    case AggregateFunction::sum:
      return number_gives(*value);
    case AggregateFunction::avg:
    case AggregateFunction::var:
    case AggregateFunction::stddev:
    case AggregateFunction::approx_quantile:
      return number_gives(Type::float64);
    case AggregateFunction::quantile:
      return *value == Type::timestamp ? value : number_gives(*value);
    case AggregateFunction::min:
    case AggregateFunction::max:
      // The text of a JSON value has no order that means anything.
      return *value == Type::json ? std::nullopt : value;
    case AggregateFunction::first:
    case AggregateFunction::last:
      return value;
    case AggregateFunction::approx_top:
      return Type::json;
  }
  return std::nullopt;
}

std::unique_ptr<Aggregate> make_aggregate(const AggregateSpec& spec) {
  SLUICE_CHECK(aggregate_type(spec).has_value());
  auto aggregate = make_basic_aggregate(spec);
  if (!aggregate) aggregate = make_exact_aggregate(spec);
  if (!aggregate) aggregate = make_sketch_aggregate(spec);
  SLUICE_CHECK(aggregate != nullptr);
  return aggregate;
}

}  // namespace sluice
