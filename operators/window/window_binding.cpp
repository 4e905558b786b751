#include <fmt/format.h>

#include "operators/aggregate/aggregate_binding.hpp"
#include "operators/binding/binding.hpp"
#include "operators/window/window_aggregate.hpp"
#include "operators/window/window_plan.hpp"
#include "runtime/base/units.hpp"

namespace sluice {
namespace {

// More windows a record than this make more results than anybody reads.
constexpr std::int64_t kMostWindowsARecord = 1'000'000;

class BoundWindowAggregate final : public BoundOperator {
 public:
  explicit BoundWindowAggregate(WindowPlan plan) : plan_(std::move(plan)) {
    output_schemas_ = {plan_.output, plan_.input, errors_schema()};
    for (const std::size_t key : plan_.keys) traits_.keys.push_back(plan_.input.field(key).name);
    if (plan_.keys.empty()) {
      traits_.max_parallelism = 1;
      traits_.max_parallelism_reason = "without keys all records of a window meet in one group";
    }
    traits_.order_sensitive = plan_.kind == WindowKind::session || plan_.kind == WindowKind::count ||
                              depend_on_order(plan_.aggregates);
  }

  std::unique_ptr<Operator> create() const override {
    switch (plan_.kind) {
      case WindowKind::tumbling:
      case WindowKind::sliding:
        return make_time_windows(plan_);
      case WindowKind::session:
        return make_session_windows(plan_);
      case WindowKind::count:
        return make_count_windows(plan_);
      case WindowKind::global:
        return make_global_window(plan_);
    }
    return nullptr;
  }

 private:
  WindowPlan plan_;
};

class WindowBinder {
 public:
  WindowBinder(const BindInput& in, Problems& problems)
      : config_(in.config),
        window_(in.config["window"]),
        problems_(problems),
        problems_before_(problems.size()) {
    plan_.input = in.inputs[0];
  }

  std::unique_ptr<BoundOperator> bind() {
    bind_window();
    bind_lateness();
    if (plan_.has_bounds()) {
      fields_.push_back({"window_start", Type::timestamp});
      fields_.push_back({"window_end", Type::timestamp});
    }
    bind_keys();
    plan_.aggregates = bind_aggregates(plan_.input, config_["aggregates"], fields_, problems_);
    if (problems_.size() > problems_before_) return nullptr;
    plan_.output = Schema(std::move(fields_), has_end());
    plan_.on_error = on_error_of(config_);
    return std::make_unique<BoundWindowAggregate>(std::move(plan_));
  }

 private:
  // Windows of event time: they end as the event-time watermark passes.
  bool has_end() const { return plan_.kind != WindowKind::count && plan_.kind != WindowKind::global; }

  void problem(std::string at, ErrorCode code, std::string message, std::string hint = "") {
    problems_.push_back({std::move(at), code, std::move(message), std::move(hint)});
  }

  void bind_window() {
    const auto type = window_["type"].get<std::string>();
    if (type == "tumbling") {
      bind_tumbling();
    } else if (type == "sliding") {
      bind_sliding();
    } else if (type == "session") {
      bind_session();
    } else if (type == "count") {
      plan_.kind = WindowKind::count;
      plan_.count = window_["size"].get<std::uint64_t>();
    } else {
      bind_global();
    }
  }

  void bind_tumbling() {
    plan_.kind = WindowKind::tumbling;
    WindowAssigner& assigner = plan_.assigner;
    assigner.size_us = assigner.slide_us = above_zero("size");
    assigner.offset_us = duration_us_of(window_, "offset");
    if (assigner.size_us > 0 && assigner.offset_us >= assigner.size_us) {
      problem("/window/offset", ErrorCode::out_of_range,
              "the offset must be smaller than the size of the window",
              fmt::format("\"{}\" gives the same windows",
                          format_duration_us(assigner.offset_us % assigner.size_us)));
    }
    need_event_time("/window", "a tumbling window", "use {\"type\": \"global\"}");
  }

  void bind_sliding() {
    plan_.kind = WindowKind::sliding;
    WindowAssigner& assigner = plan_.assigner;
    assigner.size_us = above_zero("size");
    assigner.slide_us = above_zero("slide");
    const std::int64_t windows =
        assigner.slide_us > 0 ? (assigner.size_us - 1) / assigner.slide_us + 1 : 0;  // of a record, at most
    if (windows > kMostWindowsARecord) {
      problem("/window/slide", ErrorCode::out_of_range,
              fmt::format("a record would be in {} windows, and at most {} are allowed", windows,
                          kMostWindowsARecord),
              "a longer slide, or a shorter size");
    }
    need_event_time("/window", "a sliding window", "use {\"type\": \"global\"} or {\"type\": \"count\"}");
  }

  void bind_session() {
    plan_.kind = WindowKind::session;
    plan_.gap_us = above_zero("gap");
    if (window_.contains("max_length")) plan_.max_length_us = above_zero("max_length");
    need_event_time("/window", "a session", "use {\"type\": \"global\"} or {\"type\": \"count\"}");
  }

  void bind_global() {
    plan_.kind = WindowKind::global;
    if (!window_.contains("emit_every")) return;
    plan_.emit_every_us = above_zero("emit_every");
    need_event_time("/window/emit_every", "\"emit_every\"", "leave it out for results at the end alone",
                    ": with the clock of the machine the results would depend on how fast it is");
  }

  std::int64_t above_zero(const char* field) {
    const std::int64_t us = duration_us_of(window_, field);
    if (us <= 0) {
      problem(fmt::format("/window/{}", field), ErrorCode::out_of_range,
              std::string(field) == "size" ? "the size of a window must be above 0"
                                           : fmt::format("\"{}\" must be above 0", field),
              "the shortest is \"1us\"");
    }
    return us;
  }

  void need_event_time(std::string at, std::string_view what, std::string_view other,
                       std::string_view why = "") {
    if (plan_.input.has_event_time()) return;
    problem(std::move(at), ErrorCode::event_time_missing,
            fmt::format("{} needs event time, and no event_time operator precedes it{}", what, why),
            fmt::format("put an event_time operator in front, or {}", other));
  }

  void bind_lateness() {
    if (!has_end()) {
      if (!config_.contains("allowed_lateness")) return;
      problem("/allowed_lateness", ErrorCode::bad_value,
              plan_.kind == WindowKind::count
                  ? "a window of so many records has no end in time that a record could be late for"
                  : "a global window has no end that a record could be late for",
              "leave \"allowed_lateness\" out");
      return;
    }
    plan_.allowed_lateness_us = duration_us_of(config_, "allowed_lateness");
    plan_.assigner.allowed_lateness_us = plan_.allowed_lateness_us;
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
  const Json& window_;
  Problems& problems_;
  std::size_t problems_before_;
  WindowPlan plan_;
  std::vector<Field> fields_;
};

FieldSpec window_form(const char* type, const char* help, std::vector<FieldSpec> members) {
  members.insert(
      members.begin(),
      {.name = "type", .type = FieldType::string, .required = true, .help = help, .values = {type}});
  return {.type = FieldType::object, .members = std::move(members)};
}

FieldSpec window_field() {
  const FieldSpec size{.name = "size",
                       .type = FieldType::duration,
                       .required = true,
                       .help = "How long a window is, as a duration."};
  return {
      .name = "window",
      .type = FieldType::any_of,
      .required = true,
      .help =
          "Which records are aggregated together: a window of event time (tumbling, sliding, session), so "
          "many "
          "records (count), or all (global).",
      .members = {
          window_form(
              "tumbling", "Windows of equal size, one after the other.",
              {size,
               {.name = "offset",
                .type = FieldType::duration,
                .default_text = "0s",
                .help = "How long after a multiple of the size since 1970-01-01 UTC windows start, as a "
                        "duration below the size."}}),
          window_form(
              "sliding",
              "Windows of equal size that start at every multiple of slide since 1970-01-01 UTC. With a "
              "slide "
              "below the size they overlap, and a record is in several; above it, one between two windows is "
              "in none and counts nowhere.",
              {size,
               {.name = "slide",
                .type = FieldType::duration,
                .required = true,
                .help = "From one start to the next, as a duration; a record may be in 1000000 windows at "
                        "most."}}),
          window_form(
              "session",
              "Records of a key without a gap between them. window_start is the first record's time, "
              "window_end the last one's plus gap. A record that comes when its session is complete is late, "
              "unless a session that starts with it would not be.",
              {{.name = "gap",
                .type = FieldType::duration,
                .required = true,
                .help = "A session ends when the time to its next record is above this duration."},
               {.name = "max_length",
                .type = FieldType::duration,
                .help = "A session ends at the latest so long after its first record, as a duration; the "
                        "next record starts another. Records join sessions in the order in which they come, "
                        "so of records out of order another may start."}}),
          window_form(
              "count",
              "So many records of a key, in the order in which they come; what is left at the end is a "
              "smaller window. window_start and window_end are the earliest and the latest event time of the "
              "records, null without event time.",
              {{.name = "size",
                .type = FieldType::integer,
                .required = true,
                .help = "How many records a window has.",
                .minimum = 1,
                .maximum = 1e15}}),
          window_form(
              "global", "One window for all records; its results come at the end of the input.",
              {{.name = "emit_every",
                .type = FieldType::duration,
                .help = "Also give a key's result so far, a duration of event time apart, if it has changed; "
                        "needs event time."}})}};
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
               "window is emitted and further records for it are late; not for count and global."},
      on_error_field()};
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {{"out", false, "window_start and window_end (not for global), the keys, the aggregates"},
                  {"late", false, "records that came after their window was complete, as they came"},
                  {"errors", false, "records for which an expression failed, and sums that do not fit"}};
  type.bind = [](const BindInput& in, Problems& problems) { return WindowBinder(in, problems).bind(); };
  return type;
}

}  // namespace sluice
