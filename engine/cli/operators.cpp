#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <vector>

#include "engine/cli/operator_reference.hpp"
#include "engine/cli/verb.hpp"
#include "engine/graph/graph_schema.hpp"
#include "operators/config/field_text.hpp"

namespace sluice {
namespace {

struct OperatorsOptions {
  std::string type;
  bool json = false;
  bool schema = false;
};

std::string dump(const Json& json) { return json.dump(2) + "\n"; }

int unknown_type(const std::string& name, const VerbContext& context) {
  std::vector<std::string> names;
  for (const OperatorType& type : context.catalogue.types()) names.push_back(type.type);
  const std::string hint = did_you_mean(name, names);
  context.terminal.write_err(
      fmt::format("sluice operators: there is no operator of the type {}\n  hint: {}\n", quote_value(name),
                  hint.empty() ? "`sluice operators` lists the types" : hint));
  return kWrongUsage;
}

Json list_as_json(const Catalogue& catalogue) {
  Json list = Json::array();
  for (const OperatorType& type : catalogue.types()) {
    list.push_back({{"type", type.type}, {"kind", kind_name(type.kind)}, {"summary", type.summary}});
  }
  return list;
}

int show_operators(const OperatorsOptions& options, const VerbContext& context) {
  const Terminal& terminal = context.terminal;
  if (options.schema) {
    terminal.write_out(dump(graph_schema(context.catalogue)));
    return kDone;
  }
  if (options.type.empty()) {
    terminal.write_out(options.json ? dump(list_as_json(context.catalogue))
                                    : list_operators(context.catalogue, terminal.colour_out));
    return kDone;
  }
  const OperatorType* type = context.catalogue.find(options.type);
  if (type == nullptr) return unknown_type(options.type, context);
  terminal.write_out(options.json ? dump(operator_schema_document(*type))
                                  : describe_operator(*type, terminal.colour_out));
  return kDone;
}

}  // namespace

void add_operators(CLI::App& root, VerbContext& context) {
  CLI::App* verb = root.add_subcommand("operators", "List the operator types, or explain one");
  const auto options = std::make_shared<OperatorsOptions>();
  verb->add_option("type", options->type, "The type to explain")->type_name("TYPE");
  CLI::Option* json = verb->add_flag("--json", options->json,
                                     "Print the list as JSON; of a type, the JSON Schema of its config");
  verb->add_flag("--schema", options->schema, "Print the JSON Schema of a whole graph")->excludes(json);
  verb->footer(
      example_footer("  sluice operators\n"
                     "  sluice operators window_aggregate\n"
                     "  sluice operators --schema > graph.schema.json"));
  verb->callback([options, &context] { context.exit_code = show_operators(*options, context); });
}

}  // namespace sluice
