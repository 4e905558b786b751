#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "operators/format/csv_parser.hpp"
#include "operators/format/parsers.hpp"

namespace sluice {
namespace {

using CsvColumn = CsvFormat::Column;

char one_character(const Json& format, const char* field, char otherwise, Problems& problems) {
  const auto it = format.find(field);
  if (it == format.end()) return otherwise;
  const auto& text = it->get_ref<const std::string&>();
  if (text.size() == 1 && text[0] != '\n' && text[0] != '\r') return text[0];
  problems.push_back({fmt::format("/format/{}", field), ErrorCode::bad_value,
                      fmt::format("\"{}\" takes one ASCII character other than a line end", field), ""});
  return otherwise;
}

CsvOptions read_options(const Json& format, Problems& problems) {
  CsvOptions options;
  options.delimiter = one_character(format, "delimiter", ',', problems);
  options.quote = one_character(format, "quote", '"', problems);
  options.decimal = one_character(format, "decimal", '.', problems);
  if (format.contains("comment")) options.comment = one_character(format, "comment", '#', problems);
  options.header = format.value("header", true);
  if (format.contains("null_values"))
    options.null_values = format.at("null_values").get<std::vector<std::string>>();
  if (options.delimiter == options.quote || options.comment == options.delimiter ||
      options.comment == options.quote) {
    problems.push_back({"/format", ErrorCode::bad_value,
                        "delimiter, quote and comment must be three different characters", ""});
  }
  if (options.decimal != '.' && options.decimal != ',') {
    problems.push_back({"/format/decimal", ErrorCode::bad_value, "the decimal mark is \".\" or \",\"", ""});
  }
  return options;
}

Framing framing_of(const CsvOptions& options) {
  Framing framing;
  framing.quoted = true;
  framing.delimiter = options.delimiter;
  framing.quote = options.quote;
  framing.comment = options.comment;
  return framing;
}

// The first record of the input that is neither blank nor a comment.
Result<std::optional<std::string>> first_record(const CsvOptions& options, const SampleRecords& sample) {
  constexpr std::size_t kLookedAt = 100;
  SLUICE_ASSIGN(const std::vector<std::string> records, sample(framing_of(options), kLookedAt));
  for (const std::string& record : records) {
    if (record.empty() || (options.comment && record[0] == *options.comment)) continue;
    return std::optional<std::string>(record);
  }
  return std::optional<std::string>();
}

std::vector<ColumnSpec> all_columns(const std::vector<std::string>& names, const CsvOptions& options,
                                    Problems& problems) {
  std::vector<ColumnSpec> specs;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    specs.emplace_back();
    specs.back().name = options.header ? names[i] : fmt::format("c{}", i + 1);
    if (specs.back().name.starts_with('$')) {
      problems.push_back({"/path", ErrorCode::bad_name,
                          fmt::format("\"{}\" in the header of the file cannot be a column's name", names[i]),
                          "write a \"schema\" that gives it another one"});
    }
    if (!seen.insert(specs.back().name).second) {
      problems.push_back({"/path", ErrorCode::duplicate_name,
                          fmt::format("the header of the file names the column \"{}\" twice", names[i]),
                          "write a \"schema\" that gives the position of each such column in \"from\""});
    }
  }
  return specs;
}

// Where a column stands if there is no header: its position, "c3", or its place in the schema.
std::optional<std::size_t> position_without_header(const ColumnSpec& spec, std::size_t index,
                                                   Problems& problems) {
  if (spec.position) return *spec.position - 1;
  if (spec.from.empty()) return index;
  if (spec.from.size() > 1 && spec.from[0] == 'c') {
    const auto number = parse_int64(std::string_view(spec.from).substr(1));
    if (number && *number >= 1 && *number <= 100000) return static_cast<std::size_t>(*number - 1);
  }
  problems.push_back(
      {spec.pointer + "/from", ErrorCode::bad_value,
       fmt::format("without a header \"from\" is a position such as 3 or \"c3\", not \"{}\"", spec.from),
       ""});
  return std::nullopt;
}

void check_against_header(const ColumnSpec& spec, const std::vector<std::string>& names, Problems& problems) {
  if (spec.position) {
    if (*spec.position <= names.size()) return;
    problems.push_back(
        {spec.pointer + "/from", ErrorCode::out_of_range,
         fmt::format("the header of the file has {} columns and no column {}", names.size(), *spec.position),
         ""});
    return;
  }
  const auto count = std::count(names.begin(), names.end(), spec.source_name());
  if (count == 0) unknown_source(spec, names, "column in the header of the file", problems);
  if (count > 1) {
    problems.push_back(
        {spec.pointer, ErrorCode::duplicate_name,
         fmt::format("the header of the file names \"{}\" {} times", spec.source_name(), count),
         "give the position in \"from\""});
  }
}

}  // namespace

FormatPtr bind_csv(const Json& format, const std::vector<ColumnSpec>& specs, const SampleRecords& sample,
                   Problems& problems) {
  const std::size_t before = problems.size();
  const CsvOptions options = read_options(format, problems);
  if (problems.size() > before) return nullptr;

  const auto first = first_record(options, sample);
  std::vector<std::string> names;
  if (first.ok() && *first) names = csv_header(**first, options);
  std::vector<ColumnSpec> columns = specs;
  if (columns.empty()) {
    if (names.empty()) {
      problems.push_back({"/format", ErrorCode::missing_field,
                          fmt::format("the columns are not known: {}",
                                      first.ok() ? "the file is empty" : first.error().message()),
                          "write a \"schema\""});
      return nullptr;
    }
    columns = all_columns(names, options, problems);
  }

  bool any_from = false;
  std::vector<Field> fields;
  std::vector<CsvColumn> bound;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnSpec& spec = columns[i];
    any_from = any_from || spec.position || !spec.from.empty();
    auto converter = make_converter(spec, spec.type.value_or(Type::string), problems, options.decimal);
    std::optional<std::size_t> position;
    if (!options.header) {
      position = position_without_header(spec, i, problems);
    } else {
      if (spec.position) position = *spec.position - 1;
      if (!names.empty() && !specs.empty()) check_against_header(spec, names, problems);
    }
    if (!converter) continue;
    fields.push_back({spec.name, converter->type()});
    bound.push_back({spec.source_name(), position.value_or(0), position.has_value(), std::move(*converter)});
  }
  if (problems.size() > before) return nullptr;
  const std::size_t exact = options.header || any_from ? 0 : columns.size();
  return std::make_shared<CsvFormat>(options, std::move(fields), std::move(bound), exact);
}

}  // namespace sluice
