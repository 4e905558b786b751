#include "operators/builtin/unnest.hpp"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "operators/binding/binding.hpp"
#include "operators/binding/ports.hpp"
#include "operators/binding/row_selection.hpp"
#include "operators/expression/json_text.hpp"
#include "runtime/base/units.hpp"

namespace sluice {
namespace {

struct UnnestPlan {
  struct Copied {
    std::size_t from;  // column of the input
    std::size_t to;    // of the output
  };
  std::size_t column = 0;  // that holds the JSON text
  std::vector<Copied> copied;
  std::vector<std::size_t> copied_from;
  std::optional<std::size_t> key;  // columns of the output
  std::size_t value = 0;
  Schema output;
  OnError on_error = OnError::dead_letter;
};

// Gives a record for each item of a JSON array or object: the item's text as it was written, beside the other
// columns of its record. A text is checked as a whole before its first item goes out, so a bad one gives
// nothing but a bad record. Of members with the same name the first counts.
//
// A long array is handed out a batch a call, from where the last call stopped; kept are that place and the
// names of the object in hand, never the items.
class Unnest final : public Operator {
 public:
  explicit Unnest(const UnnestPlan& plan)
      : plan_(plan), bad_(plan.on_error, kErrorsPort), results_(plan.output) {}

  Result<void> open(const OperatorContext& context) override {
    bad_.open(context);
    row_limit_ = context.record_limit_bytes;
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) override {
    batch_ = batch;
    row_ = 0;
    return hand_out(out);
  }

  Result<Step> resume(Emitter& out, TimeNs) override { return hand_out(out); }

 private:
  Result<Step> hand_out(Emitter& out) {
    results_.clear();
    sources_.clear();
    bytes_ = 0;
    while (row_ < batch_.rows && !full()) {
      if (!items_) SLUICE_TRY(begin_row());
      if (items_ && items_->next()) {
        SLUICE_TRY(take_item());
      } else {
        items_.reset();
        ++row_;
      }
    }
    if (!sources_.empty()) {
      copy_columns();
      out.emit(kOutPort, results_.view());
    }
    bad_.flush(out);
    return row_ < batch_.rows ? Step::has_more() : Step::needs_input();
  }

  bool full() const {
    return sources_.size() >= kTargetBatchRows || bytes_ >= kTargetBatchBytes ||
           bad_.pending() >= kTargetBatchRows;
  }

  // Leaves items_ empty if the row has none.
  Result<void> begin_row() {
    const Column& column = batch_.column(plan_.column);
    if (column.is_null(row_)) return {};
    const std::string_view text = column.string(row_);
    const expression::JsonFound found = expression::find_json(text, {});
    if (!found.well_formed)
      return refuse(
          ErrorCode::malformed_record,
          fmt::format("is not valid JSON, or nests deeper than {} levels", expression::kMaxJsonDepth));
    if (found.raw == "null") return {};
    if (found.raw.front() != '[' && found.raw.front() != '{')
      return refuse(ErrorCode::bad_argument, "holds neither an array nor an object");
    items_.emplace(found.raw);
    next_index_ = 0;
    names_.clear();
    arena_.reset();
    copied_bytes_ = bytes_of_row(batch_, plan_.copied_from, row_);
    return {};
  }

  Result<void> refuse(ErrorCode code, std::string_view what) {
    const std::string input = bad_.wants_input() ? row_as_json(batch_, row_) : std::string();
    return bad_.add(code, input, fmt::format("\"{}\" {}", batch_.schema->field(plan_.column).name, what));
  }

  Result<void> take_item() {
    char digits[24];
    std::string_view key;
    if (items_->in_object()) {
      key = expression::json_scalar_text(items_->name(), arena_);
      if (!names_.insert(key).second) return {};
    } else if (plan_.key) {
      key = {digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, next_index_).ptr -
                                              digits)};
    }
    ++next_index_;
    const std::size_t bytes = copied_bytes_ + (plan_.key ? sizeof(std::uint64_t) + key.size() : 0) +
                              sizeof(std::uint64_t) + items_->value().size();
    if (row_limit_ > 0 && bytes > row_limit_) {
      return bad_.add(ErrorCode::record_too_large, items_->value(),
                      fmt::format("the item's record has {}, and an edge of this plan carries at most {}",
                                  format_bytes(bytes), format_bytes(row_limit_)));
    }
    if (plan_.key) results_.column(*plan_.key).append_string(key);
    results_.column(plan_.value).append_string(items_->value());
    sources_.push_back(row_);
    bytes_ += bytes;
    return {};
  }

  void copy_columns() {
    for (const UnnestPlan::Copied& c : plan_.copied) {
      results_.column(c.to).append_rows(batch_.column(c.from), sources_.data(), sources_.size());
    }
  }

  const UnnestPlan& plan_;
  std::size_t row_limit_ = 0;
  BadRecords bad_;
  // The input that is being handed out; alive until this operator asks for the next one.
  Batch batch_;
  std::uint32_t row_ = 0;
  std::optional<expression::JsonItems> items_;  // of the row; none: it has not been begun
  std::uint64_t next_index_ = 0;
  std::size_t copied_bytes_ = 0;
  absl::flat_hash_set<std::string_view> names_;  // of an object's members so far
  expression::TextArena arena_;                  // names that held escapes
  // Of the batch that is being made:
  BatchStaging results_;
  std::vector<std::uint32_t> sources_;  // the input's row of each
  std::size_t bytes_ = 0;
};

class BoundUnnest final : public BoundOperator {
 public:
  explicit BoundUnnest(UnnestPlan plan) : plan_(std::move(plan)) {
    output_schemas_ = {plan_.output, errors_schema()};
  }
  std::unique_ptr<Operator> create() const override { return std::make_unique<Unnest>(plan_); }

 private:
  UnnestPlan plan_;
};

void copy_column(UnnestPlan& plan, std::size_t from, std::size_t to) {
  plan.copied.push_back({from, to});
  plan.copied_from.push_back(from);
}

std::unique_ptr<BoundOperator> bind_unnest(const BindInput& in, Problems& problems) {
  const std::size_t before = problems.size();
  const Schema& input = in.inputs[0];
  const auto column = bind_column(input, in.config["column"].get<std::string>(), "/column", problems);
  if (!column) return nullptr;
  const Field& field = input.field(*column);
  if (physical(field.type) != Physical::bytes) {
    problems.push_back({"/column", ErrorCode::type_mismatch,
                        fmt::format("items are read from a json or string column, and \"{}\" is {}",
                                    field.name, type_name(field.type)),
                        ""});
  }
  UnnestPlan plan;
  plan.column = *column;
  plan.on_error = on_error_of(in.config);
  std::vector<Field> fields;
  for (std::size_t c = 0; c < input.visible(); ++c) {
    if (c == *column && !in.config.value("keep", false)) continue;
    copy_column(plan, c, fields.size());
    fields.push_back(input.field(c));
  }
  if (in.config.contains("key")) {
    plan.key = fields.size();
    add_output_field(fields, {in.config["key"].get<std::string>(), Type::string}, "/key", problems);
  }
  plan.value = fields.size();
  add_output_field(fields, {in.config["value"].get<std::string>(), Type::json}, "/value", problems);
  if (problems.size() > before) return nullptr;
  plan.output = Schema(std::move(fields), input.has_event_time());
  if (input.has_event_time()) {
    copy_column(plan, input.event_time_index(), plan.output.event_time_index());
    copy_column(plan, input.watermark_index(), plan.output.watermark_index());
  }
  return std::make_unique<BoundUnnest>(std::move(plan));
}

}  // namespace

OperatorType unnest_type() {
  OperatorType type;
  type.type = "unnest";
  type.summary = "Makes a record of each element of a JSON array, or of each member of a JSON object.";
  type.example = R"({"column": "items", "key": "position", "value": "item"})";
  type.fields = {
      {.name = "column",
       .type = FieldType::column,
       .required = true,
       .help = "The json or string column with an array or object; null and an empty one give no record, "
               "anything else is a bad record."},
      {.name = "value",
       .type = FieldType::string,
       .required = true,
       .help = "The new column, of type json, with the element or the member's value, as it was written; a "
               "JSON null stays the text null."},
      {.name = "key",
       .type = FieldType::string,
       .help = "A new string column with the member's name, or the element's index from 0; left out: none. "
               "Of members with the same name the first counts."},
      {.name = "keep",
       .type = FieldType::boolean,
       .default_text = "false",
       .help = "Whether the unnested column itself stays in each record."},
      on_error_field()};
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {{"out", false, "the other columns, the key if it is named, and the value"},
                  {"errors", false, "records whose column holds neither an array nor an object"}};
  type.bind = bind_unnest;
  return type;
}

}  // namespace sluice
