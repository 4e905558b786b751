#pragma once

#include <memory>

#include "operators/join/join_plan.hpp"

namespace sluice {

std::unique_ptr<Operator> make_lookup_join(const JoinPlan& plan);

}  // namespace sluice
