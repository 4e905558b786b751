#include "operators/join/join.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operators/binding/binding.hpp"
#include "operators/join/asof_join.hpp"
#include "operators/join/interval_join.hpp"
#include "operators/join/lookup_join.hpp"
#include "runtime/base/units.hpp"

namespace sluice {
namespace {

enum class JoinType : std::uint8_t { interval, lookup, asof };

JoinType join_type_of(const Json& config) {
  const auto type = config["type"].get<std::string>();
  return type == "interval" ? JoinType::interval : type == "lookup" ? JoinType::lookup : JoinType::asof;
}

class BoundJoin final : public BoundOperator {
 public:
  BoundJoin(JoinType type, JoinPlan plan) : type_(type), plan_(std::move(plan)) {
    output_schemas_ = {plan_.output, plan_.inputs[kLeft], plan_.inputs[kRight], errors_schema()};
    for (const std::size_t key : plan_.keys[kLeft]) {
      traits_.keys.push_back(plan_.inputs[kLeft].field(key).name);
    }
    for (const std::size_t key : plan_.keys[kRight]) {
      traits_.right_keys.push_back(plan_.inputs[kRight].field(key).name);
    }
    traits_.waits_for_right = type == JoinType::lookup;
    // Of right rows of one key the first to come counts, or of equal times the last.
    traits_.order_sensitive = type == JoinType::asof || (type == JoinType::lookup && !plan_.all_matches);
  }

  std::unique_ptr<Operator> create() const override {
    switch (type_) {
      case JoinType::interval:
        return make_interval_join(plan_);
      case JoinType::lookup:
        return make_lookup_join(plan_);
      case JoinType::asof:
        return make_asof_join(plan_);
    }
    return nullptr;
  }

 private:
  JoinType type_;
  JoinPlan plan_;
};

class JoinBinder {
 public:
  JoinBinder(const BindInput& in, Problems& problems)
      : config_(in.config),
        type_(join_type_of(in.config)),
        problems_(problems),
        problems_before_(problems.size()) {
    plan_.inputs = {in.inputs[kLeft], in.inputs[kRight]};
    plan_.kind = in.config.value("kind", "inner") == "left" ? JoinKind::left : JoinKind::inner;
    plan_.on_error = on_error_of(in.config);
  }

  std::unique_ptr<BoundOperator> bind() {
    bind_keys();
    bind_within();
    bind_matches();
    check_event_time();
    bind_output();
    if (problems_.size() > problems_before_) return nullptr;
    return std::make_unique<BoundJoin>(type_, std::move(plan_));
  }

 private:
  void problem(std::string at, ErrorCode code, std::string message, std::string hint = "") {
    problems_.push_back({std::move(at), code, std::move(message), std::move(hint)});
  }
  const Schema& left() const { return plan_.inputs[kLeft]; }
  const Schema& right() const { return plan_.inputs[kRight]; }

  void bind_keys() {
    const Json& on = config_["on"];
    for (std::size_t i = 0; i < on.size(); ++i) {
      const std::string at = fmt::format("/on/{}", i);
      const auto of_left =
          bind_column(left(), on[i][0].get<std::string>(), at + "/0", problems_, "the left input");
      const auto of_right =
          bind_column(right(), on[i][1].get<std::string>(), at + "/1", problems_, "the right input");
      if (of_left && of_right) add_key(*of_left, *of_right, at);
    }
  }

  void add_key(std::size_t of_left, std::size_t of_right, const std::string& at) {
    const Field& l = left().field(of_left);
    const Field& r = right().field(of_right);
    if (l.type != r.type) {
      problem(at, ErrorCode::type_mismatch,
              fmt::format("left \"{}\" is {} and right \"{}\" is {}, but a pair must be of one type", l.name,
                          type_name(l.type), r.name, type_name(r.type)),
              fmt::format("make the types the same in a map before, for example cast({} as {})", r.name,
                          type_name(l.type)));
      return;
    }
    for (std::size_t k = 0; k < plan_.keys[kLeft].size(); ++k) {
      if (plan_.keys[kLeft][k] != of_left || plan_.keys[kRight][k] != of_right) continue;
      problem(at, ErrorCode::duplicate_name,
              fmt::format("the pair of \"{}\" and \"{}\" is written twice", l.name, r.name), "leave one out");
      return;
    }
    plan_.keys[kLeft].push_back(of_left);
    plan_.keys[kRight].push_back(of_right);
  }

  void bind_within() {
    const bool given = config_.contains("within");
    if (type_ != JoinType::interval) {
      if (given) {
        problem("/within", ErrorCode::bad_value, "\"within\" is for joins of type interval alone",
                "leave \"within\" out, or write \"type\": \"interval\"");
      }
      return;
    }
    if (!given) {
      problem("", ErrorCode::missing_field,
              "an interval join needs \"within\": how far the right row's time may be from the left row's",
              "for example \"within\": [\"-5m\", \"0s\"]");
      return;
    }
    plan_.lowest_us = parse_signed_duration_us(config_["within"][0].get<std::string>()).value();
    plan_.highest_us = parse_signed_duration_us(config_["within"][1].get<std::string>()).value();
    if (plan_.lowest_us > plan_.highest_us) {
      problem("/within", ErrorCode::out_of_range,
              fmt::format("\"within\" begins at {} and ends before that, at {}",
                          config_["within"][0].get<std::string>(), config_["within"][1].get<std::string>()),
              "write the lower bound first");
    }
  }

  void bind_matches() {
    if (!config_.contains("matches")) return;
    if (type_ != JoinType::lookup) {
      problem("/matches", ErrorCode::bad_value, "\"matches\" is for joins of type lookup alone",
              "leave \"matches\" out");
      return;
    }
    plan_.all_matches = config_["matches"] == "all";
  }

  void check_event_time() {
    if (type_ == JoinType::lookup) return;
    for (const std::uint32_t side : kSides) {
      if (plan_.inputs[side].has_event_time()) continue;
      problem("/type", ErrorCode::event_time_missing,
              fmt::format("an {} join needs event time on both sides, and no event_time operator precedes "
                          "the {} input",
                          config_["type"].get<std::string>(), side == kLeft ? "left" : "right"),
              "put an event_time operator in front of it, or use a join of type lookup");
    }
  }

  // Left's columns, then right's; where a right one's name is taken it gets the prefix right_.
  void bind_output() {
    std::vector<Field> fields(left().fields().begin(),
                              left().fields().begin() + static_cast<std::ptrdiff_t>(left().visible()));
    for (std::size_t c = 0; c < right().visible(); ++c) {
      Field field = right().field(c);
      if (left().find(field.name)) field.name = "right_" + field.name;
      const bool taken =
          std::any_of(fields.begin(), fields.end(), [&](const Field& f) { return f.name == field.name; });
      if (taken) {
        problem(
            "", ErrorCode::duplicate_name,
            fmt::format("the output would have two columns \"{}\": a right name that left has too gets the "
                        "prefix right_, and here that name is taken",
                        field.name),
            "rename a column in a map before");
      }
      fields.push_back(std::move(field));
    }
    // Of kind left a row may have no right part: its time can then only be the left one.
    const bool timed = left().has_event_time() || (right().has_event_time() && !plan_.left_kind());
    plan_.watermark_of_left = type_ == JoinType::lookup;
    plan_.output = Schema(std::move(fields), timed);
  }

  const Json& config_;
  const JoinType type_;
  Problems& problems_;
  const std::size_t problems_before_;
  JoinPlan plan_;
};

std::vector<FieldSpec> join_fields() {
  const FieldSpec pair{
      .type = FieldType::list, .members = {{.type = FieldType::column}}, .min_items = 2, .max_items = 2};
  return {
      {.name = "type",
       .type = FieldType::string,
       .required = true,
       .help = "interval (rows whose event times are near), lookup (the right side is a table, read to its "
               "end first and held in memory) or asof (the latest right row that is not after the left one).",
       .values = {"interval", "lookup", "asof"}},
      {.name = "on",
       .type = FieldType::list,
       .required = true,
       .help = "Pairs of a left and a right column, of the same type, that must be equal. Null is equal to "
               "nothing; -0.0 is 0.0, every NaN the same, and json compares as text.",
       .members = {pair},
       .min_items = 1},
      {.name = "kind",
       .type = FieldType::string,
       .default_text = "inner",
       .help = "inner (only rows that match) or left (also left rows without a match, with nulls).",
       .values = {"inner", "left"}},
      {.name = "within",
       .type = FieldType::list,
       .help = "For interval, required: the least and the most that the right row's time may be after the "
               "left row's, as durations; both count, a minus means before.",
       .members = {{.type = FieldType::duration, .minimum = -9e18, .maximum = 9e18}},
       .min_items = 2,
       .max_items = 2},
      {.name = "matches",
       .type = FieldType::string,
       .default_text = "first",
       .help = "For lookup: first (the first right row of a key) or all (a row for each).",
       .values = {"first", "all"}},
      on_error_field()};
}

}  // namespace

OperatorType join_type() {
  OperatorType type;
  type.type = "join";
  type.summary =
      "Joins the records of two inputs that have equal keys: near in time, from a table, or as of a time.";
  type.example = R"({"type": "interval", "on": [["user", "user"]], "within": ["-5m", "0s"], "kind": "left"})";
  type.fields = join_fields();
  type.inputs = {{"left", true, "the records"},
                 {"right", true, "the records joined to them; for lookup a table, which must end"}};
  type.outputs = {
      {"out", false,
       "left's columns, then right's, with right_ before a name that left has too; the event time is the "
       "later of the two"},
      {"late_left", false, "left records whose time is before the event-time watermark, as they came"},
      {"late_right", false, "right records whose time is before the event-time watermark, as they came"},
      {"errors", false, "joined rows that are larger than an edge can carry"}};
  type.bind = [](const BindInput& in, Problems& problems) { return JoinBinder(in, problems).bind(); };
  return type;
}

}  // namespace sluice
