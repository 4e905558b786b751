#pragma once

#include <span>
#include <vector>

#include "operators/aggregate/aggregate_plan.hpp"
#include "operators/config/catalogue.hpp"

namespace sluice {

// The list `aggregates`, as every operator takes it that aggregates: its field, and how it is bound.

FieldSpec aggregates_field();

// Checks what the field table cannot, and adds the results' columns to `fields`. Problems lie under
// "/aggregates"; an entry with one is left out.
std::vector<AggregatePlan> bind_aggregates(const Schema& input, const Json& list, std::vector<Field>& fields,
                                           Problems& problems);

// True if a result depends on the order in which the records of a group come.
bool depend_on_order(std::span<const AggregatePlan> plans);

}  // namespace sluice
