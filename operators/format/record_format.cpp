#include "operators/format/record_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "operators/format/parsers.hpp"
#include "runtime/base/text_distance.hpp"

namespace sluice {
namespace {

const std::vector<std::string> kTypes = {"lines",  "jsonl", "json_array",    "csv",
                                         "logfmt", "regex", "apache_common", "apache_combined"};
const std::array<std::string_view, 6> kCsvFields = {"delimiter",   "quote",   "header",
                                                    "null_values", "decimal", "comment"};

FieldSpec named(std::string name, FieldType type, std::string help, std::string default_text = "") {
  FieldSpec field;
  field.name = std::move(name);
  field.type = type;
  field.help = std::move(help);
  field.default_text = std::move(default_text);
  return field;
}

// Fields that stand at a format which does not know them.
void check_members(const Json& format, const std::string& type, Problems& problems) {
  for (const auto& [name, value] : format.items()) {
    const bool csv = std::find(kCsvFields.begin(), kCsvFields.end(), name) != kCsvFields.end();
    const bool known = name == "type" || (csv && type == "csv") || (name == "pattern" && type == "regex") ||
                       (name == "records" && type == "json_array");
    if (known) continue;
    problems.push_back({"/format/" + pointer_step(name), ErrorCode::unknown_field,
                        fmt::format("the format {} takes no \"{}\"", type, name), ""});
  }
  if (type == "regex" && !format.contains("pattern")) {
    problems.push_back({"/format", ErrorCode::missing_field, "the format regex needs its \"pattern\"",
                        R"(write {"type": "regex", "pattern": "(?P<name>…) …"})"});
  }
}

}  // namespace

FieldSpec format_field() {
  FieldSpec name = named("format", FieldType::string, "The name alone, with the format's defaults.");
  name.values = kTypes;

  FieldSpec type = named("type", FieldType::string, "The format's name.");
  type.required = true;
  type.values = kTypes;
  FieldSpec null_values =
      named("null_values", FieldType::list,
            "csv: fields without quotes that are null; left out, the empty field.", "[\"\"]");
  null_values.members = {named("null_value", FieldType::string, "The text of a null.")};

  FieldSpec object = named("format", FieldType::object, "The name with options.");
  object.members = {
      type,
      named("pattern", FieldType::string,
            "regex: an RE2 pattern that the whole line must match; each (?P<name>…) is a column."),
      named("records", FieldType::string,
            "json_array: where the array stands, a JSON pointer such as /features or a top-level key; left "
            "out, "
            "the document is the array."),
      named("delimiter", FieldType::string, "csv: one character between fields.", ","),
      named("quote", FieldType::string,
            "csv: one character around fields that hold delimiters or line ends; inside it is doubled.",
            "\""),
      named("header", FieldType::boolean, "csv: the first record of each file names the columns.", "true"),
      null_values,
      named("decimal", FieldType::string, "csv: the decimal mark, a point or a comma.", "."),
      named("comment", FieldType::string, "csv: lines that start with this character are skipped.")};

  FieldSpec field =
      named("format", FieldType::any_of,
            "How records are written: lines, jsonl, json_array, csv, logfmt, regex, apache_common or "
            "apache_combined.");
  field.required = true;
  field.members = {name, object};
  return field;
}

std::shared_ptr<const RecordFormat> bind_format(const Json& config, const SampleRecords& sample,
                                                Problems& problems) {
  const std::size_t before = problems.size();
  const std::vector<ColumnSpec> specs = read_schema(config, problems);
  const Json& given = config.at("format");
  const Json format = given.is_string() ? Json{{"type", given}} : given;
  const std::string type = format.at("type").get<std::string>();
  check_members(format, type, problems);
  if (problems.size() > before) return nullptr;
  if (type == "lines") return bind_lines(specs, problems);
  if (type == "csv") return bind_csv(format, specs, sample, problems);
  if (type == "jsonl") return bind_jsonl(specs, sample, problems);
  if (type == "json_array") return bind_json_array(format, specs, sample, problems);
  if (type == "logfmt") return bind_logfmt(specs, sample, problems);
  if (type == "regex") return bind_regex(format, specs, problems);
  return bind_apache(type == "apache_combined", specs, problems);
}

std::vector<ColumnSpec> inferred_columns(const Framing& framing, const SampleRecords& sample,
                                         const InferColumns& infer, std::string_view what,
                                         Problems& problems) {
  constexpr std::size_t kInferredFrom = 1000;
  const auto records = sample(framing, kInferredFrom);
  std::vector<ColumnSpec> specs;
  if (records.ok()) specs = infer(*records);
  if (specs.empty()) {
    problems.push_back(
        {"/format", ErrorCode::missing_field,
         fmt::format("the columns are not known: {}",
                     records.ok() ? fmt::format("the first records hold no {} with a key", what)
                                  : records.error().message()),
         "write a \"schema\""});
  }
  for (const ColumnSpec& spec : specs) {
    if (!spec.name.empty() && spec.name[0] != '$') continue;
    problems.push_back({"/path", ErrorCode::bad_name,
                        fmt::format("the key \"{}\" of the records cannot be a column's name", spec.name),
                        "write a \"schema\" that gives it another one"});
  }
  return specs;
}

void unknown_source(const ColumnSpec& spec, const std::vector<std::string>& known, std::string_view what,
                    Problems& problems) {
  const std::string wanted = spec.position ? std::to_string(*spec.position) : spec.source_name();
  std::string hint = did_you_mean(wanted, known);
  if (hint.empty() && known.size() <= 40) hint = fmt::format("there are: {}", fmt::join(known, ", "));
  problems.push_back({spec.pointer + (spec.from.empty() && !spec.position ? "/name" : "/from"),
                      ErrorCode::unknown_column, fmt::format("there is no {} \"{}\"", what, wanted),
                      std::move(hint)});
}

}  // namespace sluice
