#include <fmt/format.h>

#include <algorithm>

#include "operators/builtin/binding.hpp"
#include "operators/builtin/window_aggregate.hpp"
#include "operators/builtin/window_plan.hpp"

namespace sluice {
namespace {

class BoundWindowAggregate final : public BoundOperator {
 public:
  explicit BoundWindowAggregate(WindowPlan plan) : plan_(std::move(plan)) {
    output_schemas_ = {plan_.output, plan_.input, errors_schema()};
    for (const std::size_t key : plan_.keys) traits_.keys.push_back(plan_.input.field(key).name);
    if (plan_.keys.empty()) {
      traits_.max_parallelism = 1;
      traits_.max_parallelism_reason = "without keys all records of a window meet in one group";
    }
    traits_.order_sensitive =
        std::any_of(plan_.aggregates.begin(), plan_.aggregates.end(), [](const auto& a) {
          return a.function == AggregateFunction::first || a.function == AggregateFunction::last;
        });
  }

  std::unique_ptr<Operator> create() const override { return make_window_aggregate(plan_); }

 private:
  WindowPlan plan_;
};

class WindowBinder {
 public:
  WindowBinder(const BindInput& in, Problems& problems)
      : config_(in.config), problems_(problems), problems_before_(problems.size()) {
    plan_.input = in.inputs[0];
  }

  std::unique_ptr<BoundOperator> bind() {
    bind_window();
    bind_keys();
    bind_aggregates();
    if (problems_.size() > problems_before_) return nullptr;
    plan_.output = Schema(std::move(fields_), plan_.windowed());
    plan_.on_error = on_error_of(config_);
    return std::make_unique<BoundWindowAggregate>(std::move(plan_));
  }

 private:
  void problem(std::string at, ErrorCode code, std::string message, std::string hint = "") {
    problems_.push_back({std::move(at), code, std::move(message), std::move(hint)});
  }

  void bind_window() {
    const Json& window = config_["window"];
    if (window["type"] == "global") {
      if (config_.contains("allowed_lateness")) {
        problem("/allowed_lateness", ErrorCode::bad_value,
                "a global window has no end that a record could be late for",
                "leave \"allowed_lateness\" out");
      }
      return;
    }
    plan_.window.kind = WindowKind::tumbling;
    plan_.window.size_us = duration_us_of(window, "size");
    plan_.window.offset_us = duration_us_of(window, "offset");
    plan_.window.allowed_lateness_us = duration_us_of(config_, "allowed_lateness");
    if (plan_.window.size_us <= 0) {
      problem("/window/size", ErrorCode::out_of_range, "the size of a window must be above 0");
    } else if (plan_.window.offset_us >= plan_.window.size_us) {
      problem("/window/offset", ErrorCode::out_of_range,
              "the offset must be smaller than the size of the window");
    }
    if (!plan_.input.has_event_time()) {
      problem("/window", ErrorCode::event_time_missing,
              "a tumbling window needs event time, and no event_time operator precedes it",
              "put an event_time operator in front, or use {\"type\": \"global\"}");
    }
    fields_.push_back({"window_start", Type::timestamp});
    fields_.push_back({"window_end", Type::timestamp});
  }

  void bind_keys() {
    const auto keys = bind_columns(plan_.input, config_field(config_, "keys"), "/keys", problems_);
    if (!keys) return;
    for (std::size_t i = 0; i < keys->size(); ++i) {
      add_output_field(fields_, plan_.input.field((*keys)[i]), fmt::format("/keys/{}", i), problems_);
    }
    plan_.keys = *keys;
  }

  void bind_aggregates() {
    const Json& aggregates = config_["aggregates"];
    for (std::size_t i = 0; i < aggregates.size(); ++i) {
      bind_aggregate(aggregates[i], fmt::format("/aggregates/{}", i));
    }
  }

  void bind_aggregate(const Json& entry, const std::string& at) {
    AggregatePlan plan;
    plan.name = entry["name"].get<std::string>();
    const auto fn = entry["fn"].get<std::string>();
    plan.function = *parse_aggregate_function(fn);
    const std::size_t before = problems_.size();
    if (entry.contains("where")) {
      plan.where = bind_condition(plan_.input, entry["where"].get<std::string>(), at + "/where", problems_);
    }
    if (entry.contains("expr")) {
      auto value = bind_expression(plan_.input, entry["expr"].get<std::string>(), at + "/expr", problems_);
      if (!value) return;
      plan.value_type = value->type();
      const auto column = value->as_column();
      plan.value.emplace();
      if (column) {
        plan.value->column = *column;
      } else {
        plan.value->expression = std::move(value);
      }
    } else if (plan.function != AggregateFunction::count) {
      problem(at, ErrorCode::missing_field, fmt::format("\"{}\" needs \"expr\", the values to aggregate", fn),
              "for example \"expr\": \"bytes\"");
    }
    if (problems_.size() > before) return;
    const auto type = aggregate_type(plan.function, plan.value_type);
    if (!type) {
      problem(at + "/expr", ErrorCode::type_mismatch,
              fmt::format("\"{}\" does not take values of type {}", fn, type_name(*plan.value_type)));
      return;
    }
    if (add_output_field(fields_, {plan.name, *type}, at + "/name", problems_)) {
      plan_.aggregates.push_back(std::move(plan));
    }
  }

  const Json& config_;
  Problems& problems_;
  std::size_t problems_before_;
  WindowPlan plan_;
  std::vector<Field> fields_;
};

FieldSpec window_field() {
  const FieldSpec tumbling{
      .type = FieldType::object,
      .members = {{.name = "type",
                   .type = FieldType::string,
                   .required = true,
                   .help = "Windows of equal size, one after the other.",
                   .values = {"tumbling"}},
                  {.name = "size",
                   .type = FieldType::duration,
                   .required = true,
                   .help = "How long a window is, as a duration."},
                  {.name = "offset",
                   .type = FieldType::duration,
                   .default_text = "0s",
                   .help = "How long after a multiple of the size since 1970-01-01 UTC windows start, as a "
                           "duration below the size."}}};
  const FieldSpec global{.type = FieldType::object,
                         .members = {{.name = "type",
                                      .type = FieldType::string,
                                      .required = true,
                                      .help = "One window for all; its results come at the end of the input.",
                                      .values = {"global"}}}};
  return {.name = "window",
          .type = FieldType::any_of,
          .required = true,
          .help =
              "Which records are aggregated together: {\"type\": \"tumbling\", \"size\": …} or {\"type\": "
              "\"global\"}.",
          .members = {tumbling, global}};
}

FieldSpec aggregates_field() {
  return {
      .name = "aggregates",
      .type = FieldType::list,
      .required = true,
      .help = "What is computed for each window and key.",
      .members =
          {{.type = FieldType::object,
            .members = {{.name = "name",
                         .type = FieldType::string,
                         .required = true,
                         .help = "The result's column."},
                        {.name = "fn",
                         .type = FieldType::string,
                         .required = true,
                         .help = "count (records, or values of expr that are not null), sum, avg, min, max, "
                                 "first or last (by arrival). Nulls are passed over; without a value the "
                                 "result is null, of count 0. For min and max NaN is above all numbers.",
                         .values = {"count", "sum", "avg", "min", "max", "first", "last"}},
                        {.name = "expr",
                         .type = FieldType::expression,
                         .help = "The values, an expression over the input's columns; count can do without."},
                        {.name = "where",
                         .type = FieldType::expression,
                         .help = "Only records for which this is true count for this aggregate."}}}},
      .min_items = 1};
}

}  // namespace

OperatorType window_aggregate_type() {
  OperatorType type;
  type.type = "window_aggregate";
  type.summary = "Groups records by window and key, and gives one record of aggregates a group.";
  type.example = R"({"keys": ["status"], "window": {"type": "tumbling", "size": "1m"},
 "aggregates": [{"name": "hits", "fn": "count"}, {"name": "bytes", "fn": "sum", "expr": "bytes"}]})";
  type.fields = {
      {.name = "keys",
       .type = FieldType::columns,
       .help = "The columns to group by; null is a key too, -0.0 is 0.0 and every NaN the same."},
      window_field(),
      aggregates_field(),
      {.name = "allowed_lateness",
       .type = FieldType::duration,
       .default_text = "0s",
       .help = "How far, as a duration, the event-time watermark may have passed a window's end before the "
               "window is emitted and further records for it are late."},
      on_error_field()};
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {{"out", false, "window_start and window_end (not for global), the keys, the aggregates"},
                  {"late", false, "records that came after their window was complete, as they came"},
                  {"errors", false, "records for which an expression failed, and sums that do not fit"}};
  type.bind = [](const BindInput& in, Problems& problems) { return WindowBinder(in, problems).bind(); };
  return type;
}

}  // namespace sluice
