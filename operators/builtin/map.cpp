#include "operators/builtin/map.hpp"

#include <fmt/format.h>

#include <optional>

#include "operators/binding/binding.hpp"
#include "operators/binding/ports.hpp"
#include "operators/binding/row_selection.hpp"

namespace sluice {
namespace {

// An output column: one of the input's, passed on as it is, or a computed one.
struct MapColumn {
  std::size_t input = 0;                 // if there is no expression
  std::optional<Expression> expression;  // not a bare column
};

// Emits the listed columns, evaluated a column at a time; those that are the input's pass through without a
// copy. A row in which any expression fails is one bad record, reported with its first error in the order of
// the columns, and is taken out.
class Map final : public Operator {
 public:
  Map(const std::vector<MapColumn>& plan, const Schema& output, OnError on_error)
      : plan_(plan), output_(output), good_(output), bad_(on_error, kErrorsPort), columns_(plan.size()) {
    for (const MapColumn& column : plan) {
      if (column.expression) evaluators_.emplace_back(*column.expression);
    }
  }

  Result<void> open(const OperatorContext& context) override {
    bad_.open(context);
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) override {
    evaluate(batch);
    const Batch computed{&output_, batch.rows, columns_};
    if (errors_.empty()) {
      out.emit(kOutPort, computed);
      return Step::needs_input();
    }
    keep_first_error_a_row(errors_);
    SLUICE_TRY(add_row_errors(bad_, batch, errors_));
    select_good_rows(batch.rows);
    if (!selected_.empty()) out.emit(kOutPort, good_.take(computed, selected_));
    bad_.flush(out);
    return Step::needs_input();
  }

 private:
  void evaluate(const Batch& batch) {
    errors_.clear();
    std::size_t next_evaluator = 0;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      if (!plan_[i].expression) {
        columns_[i] = batch.column(plan_[i].input);
        continue;
      }
      Evaluator& evaluator = evaluators_[next_evaluator++];
      columns_[i] = evaluator.evaluate(batch);
      errors_.insert(errors_.end(), evaluator.errors().begin(), evaluator.errors().end());
    }
  }

  void select_good_rows(std::uint32_t rows) {
    selected_.clear();
    auto next_bad = errors_.begin();
    for (std::uint32_t r = 0; r < rows; ++r) {
      if (next_bad != errors_.end() && next_bad->row == r) {
        ++next_bad;
      } else {
        selected_.push_back(r);
      }
    }
  }

  const std::vector<MapColumn>& plan_;
  const Schema& output_;
  RowSelection good_;
  BadRecords bad_;
  std::vector<Evaluator> evaluators_;  // of the columns with an expression, in their order
  std::vector<Column> columns_;
  std::vector<RowError> errors_;
  std::vector<std::uint32_t> selected_;
};

class BoundMap final : public BoundOperator {
 public:
  BoundMap(std::vector<MapColumn> plan, Schema output, OnError on_error)
      : plan_(std::move(plan)), on_error_(on_error) {
    output_schemas_ = {std::move(output), errors_schema()};
  }

  std::unique_ptr<Operator> create() const override {
    return std::make_unique<Map>(plan_, output_schemas_[kOutPort], on_error_);
  }

 private:
  std::vector<MapColumn> plan_;
  OnError on_error_;
};

// Gathers the output's columns and their names side by side.
class MapBinder {
 public:
  MapBinder(const BindInput& in, Problems& problems)
      : config_(in.config), input_(in.inputs[0]), problems_(problems), problems_before_(problems.size()) {}

  std::unique_ptr<BoundOperator> bind() {
    keep_columns();
    computed_columns();
    if (problems_.size() == problems_before_ && fields_.empty()) {
      problems_.push_back(
          {"/columns", ErrorCode::bad_value, "the output would have no column", "list at least one"});
    }
    if (problems_.size() > problems_before_) return nullptr;
    if (input_.has_event_time()) {
      plan_.push_back({input_.event_time_index(), std::nullopt});
      plan_.push_back({input_.watermark_index(), std::nullopt});
    }
    return std::make_unique<BoundMap>(std::move(plan_), Schema(std::move(fields_), input_.has_event_time()),
                                      on_error_of(config_));
  }

 private:
  void pass_on(std::size_t column, const std::string& at) {
    if (add_output_field(fields_, input_.field(column), at, problems_))
      plan_.push_back({column, std::nullopt});
  }

  void keep_columns() {
    const Json& keep = config_field(config_, "keep");
    if (keep.is_array()) {
      const auto listed = bind_columns(input_, keep, "/keep", problems_);
      if (!listed) return;
      for (const std::size_t column : *listed) pass_on(column, "/keep");
    } else if (keep.is_boolean() && keep.get<bool>()) {
      for (std::size_t column = 0; column < input_.visible(); ++column) pass_on(column, "/keep");
    }
  }

  void computed_columns() {
    const Json& columns = config_["columns"];
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string at = fmt::format("/columns/{}", i);
      auto expression =
          bind_expression(input_, columns[i]["expr"].get<std::string>(), at + "/expr", problems_);
      if (!expression) continue;
      const Field field{columns[i]["name"].get<std::string>(), expression->type()};
      if (!add_output_field(fields_, field, at + "/name", problems_)) continue;
      if (const auto column = expression->as_column()) {
        plan_.push_back({*column, std::nullopt});
      } else {
        plan_.push_back({0, std::move(expression)});
      }
    }
  }

  const Json& config_;
  const Schema& input_;
  Problems& problems_;
  std::size_t problems_before_;
  std::vector<Field> fields_;
  std::vector<MapColumn> plan_;
};

}  // namespace

OperatorType map_type() {
  OperatorType type;
  type.type = "map";
  type.summary = "Computes columns by expressions, and keeps all, some or none of the input's.";
  type.example =
      R"json({"columns": [{"name": "minute", "expr": "date_trunc('minute', time)"}], "keep": ["status"]})json";
  type.fields = {
      {.name = "columns",
       .type = FieldType::list,
       .required = true,
       .help = "The columns to compute, in the order of the output.",
       .members = {{.type = FieldType::object,
                    .members = {{.name = "name",
                                 .type = FieldType::string,
                                 .required = true,
                                 .help = "The new column's name; no other of the output may have it."},
                                {.name = "expr",
                                 .type = FieldType::expression,
                                 .required = true,
                                 .help = "Its value, an expression over the input's columns."}}}}},
      {.name = "keep",
       .type = FieldType::any_of,
       .default_text = "false",
       .help =
           "The input's columns to keep, in front of the new ones: true for all, false for none, or a list.",
       .members = {{.type = FieldType::boolean}, {.type = FieldType::columns}}},
      on_error_field()};
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {{"out", false, "one record for each that came in"},
                  {"errors", false, "records for which an expression failed"}};
  type.bind = [](const BindInput& in, Problems& problems) { return MapBinder(in, problems).bind(); };
  return type;
}

}  // namespace sluice
