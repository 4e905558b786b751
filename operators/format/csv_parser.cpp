#include "operators/format/csv_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/base/text_distance.hpp"

namespace sluice {

CsvFormat::CsvFormat(CsvOptions options, std::vector<Field> fields, std::vector<Column> columns,
                     std::size_t exact_fields)
    : options_(std::move(options)), columns_(std::move(columns)), exact_fields_(exact_fields) {
  schema_ = Schema(std::move(fields));
  framing_.quoted = true;
  framing_.delimiter = options_.delimiter;
  framing_.quote = options_.quote;
  framing_.comment = options_.comment;
  framing_.fields = exact_fields_;
  const auto& nulls = options_.null_values;
  empty_is_null_ = std::find(nulls.begin(), nulls.end(), "") != nulls.end();
  only_empty_is_null_ =
      std::all_of(nulls.begin(), nulls.end(), [](const auto& text) { return text.empty(); });
}

std::unique_ptr<RecordParser> CsvFormat::create() const { return std::make_unique<CsvParser>(*this); }

bool CsvFormat::is_named_null(std::string_view text) const {
  const auto& nulls = options_.null_values;
  return std::find(nulls.begin(), nulls.end(), text) != nulls.end();
}

CsvParser::CsvParser(const CsvFormat& format) : format_(format), exact_fields_(format.exact_fields()) {
  if (format_.options().header) return;
  for (std::size_t c = 0; c < format_.columns().size(); ++c) place(c, format_.columns()[c].position);
}

void CsvParser::place(std::size_t column, std::size_t position) {
  if (columns_at_.size() <= position) columns_at_.resize(position + 1);
  columns_at_[position].push_back(static_cast<std::uint32_t>(column));
}

Result<void> CsvParser::read_header(std::string_view record) {
  const std::vector<std::string> names = csv_header(record, format_.options());
  columns_at_.clear();
  exact_fields_ = names.size();
  for (std::size_t c = 0; c < format_.columns().size(); ++c) {
    const CsvFormat::Column& column = format_.columns()[c];
    if (column.by_position) {
      if (column.position >= names.size()) {
        return Error(ErrorCode::malformed_record, fmt::format("the header has {} columns and no column {}",
                                                              names.size(), column.position + 1));
      }
      place(c, column.position);
      continue;
    }
    const auto found = std::find(names.begin(), names.end(), column.source);
    if (found == names.end()) {
      std::string hint = did_you_mean(column.source, names);
      if (!hint.empty()) hint = "; " + hint;
      return Error(ErrorCode::malformed_record,
                   fmt::format("the header has no column \"{}\"{}", column.source, hint));
    }
    if (std::find(found + 1, names.end(), column.source) != names.end()) {
      return Error(
          ErrorCode::malformed_record,
          fmt::format("the header names \"{}\" twice; give its position in \"from\"", column.source));
    }
    place(c, static_cast<std::size_t>(found - names.begin()));
  }
  return {};
}

RecordParser::Outcome CsvParser::parse(std::string_view record, ColumnBuilder* columns) {
  const CsvOptions& options = format_.options();
  if (record.empty() && exact_fields_ != 1) return Outcome::kSkip;
  if (options.comment && !record.empty() && record[0] == *options.comment) return Outcome::kSkip;
  CsvFields fields(record, options.delimiter, options.quote);
  CsvField field;
  std::size_t count = 0;
  for (; fields.next(field); ++count) {
    if (count >= columns_at_.size()) continue;  // named by nobody: counted, not read
    for (const std::uint32_t column : columns_at_[count]) {
      if (convert(field, column, columns[column])) continue;
      while (fields.next(field)) ++count;  // a wrong number of fields is the better reason
      if (exact_fields_ != 0 && count + 1 != exact_fields_) return wrong_count(count + 1);
      return Outcome::kBad;
    }
  }
  const bool right = exact_fields_ != 0 ? count == exact_fields_ : count >= columns_at_.size();
  return right ? Outcome::kRow : wrong_count(count);
}

RecordParser::Outcome CsvParser::wrong_count(std::size_t fields) {
  return bad(ErrorCode::malformed_record, fmt::format("the record has {} fields instead of {}{}", fields,
                                                      exact_fields_ != 0 ? exact_fields_ : columns_at_.size(),
                                                      exact_fields_ != 0 ? "" : " or more"));
}

bool CsvParser::convert(const CsvField& field, std::size_t column, ColumnBuilder& to) {
  if (!field.quoted && format_.is_null(field.text)) {
    to.append_null();
    return true;
  }
  const FieldConverter& converter = format_.columns()[column].converter;
  const std::string_view text =
      field.quoted ? csv_unquoted(field.text, format_.options().quote, scratch_) : field.text;
  if (converter.append(text, to)) return true;
  bad(ErrorCode::bad_field, field_fault(format_.schema().field(column).name, text, converter.type()));
  return false;
}

std::vector<std::string> csv_header(std::string_view record, const CsvOptions& options) {
  std::vector<std::string> names;
  std::string scratch;
  CsvFields fields(record, options.delimiter, options.quote);
  for (CsvField field; fields.next(field);) {
    names.emplace_back(field.quoted ? csv_unquoted(field.text, options.quote, scratch) : field.text);
    if (names.back().empty()) names.back() = fmt::format("c{}", names.size());
  }
  return names;
}

}  // namespace sluice
