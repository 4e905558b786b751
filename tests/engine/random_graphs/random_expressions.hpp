#pragma once

#include <string>
#include <vector>

#include "tests/engine/random_graphs/random.hpp"
#include "tests/engine/random_graphs/row_reference.hpp"

namespace sluice::reference {

std::string quoted(const std::string& column);
std::vector<std::size_t> columns_of(const Table& table, const std::vector<Kind>& kinds);

Condition random_condition(const Table& table, Random& random);
// One that some records may make fail.
Condition risky_condition(const Table& table, Random& random);
Computed random_computed(const Table& table, const std::string& name, Random& random);

}  // namespace sluice::reference
