#include <fmt/format.h>

#include "operators/builtin/aggregate_binding.hpp"
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
    traits_.order_sensitive = depend_on_order(plan_.aggregates);
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
    plan_.aggregates = bind_aggregates(plan_.input, config_["aggregates"], fields_, problems_);
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
