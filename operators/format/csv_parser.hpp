#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operators/format/column_spec.hpp"
#include "operators/format/csv_fields.hpp"
#include "operators/format/record_format.hpp"

namespace sluice {

// The members of {"type": "csv", …}.
struct CsvOptions {
  char delimiter = ',';
  char quote = '"';
  char decimal = '.';
  bool header = true;
  std::optional<char> comment;
  std::vector<std::string> null_values = {""};
};

// Comma-separated values, RFC 4180. A field without quotes that is one of null_values is null; a quoted one
// never is. Blank lines are no records, but in an input of one column they are a null. With a header the
// columns are found by name in each input, so that files of a list may order them differently.
class CsvFormat final : public RecordFormat {
 public:
  struct Column {
    std::string source;        // the header name; "" if only the position counts
    std::size_t position = 0;  // from 0; without a header, or if the schema gives one
    bool by_position = false;
    FieldConverter converter;
  };

  CsvFormat(CsvOptions options, std::vector<Field> fields, std::vector<Column> columns,
            std::size_t exact_fields);
  std::unique_ptr<RecordParser> create() const override;

  const CsvOptions& options() const { return options_; }
  const std::vector<Column>& columns() const { return columns_; }
  // Without a header: what each record must have; 0 = as many as the positions need, or more.
  std::size_t exact_fields() const { return exact_fields_; }
  bool is_null(std::string_view text) const {
    if (text.empty()) return empty_is_null_;
    return !only_empty_is_null_ && is_named_null(text);
  }

 private:
  bool is_named_null(std::string_view text) const;

  CsvOptions options_;
  std::vector<Column> columns_;
  std::size_t exact_fields_;
  bool empty_is_null_ = false;
  bool only_empty_is_null_ = false;
};

class CsvParser final : public RecordParser {
 public:
  explicit CsvParser(const CsvFormat& format);
  Outcome parse(std::string_view record, ColumnBuilder* columns) override;
  bool wants_header() const override { return format_.options().header; }
  Result<void> read_header(std::string_view record) override;
  std::size_t fields() const override { return exact_fields_; }

 private:
  bool convert(const CsvField& field, std::size_t column, ColumnBuilder& to);
  Outcome wrong_count(std::size_t fields);
  void place(std::size_t column, std::size_t position);

  const CsvFormat& format_;
  std::vector<std::vector<std::uint32_t>> columns_at_;  // the columns that each field goes to
  std::size_t exact_fields_;
  std::string scratch_;
};

// The header's names; an empty one is c<position>.
std::vector<std::string> csv_header(std::string_view record, const CsvOptions& options);

}  // namespace sluice
