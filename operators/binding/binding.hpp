#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operators/config/bad_records.hpp"
#include "operators/config/catalogue.hpp"
#include "operators/expression/expression.hpp"

namespace sluice {

// What the bind functions of several operators do alike. Each adds its problems under `pointer` (relative to
// the config) and gives nullopt after that, so that a bind can go on and find the others.

// The index of a visible column. `which` is what an operator with several inputs calls this one.
std::optional<std::size_t> bind_column(const Schema& input, const std::string& name,
                                       const std::string& pointer, Problems& problems,
                                       std::string_view which = "the input");
// A list of columns (check_fields has seen that they differ), e.g. `keys`. JSON null, a field left out, is
// the empty list.
std::optional<std::vector<std::size_t>> bind_columns(const Schema& input, const Json& names,
                                                     const std::string& pointer, Problems& problems);

std::optional<Expression> bind_expression(const Schema& input, const std::string& text,
                                          const std::string& pointer, Problems& problems);
// The same, of type bool.
std::optional<Expression> bind_condition(const Schema& input, const std::string& text,
                                         const std::string& pointer, Problems& problems);

// Adds a visible output column whose name must be new, not empty, and not start with '$' (those travel
// unseen).
bool add_output_field(std::vector<Field>& fields, const Field& field, const std::string& pointer,
                      Problems& problems);

// The field of a config, or JSON null where it is left out.
const Json& config_field(const Json& config, std::string_view name);
// Duration and rate fields that check_fields has already accepted.
std::int64_t duration_us_of(const Json& config, std::string_view name, std::int64_t left_out = 0);

}  // namespace sluice
