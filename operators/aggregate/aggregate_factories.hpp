#pragma once

#include <memory>

#include "operators/aggregate/aggregate.hpp"

namespace sluice {

// The makers behind make_aggregate. Each gives null for a function that is not its own.

// count, sum, avg, min, max, first, last: a few words a group.
std::unique_ptr<Aggregate> make_basic_aggregate(const AggregateSpec& spec);
// var, stddev, count_distinct, quantile: exact, whatever that takes.
std::unique_ptr<Aggregate> make_exact_aggregate(const AggregateSpec& spec);
// approx_distinct, approx_quantile, approx_top: bounded memory and a stated error.
std::unique_ptr<Aggregate> make_sketch_aggregate(const AggregateSpec& spec);

}  // namespace sluice
