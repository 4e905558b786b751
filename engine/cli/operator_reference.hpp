#pragma once

#include <string>
#include <string_view>

#include "operators/config/catalogue.hpp"

namespace sluice {

// The reference of operator types as text for people; all of it comes from the catalogue.

std::string_view kind_name(OperatorKind kind);

// All types by kind, each with its sentence.
std::string list_operators(const Catalogue& catalogue, bool colour);

// One type: what it does, its ports, its fields with type, range, default and help, and an example that can
// be pasted.
std::string describe_operator(const OperatorType& type, bool colour);

// The JSON Schema of the type's config, as a document of its own.
Json operator_schema_document(const OperatorType& type);

}  // namespace sluice
