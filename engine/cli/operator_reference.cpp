#include "engine/cli/operator_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "operators/config/field_text.hpp"

namespace sluice {
namespace {

constexpr std::size_t kTextWidth = 100;

std::string heading(std::string_view text, bool colour) {
  return colour ? fmt::format("\x1b[1m{}\x1b[0m\n", text) : fmt::format("{}\n", text);
}

// `text` in lines of at most kTextWidth, the first following `first` and the others indented by as much.
std::string wrapped(std::string first, std::string_view text) {
  const std::string indent(first.size(), ' ');
  std::string result;
  std::string line = std::move(first);
  bool empty = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!empty && line.size() + 1 + end > kTextWidth) {
      result += line + "\n";
      line = indent;
      empty = true;
    }
    if (!empty) line += ' ';
    line += text.substr(0, end);
    empty = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return result + line + "\n";
}

std::string short_type(const FieldSpec& spec) {
  switch (spec.type) {
    case FieldType::boolean:
      return "bool";
    case FieldType::integer:
      return "integer";
    case FieldType::number:
      return "number";
    case FieldType::string:
      return spec.values.empty() ? "string" : one_of(spec.values);
    case FieldType::duration:
      return "duration";
    case FieldType::size:
      return "size";
    case FieldType::rate:
      return "rate";
    case FieldType::expression:
      return "expression";
    case FieldType::column:
      return "column";
    case FieldType::columns:
      return "list of columns";
    case FieldType::type:
      return "type";
    case FieldType::object:
      return "object";
    case FieldType::list:
      return spec.members.empty() ? "list" : "list of " + short_type(spec.members.front());
    case FieldType::any_of: {
      std::string text;
      for (const FieldSpec& form : spec.members) {
        const std::string one = short_type(form);
        if (text.find(one) == std::string::npos) text += (text.empty() ? "" : " or ") + one;
      }
      return text;
    }
    case FieldType::any:
      return "any";
  }
  return "any";
}

std::string facts(const FieldSpec& spec) {
  std::string text = short_type(spec);
  if (spec.required) text += ", required";
  if (has_range(spec)) text += ", " + describe_range(spec);
  if (spec.type == FieldType::list && spec.min_items > 0) {
    text += spec.min_items == spec.max_items ? fmt::format(", {} of them", spec.min_items)
                                             : fmt::format(", at least {}", spec.min_items);
  }
  if (!spec.default_text.empty()) text += ", default " + spec.default_text;
  return text;
}

std::string describe_fields(const std::vector<FieldSpec>& fields, std::size_t indent);

// The members of objects, wherever they stand: in lists and among other forms too.
std::string describe_members(const FieldSpec& spec, std::size_t indent) {
  if (spec.type == FieldType::object) return describe_fields(spec.members, indent);
  std::string text;
  if (spec.type != FieldType::list && spec.type != FieldType::any_of) return text;
  for (const FieldSpec& member : spec.members) {
    const std::string members = describe_members(member, indent);
    if (!text.empty() && !members.empty()) text += std::string(indent, ' ') + "or\n";
    text += members;
  }
  return text;
}

std::string describe_fields(const std::vector<FieldSpec>& fields, std::size_t indent) {
  std::size_t width = 0;
  for (const FieldSpec& field : fields) width = std::max(width, field.name.size());
  std::string text;
  for (const FieldSpec& field : fields) {
    const std::string name = fmt::format("{:{}}{:{}}  ", "", indent, field.name, width);
    text += wrapped(name, facts(field));
    if (!field.help.empty()) text += wrapped(std::string(name.size(), ' '), field.help);
    text += describe_members(field, indent + 4);
  }
  return text;
}

std::string describe_ports(const OperatorType& type) {
  std::size_t width = 0;
  for (const auto* ports : {&type.inputs, &type.outputs}) {
    for (const PortSpec& port : *ports) width = std::max(width, port.name.size());
  }
  std::string text;
  const auto add = [&](std::string_view direction, const std::vector<PortSpec>& ports) {
    for (const PortSpec& port : ports) {
      const std::string need = port.required ? "needs an edge. " : "";
      text += wrapped(fmt::format("  {:6}  {:{}}  ", direction, port.name, width), need + port.help);
    }
  };
  add("input", type.inputs);
  add("output", type.outputs);
  if (type.more_outputs)
    text += wrapped(fmt::format("  {:6}  {:{}}  ", "output", "…", width), "those that the config names");
  return text;
}

std::string indented_example(const OperatorType& type) {
  // Fields stay in the order in which the author wrote them.
  const auto config = nlohmann::ordered_json::parse(type.example, nullptr, false);
  const std::string text = config.is_discarded() ? type.example : config.dump(2);
  std::string result = "  ";
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result + "\n";
}

}  // namespace

std::string_view kind_name(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::source:
      return "source";
    case OperatorKind::transform:
      return "transform";
    case OperatorKind::sink:
      return "sink";
  }
  return "";
}

std::string list_operators(const Catalogue& catalogue, bool colour) {
  constexpr std::pair<OperatorKind, std::string_view> kKinds[] = {{OperatorKind::source, "Sources"},
                                                                  {OperatorKind::transform, "Transforms"},
                                                                  {OperatorKind::sink, "Sinks"}};
  std::size_t width = 0;
  for (const OperatorType& type : catalogue.types()) width = std::max(width, type.type.size());
  std::string text;
  for (const auto& [kind, title] : kKinds) {
    text += heading(title, colour);
    for (const OperatorType& type : catalogue.types()) {
      if (type.kind == kind) text += wrapped(fmt::format("  {:{}}  ", type.type, width), type.summary);
    }
  }
  return text + "\n`sluice operators TYPE` explains one.\n";
}

std::string describe_operator(const OperatorType& type, bool colour) {
  std::string text = heading(fmt::format("{} ({})", type.type, kind_name(type.kind)), colour);
  text += wrapped("  ", type.summary) + "\n";
  text += heading("Ports", colour) + describe_ports(type) + "\n";
  text += heading("Fields of \"config\"", colour);
  text += type.fields.empty() ? "  none\n" : describe_fields(type.fields, 2);
  if (!type.example.empty()) text += "\n" + heading("Example of \"config\"", colour) + indented_example(type);
  return text;
}

Json operator_schema_document(const OperatorType& type) {
  Json schema = fields_schema(type.fields);
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = type.type;
  schema["description"] = type.summary;
  return schema;
}

}  // namespace sluice
