#include "tests/engine/graph/stand_in_catalogue.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

class Bound final : public BoundOperator {
 public:
  Bound(std::vector<Schema> outputs, OperatorTraits traits) {
    output_schemas_ = std::move(outputs);
    traits_ = std::move(traits);
  }
  std::unique_ptr<Operator> create() const override { return nullptr; }
};

using Bind = std::unique_ptr<BoundOperator>;

Bind pass(const BindInput& input, std::size_t outputs, OperatorTraits traits = {}) {
  const Schema schema = input.inputs.empty() ? Schema({{"n", Type::int64}}) : input.inputs.front();
  return std::make_unique<Bound>(std::vector<Schema>(outputs, schema), std::move(traits));
}

FieldSpec field(std::string name, FieldType type) {
  FieldSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.help = "A field.";
  return spec;
}

OperatorType type(std::string name, OperatorKind kind, std::vector<PortSpec> inputs,
                  std::vector<PortSpec> outputs) {
  OperatorType result;
  result.type = std::move(name);
  result.kind = kind;
  result.summary = "Stands in.";
  result.example = "{}";
  result.inputs = std::move(inputs);
  result.outputs = std::move(outputs);
  const std::size_t count = result.outputs.size();
  result.bind = [count](const BindInput& input, Problems&) { return pass(input, count); };
  return result;
}

OperatorType numbers() {
  OperatorType result = type("numbers", OperatorKind::source, {}, {{"out"}});
  result.fields = {field("columns", FieldType::columns), field("count", FieldType::integer)};
  result.bind = [](const BindInput& input, Problems&) -> Bind {
    std::vector<Field> columns;
    for (const Json& name : input.config.value("columns", Json({"n"})))
      columns.push_back({name, Type::int64});
    return std::make_unique<Bound>(std::vector<Schema>{Schema(columns)}, OperatorTraits{});
  };
  return result;
}

OperatorType texts() {
  OperatorType result = type("texts", OperatorKind::source, {}, {{"out"}});
  result.bind = [](const BindInput&, Problems&) -> Bind {
    return std::make_unique<Bound>(std::vector<Schema>{Schema({{"n", Type::string}})}, OperatorTraits{});
  };
  return result;
}

OperatorType keep() {
  OperatorType result = type("keep", OperatorKind::transform, {{"in", true}}, {{"out", true}, {"errors"}});
  result.fields = {field("where", FieldType::expression), on_error_field()};
  result.bind = [](const BindInput& input, Problems& problems) -> Bind {
    const std::string where = input.config.value("where", "n");
    if (!input.inputs.front().find(where.substr(0, where.find(' ')))) {
      problems.push_back({"/where", ErrorCode::unknown_column, "no such column\n  " + where + "\n  ^", ""});
      return nullptr;
    }
    return pass(input, 2);
  };
  return result;
}

OperatorType group() {
  OperatorType result = type("group", OperatorKind::transform, {{"in", true}}, {{"out", true}});
  result.fields = {field("keys", FieldType::columns)};
  result.bind = [](const BindInput& input, Problems&) {
    OperatorTraits traits;
    traits.keys = input.config.value("keys", std::vector<std::string>{"n"});
    return pass(input, 1, traits);
  };
  return result;
}

OperatorType single() {
  OperatorType result = type("single", OperatorKind::transform, {{"in", true}}, {{"out", true}});
  result.bind = [](const BindInput& input, Problems&) {
    OperatorTraits traits;
    traits.max_parallelism = 1;
    return pass(input, 1, traits);
  };
  return result;
}

}  // namespace

const Catalogue& stand_in_catalogue() {
  static const Catalogue catalogue = [] {
    Catalogue list;
    list.add(numbers());
    list.add(texts());
    list.add(keep());
    list.add(type("idle", OperatorKind::transform, {{"in", false}}, {{"out"}}));
    list.add(group());
    list.add(single());
    list.add(type("pair", OperatorKind::transform, {{"left", true}, {"right", true}}, {{"out", true}}));
    list.add(type("split", OperatorKind::transform, {{"in", true}}, {{"yes"}, {"no"}}));
    list.add(type("sink", OperatorKind::sink, {{"in", true}}, {}));
    return list;
  }();
  return catalogue;
}

}  // namespace sluice
