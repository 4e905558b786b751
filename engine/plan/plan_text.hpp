#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/plan/planner.hpp"

namespace sluice {

// A plan for people and programs: `sluice plan`.
std::string plan_table(const Graph& graph, const JobPlan& plan);
nlohmann::ordered_json plan_json(const Graph& graph, const JobPlan& plan);
std::string plan_dot(const Graph& graph, const JobPlan& plan);
std::string plan_mermaid(const Graph& graph, const JobPlan& plan);

}  // namespace sluice
