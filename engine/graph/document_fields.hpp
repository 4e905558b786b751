#pragma once

#include <vector>

#include "operators/config/catalogue.hpp"

namespace sluice {

// The fields of a graph document, operators' configs left open: checks, help and schema of everything around
// the operators come from these tables, as those of the configs come from the catalogue.
const std::vector<FieldSpec>& document_fields();

// Members of the document's lists, for the schema.
const std::vector<FieldSpec>& operator_fields();
const std::vector<FieldSpec>& edge_fields();

inline constexpr const char* kGraphNameRule = "[a-z0-9][a-z0-9-]{0,62}";
inline constexpr const char* kOperatorIdRule = "[A-Za-z_][A-Za-z0-9_]{0,62}";
bool is_graph_name(std::string_view text);
bool is_operator_id(std::string_view text);

}  // namespace sluice
