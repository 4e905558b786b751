#include "engine/graph/graph_schema.hpp"

#include <string>
#include <utility>

#include "engine/graph/document_fields.hpp"

namespace sluice {
namespace {

bool needs_config(const OperatorType& type) {
  for (const FieldSpec& field : type.fields) {
    if (field.required) return true;
  }
  return false;
}

// "If the type is this, the config is that."
Json condition_of(const OperatorType& type) {
  Json then = {{"properties", {{"config", {{"$ref", "#/$defs/" + type.type}}}}}};
  if (needs_config(type)) then["required"] = {"config"};
  return {{"if", {{"properties", {{"type", {{"const", type.type}}}}}, {"required", {"type"}}}},
          {"then", std::move(then)}};
}

// The types as constants with their summaries: editors show them while one is chosen.
Json type_schema(const Catalogue& catalogue) {
  Json choices = Json::array();
  for (const OperatorType& type : catalogue.types())
    choices.push_back({{"const", type.type}, {"description", type.summary}});
  return {{"oneOf", std::move(choices)}};
}

Json operator_schema(const Catalogue& catalogue) {
  Json schema = fields_schema(operator_fields());
  Json& properties = schema["properties"];
  properties["id"]["pattern"] = std::string("^") + kOperatorIdRule + "$";
  properties["config"]["type"] = "object";
  properties["placement"]["properties"]["labels"].update(
      {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}});
  properties["type"].update(type_schema(catalogue));
  Json conditions = Json::array();
  for (const OperatorType& type : catalogue.types()) conditions.push_back(condition_of(type));
  if (!conditions.empty()) schema["allOf"] = std::move(conditions);
  return schema;
}

}  // namespace

Json graph_schema(const Catalogue& catalogue) {
  Json schema = fields_schema(document_fields());
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "Sluice graph";
  schema["description"] = "A dataflow: operators, and the edges that join them.";
  Json& properties = schema["properties"];
  properties["name"]["pattern"] = std::string("^") + kGraphNameRule + "$";
  properties["operators"]["items"] = {{"$ref", "#/$defs/operator"}};
  Json& definitions = schema["$defs"];
  definitions["operator"] = operator_schema(catalogue);
  for (const OperatorType& type : catalogue.types()) {
    definitions[type.type] = fields_schema(type.fields);
    definitions[type.type]["description"] = type.summary;
  }
  return schema;
}

}  // namespace sluice
