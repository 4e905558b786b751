#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "operators/builtin/column_generator.hpp"
#include "operators/config/catalogue.hpp"

namespace sluice {

// The members of one entry of a generator's `columns`.
std::vector<FieldSpec> generated_column_fields();

// Turns one checked entry into the generator of its column; null after adding to `problems`. `pointer` is
// where it stands.
std::unique_ptr<ColumnGenerator> bind_generated_column(const Json& entry, std::uint64_t seed,
                                                       const std::string& pointer, Problems& problems);

}  // namespace sluice
