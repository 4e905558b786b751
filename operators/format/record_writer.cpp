#include "operators/format/record_writer.hpp"

#include <fmt/format.h>

#include <vector>

#include "operators/format/row_json.hpp"
#include "operators/format/table_writer.hpp"
#include "operators/format/utf8.hpp"
#include "operators/format/value_text.hpp"

namespace sluice {
namespace {

class CsvWriter final : public RecordWriter {
 public:
  explicit CsvWriter(const Schema& schema) : schema_(schema) {}

  void begin(std::string& out) override {
    for (std::size_t c = 0; c < schema_.visible(); ++c) {
      if (c > 0) out += ',';
      append_text(out, schema_.field(c).name);
    }
    out += '\n';
  }

  void write(const Batch& batch, std::string& out) override {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      for (std::size_t c = 0; c < schema_.visible(); ++c) {
        if (c > 0) out += ',';
        const Column& column = batch.column(c);
        if (column.is_null(row)) continue;
        if (physical(column.type) == Physical::bytes) {
          append_text(out, column.string(row));
        } else {
          append_plain_value(out, column, row);
        }
      }
      out += '\n';
    }
  }

 private:
  // The empty string is quoted, so that it reads back as something else than null.
  static void append_text(std::string& out, std::string_view text) {
    if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
      append_utf8(out, text);
      return;
    }
    out += '"';
    for (std::size_t quote; (quote = text.find('"')) != std::string_view::npos;
         text.remove_prefix(quote + 1)) {
      append_utf8(out, text.substr(0, quote + 1));
      out += '"';
    }
    append_utf8(out, text);
    out += '"';
  }

  Schema schema_;
};

class JsonlWriter final : public RecordWriter {
 public:
  explicit JsonlWriter(const Schema& schema) {
    for (std::size_t c = 0; c < schema.visible(); ++c) {
      std::string key(c == 0 ? "{" : ",");
      append_json_string(key, schema.field(c).name);
      keys_.push_back(key + ":");
    }
  }

  void begin(std::string&) override {}
  void write(const Batch& batch, std::string& out) override {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      write_row(batch, row, out);
      out += '\n';
    }
  }
  void write_row(const Batch& batch, std::size_t row, std::string& out) {
    for (std::size_t c = 0; c < keys_.size(); ++c) {
      out += keys_[c];
      const Column& column = batch.column(c);
      if (column.is_null(row)) {
        out += "null";
      } else if (!append_json_value(out, column, row)) {
        ++not_representable_;
      }
    }
    out += keys_.empty() ? "{}" : "}";
  }

 private:
  std::vector<std::string> keys_;  // {"a":  ,"b":
};

class LinesWriter final : public RecordWriter {
 public:
  void begin(std::string&) override {}
  void write(const Batch& batch, std::string& out) override {
    const Column& column = batch.column(0);
    for (std::size_t row = 0; row < batch.rows; ++row) {
      if (!column.is_null(row)) out += column.string(row);
      out += '\n';
    }
  }
};

}  // namespace

std::optional<OutputFormat> parse_output_format(std::string_view name) {
  if (name == "csv") return OutputFormat::csv;
  if (name == "jsonl") return OutputFormat::jsonl;
  if (name == "lines") return OutputFormat::lines;
  if (name == "table") return OutputFormat::table;
  return std::nullopt;
}

std::unique_ptr<RecordWriter> make_writer(OutputFormat format, const Schema& schema) {
  switch (format) {
    case OutputFormat::csv:
      return std::make_unique<CsvWriter>(schema);
    case OutputFormat::jsonl:
      return std::make_unique<JsonlWriter>(schema);
    case OutputFormat::lines:
      return std::make_unique<LinesWriter>();
    case OutputFormat::table:
      return make_table_writer(schema);
  }
  return nullptr;
}

std::string lines_fault(const Schema& schema) {
  if (schema.visible() == 1 && physical(schema.field(0).type) == Physical::bytes) return "";
  return fmt::format("the format lines writes one string column, and the input has: {}", schema.to_string());
}

std::string row_as_json(const Batch& batch, std::size_t row) {
  std::string text;
  JsonlWriter(*batch.schema).write_row(batch, row, text);
  return text;
}

}  // namespace sluice
