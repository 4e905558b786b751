#include "operators/builtin/parse.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "operators/binding/binding.hpp"
#include "operators/binding/ports.hpp"
#include "operators/binding/row_selection.hpp"
#include "operators/format/record_format.hpp"
#include "operators/format/record_reader.hpp"
#include "runtime/base/units.hpp"

namespace sluice {
namespace {

struct ParseConfig {
  std::size_t column = 0;  // that holds the record
  std::shared_ptr<const RecordFormat> format;
  std::vector<std::size_t> kept;    // input columns in front of the parsed ones
  std::vector<std::size_t> passed;  // kept, and behind the parsed ones those of event time
  Schema passed_schema;
  Schema output;
  OnError on_error = OnError::dead_letter;
};

// Reads one string column as records of a format. A null gives nulls. Columns of the input that are passed on
// are not copied unless a record of the batch is bad.
class Parse final : public Operator {
 public:
  explicit Parse(const ParseConfig& config)
      : config_(config),
        parser_(config.format->create()),
        parsed_(config.format->schema()),
        passed_(config.passed_schema),
        bad_(config.on_error, kErrorsPort) {}

  Result<void> open(const OperatorContext& context) override {
    bad_.open(context);
    row_limit_ = context.record_limit_bytes;
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) override {
    parsed_.clear();
    good_.clear();
    for (std::uint32_t row = 0; row < batch.rows; ++row) SLUICE_TRY(take(batch, row));
    bad_.flush(out);
    if (!good_.empty()) out.emit(kOutPort, assemble(batch));
    return Step::needs_input();
  }

 private:
  Result<void> take(const Batch& batch, std::uint32_t row) {
    const Column& column = batch.column(config_.column);
    const auto rows = static_cast<std::uint32_t>(good_.size());
    if (column.is_null(row)) {
      for (std::size_t c = 0; c < parsed_.schema().size(); ++c) parsed_.column(c).append_null();
      good_.push_back(row);
      return {};
    }
    const std::string_view record = padded(column.string(row));
    const RecordFault* fault = parse(record, batch, row);
    if (fault == nullptr) {
      good_.push_back(row);
      return {};
    }
    parsed_.truncate(rows);
    return bad_.add(fault->code, record, fault->message);
  }

  // nullptr: one row was appended.
  const RecordFault* parse(std::string_view record, const Batch& batch, std::uint32_t row) {
    const Framing& framing = config_.format->framing();
    if (framing.quoted && !is_one_csv_record(record, framing)) {
      return fail(ErrorCode::malformed_record,
                  "the text is not one csv record: quotes do not fit, or a line end stands outside of them");
    }
    const std::size_t bytes = parsed_.bytes();
    switch (parser_->parse(record, &parsed_.column(0))) {
      case RecordParser::Outcome::kBad:
        return &parser_->fault();
      case RecordParser::Outcome::kSkip:
        return fail(ErrorCode::malformed_record, "the text is blank");
      case RecordParser::Outcome::kRow:
        break;
    }
    const std::size_t row_bytes = parsed_.bytes() - bytes + bytes_of_row(batch, config_.passed, row);
    if (row_limit_ == 0 || row_bytes <= row_limit_) return nullptr;
    return fail(ErrorCode::record_too_large,
                fmt::format("the row has {}, and an edge of this plan carries at most {}",
                            format_bytes(row_bytes), format_bytes(row_limit_)));
  }

  static bool is_one_csv_record(std::string_view record, const Framing& framing) {
    const Frame frame = frame_csv(record, 0, true, framing);
    return frame.kind == Frame::Kind::kRecord && frame.length == record.size();
  }

  const RecordFault* fail(ErrorCode code, std::string message) {
    fault_ = {code, std::move(message)};
    return &fault_;
  }

  // Behind a record in a column may stand the end of the block; parsers read further than that.
  std::string_view padded(std::string_view record) {
    if (scratch_.size() < record.size() + kRecordPadding)
      scratch_.resize(2 * (record.size() + kRecordPadding));
    if (!record.empty()) std::memcpy(scratch_.data(), record.data(), record.size());
    return {scratch_.data(), record.size()};
  }

  Batch assemble(const Batch& batch) {
    passed_columns_.clear();
    for (const std::size_t c : config_.passed) passed_columns_.push_back(batch.column(c));
    const Batch passed = passed_.take({&config_.passed_schema, batch.rows, passed_columns_}, good_);
    const Batch parsed = parsed_.view();
    columns_.assign(passed.columns.begin(),
                    passed.columns.begin() + static_cast<std::ptrdiff_t>(config_.kept.size()));
    columns_.insert(columns_.end(), parsed.columns.begin(), parsed.columns.end());
    columns_.insert(columns_.end(), passed.columns.begin() + static_cast<std::ptrdiff_t>(config_.kept.size()),
                    passed.columns.end());
    return {&config_.output, static_cast<std::uint32_t>(good_.size()), columns_};
  }

  const ParseConfig& config_;
  std::unique_ptr<RecordParser> parser_;
  BatchStaging parsed_;
  RowSelection passed_;
  BadRecords bad_;
  std::size_t row_limit_ = 0;
  std::vector<std::uint32_t> good_;  // rows of the input
  RecordFault fault_;
  std::string scratch_;
  std::vector<Column> passed_columns_;
  std::vector<Column> columns_;
};

class BoundParse final : public BoundOperator {
 public:
  explicit BoundParse(ParseConfig config) : config_(std::move(config)) {
    output_schemas_ = {config_.output, errors_schema()};
  }
  std::unique_ptr<Operator> create() const override { return std::make_unique<Parse>(config_); }

 private:
  ParseConfig config_;
};

std::optional<std::vector<std::size_t>> bind_keep(const BindInput& in, Problems& problems) {
  const Json& keep = config_field(in.config, "keep");
  if (keep.is_array()) return bind_columns(in.inputs[0], keep, "/keep", problems);
  std::vector<std::size_t> all;
  if (keep.is_boolean() && keep.get<bool>()) {
    for (std::size_t c = 0; c < in.inputs[0].visible(); ++c) all.push_back(c);
  }
  return all;
}

// A csv record in a column has no header before it.
Json headless(const Json& config, Problems& problems) {
  Json adapted = config;
  Json& format = adapted["format"];
  if (format.is_string() && format != "csv") return adapted;
  if (format.is_string()) format = Json{{"type", "csv"}};
  if (format["type"] != "csv") return adapted;
  if (format.value("header", false)) {
    problems.push_back({"/format/header", ErrorCode::bad_value,
                        "a record in a column has no header in front of it", "leave it out"});
  }
  format["header"] = false;
  return adapted;
}

void find_format(const BindInput& in, ParseConfig& config, Problems& problems) {
  const Json& format = in.config["format"];
  const std::string type = format.is_string() ? format.get<std::string>() : format.value("type", "");
  if (type == "json_array") {
    problems.push_back({"/format", ErrorCode::bad_value,
                        "a json_array is many records, and each row holds one record",
                        "unnest an array in a column; jsonl reads one object a row"});
    return;
  }
  if (type == "lines") {
    problems.push_back({"/format", ErrorCode::bad_value, "a record of the format lines is the column itself",
                        "leave this operator out"});
    return;
  }
  const SampleRecords nothing_to_sample = [](const Framing&,
                                             std::size_t) -> Result<std::vector<std::string>> {
    return Error(ErrorCode::missing_field, "the records are not there before the graph starts");
  };
  config.format = bind_format(headless(in.config, problems), nothing_to_sample, problems);
}

std::unique_ptr<BoundOperator> bind_parse(const BindInput& in, Problems& problems) {
  const std::size_t before = problems.size();
  const Schema& input = in.inputs[0];
  ParseConfig config;
  config.on_error = on_error_of(in.config);
  if (const auto column = bind_column(input, in.config["column"].get<std::string>(), "/column", problems)) {
    config.column = *column;
    if (physical(input.field(*column).type) != Physical::bytes) {
      problems.push_back({"/column", ErrorCode::type_mismatch,
                          fmt::format("records are read from a string column, and \"{}\" is {}",
                                      input.field(*column).name, type_name(input.field(*column).type)),
                          ""});
    }
  }
  find_format(in, config, problems);
  const auto kept = bind_keep(in, problems);
  if (problems.size() > before) return nullptr;

  std::vector<Field> fields;
  std::vector<Field> passed;
  config.kept = *kept;
  config.passed = *kept;
  for (const std::size_t c : config.kept) add_output_field(fields, input.field(c), "/keep", problems);
  for (const Field& field : config.format->schema().fields())
    add_output_field(fields, field, "/schema", problems);
  if (problems.size() > before) return nullptr;
  if (input.has_event_time()) {
    config.passed.push_back(input.event_time_index());
    config.passed.push_back(input.watermark_index());
  }
  for (const std::size_t c : config.passed) passed.push_back(input.field(c));
  config.passed_schema = Schema(std::move(passed));
  config.output = Schema(std::move(fields), input.has_event_time());
  return std::make_unique<BoundParse>(std::move(config));
}

}  // namespace

OperatorType parse_operator_type() {
  OperatorType type;
  type.type = "parse";
  type.kind = OperatorKind::transform;
  type.summary = "Reads the records that stand in a string column.";
  type.example = R"({"column": "line", "format": "apache_combined", "keep": ["line"]})";
  type.fields = {{.name = "column",
                  .type = FieldType::column,
                  .required = true,
                  .help = "The string column that holds one record a row; a null gives nulls."},
                 format_field(),
                 schema_field(),
                 {.name = "keep",
                  .type = FieldType::any_of,
                  .default_text = "false",
                  .help = "The input's columns to keep, in front of the parsed ones: true for all, false for "
                          "none, or a list.",
                  .members = {{.type = FieldType::boolean}, {.type = FieldType::columns}}},
                 on_error_field()};
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {{"out", false, "the parsed records"},
                  {"errors", false, "records that could not be read: input, operator, code, message"}};
  type.bind = bind_parse;
  return type;
}

}  // namespace sluice
