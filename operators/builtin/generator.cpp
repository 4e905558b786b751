#include "operators/builtin/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "operators/binding/binding.hpp"
#include "operators/binding/ports.hpp"
#include "operators/builtin/generator_columns.hpp"
#include "operators/builtin/pacer.hpp"
#include "runtime/base/units.hpp"

namespace sluice {
namespace {

// What all tasks of a generator share.
struct GeneratorPlan {
  Schema schema;
  std::vector<std::unique_ptr<ColumnGenerator>> columns;
  std::optional<std::uint64_t> count;  // of all tasks together
  TimeNs duration_ns = kNever;
  double rate_per_second = 0;  // of all tasks together
};

// Task k of n makes the rows k, k + n, k + 2n, …, so that n tasks together make what one would. Paced by the
// clock it is given; with a duration it ends by the clock, and then only which rows come is determined, not
// how many.
class Generator final : public Source {
 public:
  explicit Generator(const GeneratorPlan& plan) : plan_(plan), staging_(plan.schema), pacer_(1) {}

  Result<void> open(const OperatorContext& context) override {
    stride_ = context.parallelism;
    next_index_ = context.task_index;
    pacer_ = Pacer(plan_.rate_per_second / context.parallelism);
    rows_left_ = std::numeric_limits<std::uint64_t>::max();
    if (plan_.count) {
      rows_left_ = *plan_.count / stride_ + (context.task_index < *plan_.count % stride_ ? 1 : 0);
    }
    std::size_t row_bytes = 0;
    for (const auto& column : plan_.columns) row_bytes += column->row_bytes();
    batch_rows_ = std::clamp<std::uint64_t>(kTargetBatchBytes / row_bytes, 1, kTargetBatchRows);
    return {};
  }

  Result<Step> poll(Emitter& out, TimeNs now_ns) override {
    if (!started_ns_) started_ns_ = now_ns;
    if (rows_left_ == 0 || now_ns - *started_ns_ >= plan_.duration_ns) return Step::finished();
    const std::uint64_t rows = std::min({pacer_.permitted(now_ns), rows_left_, batch_rows_});
    if (rows > 0) {
      SLUICE_TRY(make(static_cast<std::uint32_t>(rows)));
      out.emit(kOutPort, staging_.view());
    }
    if (rows_left_ == 0) return Step::finished();
    if (pacer_.permitted(now_ns) > 0) return Step::has_more();
    return Step::waits_until(std::min(pacer_.next_ns(now_ns), end_ns()));
  }

 private:
  Result<void> make(std::uint32_t rows) {
    staging_.clear();
    const RowRange range{next_index_, stride_, rows};
    for (std::size_t c = 0; c < plan_.columns.size(); ++c) {
      SLUICE_TRY(plan_.columns[c]->fill(range, staging_.column(c)));
    }
    next_index_ += rows * stride_;
    rows_left_ -= rows;
    pacer_.take(rows);
    return {};
  }

  TimeNs end_ns() const { return plan_.duration_ns == kNever ? kNever : *started_ns_ + plan_.duration_ns; }

  const GeneratorPlan& plan_;
  BatchStaging staging_;
  Pacer pacer_;
  std::optional<TimeNs> started_ns_;
  std::uint64_t next_index_ = 0;
  std::uint64_t stride_ = 1;
  std::uint64_t rows_left_ = 0;
  std::uint64_t batch_rows_ = 1;
};

class BoundGenerator final : public BoundOperator {
 public:
  explicit BoundGenerator(GeneratorPlan plan) : plan_(std::move(plan)) { output_schemas_ = {plan_.schema}; }
  std::unique_ptr<Operator> create() const override { return std::make_unique<Generator>(plan_); }

 private:
  GeneratorPlan plan_;
};

void bind_end(const Json& config, GeneratorPlan& plan, Problems& problems) {
  const bool has_count = config.contains("count"), has_duration = config.contains("duration");
  if (has_count == has_duration) {
    problems.push_back({has_count ? "/duration" : "",
                        has_count ? ErrorCode::bad_value : ErrorCode::missing_field,
                        "a generator ends after a number of rows or after a time",
                        "give one of \"count\" and \"duration\""});
    return;
  }
  if (has_count) plan.count = config["count"].get<std::uint64_t>();
  if (has_duration) {
    const std::int64_t us = duration_us_of(config, "duration");
    plan.duration_ns = us > kNever / kNsPerUs / 2 ? kNever : us * kNsPerUs;
  }
}

void bind_rate(const Json& config, GeneratorPlan& plan, Problems& problems) {
  plan.rate_per_second = parse_rate_per_second(config.value("rate", "max")).value();
  if (plan.rate_per_second > 0) return;
  problems.push_back(
      {"/rate", ErrorCode::out_of_range, "the rate must be above 0", "\"max\" means no limit"});
}

void bind_columns(const Json& config, GeneratorPlan& plan, Problems& problems) {
  const auto seed = config.value("seed", std::uint64_t{0});
  std::vector<Field> fields;
  const Json& columns = config["columns"];
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string at = fmt::format("/columns/{}", i);
    const Field field{columns[i]["name"].get<std::string>(),
                      *parse_type(columns[i]["type"].get<std::string>())};
    add_output_field(fields, field, at + "/name", problems);
    if (auto column = bind_generated_column(columns[i], seed, at, problems))
      plan.columns.push_back(std::move(column));
  }
  plan.schema = Schema(std::move(fields));
}

std::unique_ptr<BoundOperator> bind_generator(const BindInput& in, Problems& problems) {
  const std::size_t before = problems.size();
  GeneratorPlan plan;
  bind_end(in.config, plan, problems);
  bind_rate(in.config, plan, problems);
  bind_columns(in.config, plan, problems);
  if (problems.size() > before) return nullptr;
  return std::make_unique<BoundGenerator>(std::move(plan));
}

}  // namespace

OperatorType generator_type() {
  OperatorType type;
  type.type = "generator";
  type.kind = OperatorKind::source;
  type.summary =
      "Makes rows. Row i is a function of the seed, the column and i alone, whatever the parallelism.";
  type.example = R"({"count": 1000000, "rate": "10000/s", "seed": 1, "columns": [
  {"name": "id", "type": "int64", "gen": "sequence"},
  {"name": "user", "type": "int64", "gen": "zipf", "n": 1000, "s": 1.1},
  {"name": "level", "type": "string", "gen": "choice", "values": ["info", "error"], "weights": [9, 1]}]})";
  type.fields = {
      {.name = "count",
       .type = FieldType::integer,
       .help = "How many rows all tasks make together; this or duration.",
       .minimum = 0,
       .maximum = 9e18},
      {.name = "duration",
       .type = FieldType::duration,
       .help =
           "For how long rows are made, as a duration; how many come in that time depends on the machine."},
      {.name = "rate",
       .type = FieldType::rate,
       .default_text = "max",
       .help = "Rows per second of all tasks together, like \"1000/s\", evenly spread; \"max\" is without "
               "limit."},
      {.name = "columns",
       .type = FieldType::list,
       .required = true,
       .help = "The columns of each row.",
       .members = {{.type = FieldType::object, .members = generated_column_fields()}},
       .min_items = 1},
      {.name = "seed",
       .type = FieldType::integer,
       .default_text = "0",
       .help = "Another seed makes other random values.",
       .minimum = 0,
       .maximum = 9e18}};
  type.outputs = {{"out", false, "the rows"}};
  type.bind = bind_generator;
  return type;
}

}  // namespace sluice
