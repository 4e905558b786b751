#include "tests/operators/operator_harness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace sluice::test {
namespace {

std::string value_text(const Value& value) {
  struct Print {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
    std::string operator()(double v) const { return v != v ? "nan" : fmt::format("{:#}", v); }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(const std::string& v) const { return "'" + v + "'"; }
  };
  return std::visit(Print{}, value);
}

Value read_value(const Column& column, std::size_t row) {
  if (column.is_null(row)) return kNull;
  switch (physical(column.type)) {
    case Physical::int64:
      return column.int64s()[row];
    case Physical::float64:
      return column.float64s()[row];
    case Physical::bits:
      return column.boolean(row);
    case Physical::bytes:
      return std::string(column.string(row));
  }
  return kNull;
}

void append_value(ColumnBuilder& builder, const Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return builder.append_null();
  switch (physical(builder.type())) {
    case Physical::int64:
      return builder.append_int64(std::get<std::int64_t>(value));
    case Physical::float64:
      return builder.append_float64(std::get<double>(value));
    case Physical::bits:
      return builder.append_bool(std::get<bool>(value));
    case Physical::bytes:
      return builder.append_string(std::get<std::string>(value));
  }
}

std::string problem_text(const Problem& p) {
  return fmt::format("{} [{}] {}{}", p.pointer, error_name(p.code), p.message,
                     p.hint.empty() ? "" : " (" + p.hint + ")");
}

}  // namespace

std::string row_text(const Row& row) {
  std::string text;
  for (const Value& value : row) text += (text.empty() ? "" : " ") + value_text(value);
  return text;
}

std::vector<std::string> row_texts(const std::vector<Row>& rows) {
  std::vector<std::string> texts;
  for (const Row& row : rows) texts.push_back(row_text(row));
  return texts;
}

std::vector<std::string> row_multiset(const std::vector<Row>& rows) {
  auto texts = row_texts(rows);
  std::sort(texts.begin(), texts.end());
  return texts;
}

Row read_row(const Batch& batch, std::size_t row) {
  Row values;
  for (const Column& column : batch.columns) values.push_back(read_value(column, row));
  return values;
}

void append_row(BatchStaging& staging, const Row& row) {
  SLUICE_CHECK_EQ(row.size(), staging.schema().size());
  for (std::size_t c = 0; c < row.size(); ++c) append_value(staging.column(c), row[c]);
}

Stream stream_of(const std::vector<Row>& rows, std::size_t batch_rows) {
  Stream stream;
  for (std::size_t i = 0; i < rows.size(); i += std::min(batch_rows, rows.size() - i)) {
    const auto end = i + std::min(batch_rows, rows.size() - i);
    stream.push_back(
        {0, {rows.begin() + static_cast<long>(i), rows.begin() + static_cast<long>(end)}, {}, false});
  }
  return stream;
}

std::vector<Row> rows_of(const Stream& stream, std::uint32_t port) {
  std::vector<Row> rows;
  for (const Event& event : stream) {
    if (event.port == port) rows.insert(rows.end(), event.rows.begin(), event.rows.end());
  }
  return rows;
}

std::unique_ptr<BoundOperator> bind_config(const OperatorType& type, const Json& config,
                                           std::vector<Schema> inputs, Problems& problems) {
  check_fields(type.fields, config, "", problems);
  if (!problems.empty()) return nullptr;
  auto bound = type.bind(BindInput{config, inputs, "op", "."}, problems);
  SLUICE_CHECK((bound == nullptr) == !problems.empty(), "bind gives either an operator or problems");
  const std::size_t more = type.more_outputs ? type.more_outputs(config).size() : 0;
  if (bound) SLUICE_CHECK_EQ(bound->output_schemas().size(), type.outputs.size() + more);
  return bound;
}

std::unique_ptr<BoundOperator> bind_config(const OperatorType& type, const Json& config,
                                           std::vector<Schema> inputs) {
  Problems problems;
  auto bound = bind_config(type, config, std::move(inputs), problems);
  std::string text;
  for (const Problem& p : problems) text += problem_text(p) + "\n";
  if (!bound) throw std::runtime_error("the config was refused:\n" + text);
  return bound;
}

std::vector<std::string> problems_of(const OperatorType& type, const Json& config,
                                     std::vector<Schema> inputs) {
  Problems problems;
  bind_config(type, config, std::move(inputs), problems);
  std::vector<std::string> lines;
  for (const Problem& p : problems) lines.push_back(problem_text(p));
  return lines;
}

class Driver::MemoryLog final : public Log {
 public:
  void write(LogLevel, std::string_view message) override { lines.emplace_back(message); }
  std::vector<std::string> lines;
};

class Driver::Collector final : public Emitter {
 public:
  Collector(const BoundOperator& bound, Stream& out) : bound_(bound), out_(out) {}

  // Reads what the last call emitted: as late as the contract allows, so that a sanitizer sees columns that
  // died early.
  void settle() {
    for (const auto& [index, batch] : pending_) {
      for (std::size_t r = 0; r < batch.rows; ++r) out_[index].rows.push_back(read_row(batch, r));
    }
    pending_.clear();
    ports_ = 0;
  }

  void emit(std::uint32_t port, const Batch& batch) override {
    SLUICE_CHECK_LT(port, bound_.output_schemas().size());
    SLUICE_CHECK((ports_ >> port & 1) == 0, "two batches on port {} in one call", port);
    SLUICE_CHECK(batch.rows > 0, "an empty batch on port {}", port);
    const Schema& schema = bound_.output_schemas()[port];
    SLUICE_CHECK(*batch.schema == schema, "port {}: {} against {}", port, batch.schema->to_string(),
                 schema.to_string());
    SLUICE_CHECK_EQ(batch.columns.size(), schema.size());
    for (std::size_t c = 0; c < schema.size(); ++c)
      SLUICE_CHECK(batch.column(c).type == schema.field(c).type);
    ports_ |= 1u << port;
    pending_.emplace_back(out_.size(), batch);
    out_.push_back({port, {}, {}, false});
  }

  void emit_watermark(EventTimeUs watermark) override {
    SLUICE_CHECK_LT(last_watermark_, watermark);
    last_watermark_ = watermark;
    out_.push_back({0, {}, watermark, false});
  }

  void emit_idle() override { out_.push_back({0, {}, {}, true}); }

  void pass_on(EventTimeUs watermark) {
    if (watermark > last_watermark_) emit_watermark(watermark);
  }

 private:
  const BoundOperator& bound_;
  Stream& out_;
  std::vector<std::pair<std::size_t, Batch>> pending_;  // place in out_
  std::uint32_t ports_ = 0;
  EventTimeUs last_watermark_ = kWatermarkNone;
};

Driver::Driver(const BoundOperator& bound, RunOptions options)
    : bound_(bound),
      options_(options),
      op_(bound.create()),
      budget_(options.state_limit_bytes),
      state_(budget_, counters_.state_bytes, counters_.state_keys),
      draining_(options.draining),
      log_(std::make_unique<MemoryLog>()),
      collector_(std::make_unique<Collector>(bound, outcome_.out)) {
  OperatorContext context;
  context.operator_id = "op";
  context.task_index = options.task_index;
  context.parallelism = options.parallelism;
  context.connected_ports = options.connected_ports;
  context.record_limit_bytes = options.record_limit_bytes;
  context.counters = &counters_;
  context.state = &state_;
  context.log = log_.get();
  context.draining = &draining_;
  if (auto opened = op_->open(context); !opened) outcome_.error = opened.error();
}

Driver::~Driver() { op_->close(); }

Step Driver::call(Call which, const Batch* batch, EventTimeUs watermark, std::uint32_t port) {
  if (failed()) return Step::finished();
  SLUICE_CHECK_LT(outcome_.calls, options_.max_calls);
  ++outcome_.calls;
  collector_->settle();
  auto result = [&]() -> Result<Step> {
    switch (which) {
      case Call::process:
        return op_->process(port, *batch, *collector_, now_ns_);
      case Call::resume:
        return op_->resume(*collector_, now_ns_);
      case Call::watermark:
        return op_->watermark(watermark, *collector_, now_ns_);
      case Call::idle:
        return op_->idle(*collector_, now_ns_);
      case Call::tick:
        return op_->tick(*collector_, now_ns_);
      case Call::input_ended:
        return op_->input_ended(port, *collector_, now_ns_);
      case Call::finish:
        return op_->finish(*collector_, now_ns_);
      case Call::poll:
        return dynamic_cast<Source&>(*op_).poll(*collector_, now_ns_);
    }
    return Step::finished();
  }();
  if (result) return *result;
  outcome_.error = result.error();
  return Step::finished();
}

void Driver::drive(Step step, Call again) {
  while (step.next == Step::Next::kHasMore || step.next == Step::Next::kWaits) {
    if (step.next == Step::Next::kWaits) {
      SLUICE_CHECK_LT(now_ns_, step.until_ns);
      now_ns_ = step.until_ns;
    }
    step = call(again);
  }
  finished_ = step.next == Step::Next::kFinished;
}

Step Driver::process_once(const Schema& schema, const std::vector<Row>& rows, std::uint32_t port) {
  collector_->settle();
  input_.emplace(schema);
  for (const Row& row : rows) append_row(*input_, row);
  const Batch batch = input_->view();
  return call(Call::process, &batch, kWatermarkNone, port);
}

Step Driver::resume_once() { return call(Call::resume); }
Step Driver::poll_once() { return call(Call::poll); }

void Driver::rows(const Schema& schema, const std::vector<Row>& rows, std::uint32_t port) {
  if (!rows.empty()) drive(process_once(schema, rows, port), Call::resume);
}

void Driver::watermark(EventTimeUs watermark) {
  drive(call(Call::watermark, nullptr, watermark), Call::resume);
  if (!failed()) collector_->pass_on(op_->passed_on(watermark));
}

void Driver::idle() {
  drive(call(Call::idle), Call::resume);
  if (!failed() && op_->passes_idle()) collector_->emit_idle();
}

void Driver::tick() { drive(call(Call::tick), Call::resume); }

void Driver::input_ended(std::uint32_t port) {
  drive(call(Call::input_ended, nullptr, kWatermarkNone, port), Call::resume);
}

void Driver::finish() { drive(call(Call::finish), Call::resume); }

const Stream& Driver::out() {
  collector_->settle();
  return outcome_.out;
}

Stream Driver::take() {
  collector_->settle();
  return std::exchange(outcome_.out, {});
}

RunOutcome Driver::outcome() {
  collector_->settle();
  outcome_.late = counters_.late.read_relaxed();
  outcome_.bad.clear();
  for (std::size_t i = 0; i < kErrorCodeCount; ++i) {
    const std::uint64_t n = counters_.bad[i].read_relaxed();
    if (n > 0) outcome_.bad[std::string(error_name(static_cast<ErrorCode>(i)))] = n;
  }
  outcome_.state_bytes = counters_.state_bytes.read_relaxed();
  outcome_.state_keys = counters_.state_keys.read_relaxed();
  outcome_.state_bytes_peak = counters_.state_bytes.peak_relaxed();
  outcome_.now_ns = now_ns_;
  outcome_.log = log_->lines;
  return outcome_;
}

RunOutcome run(const BoundOperator& bound, const Stream& input, const Schema& input_schema,
               RunOptions options) {
  Driver driver(bound, options);
  for (const Event& event : input) {
    if (event.port != 0) continue;
    if (event.idle) {
      driver.idle();
    } else if (event.watermark) {
      driver.watermark(*event.watermark);
    } else {
      driver.rows(input_schema, event.rows);
    }
  }
  driver.finish();
  return driver.outcome();
}

namespace {

// What a task knows of one of its inputs.
struct Input {
  const InputStream* from = nullptr;
  std::size_t next = 0;
  EventTimeUs watermark = kWatermarkNone;
  bool idle = false;
  bool ended = false;
};

// The least watermark of the inputs that are neither ended nor idle; kWatermarkEnd if there is none.
EventTimeUs least_watermark(const std::vector<Input>& inputs) {
  EventTimeUs least = kWatermarkEnd;
  for (const Input& input : inputs) {
    if (!input.ended && !input.idle) least = std::min(least, input.watermark);
  }
  return least;
}

void take_event(Driver& driver, std::uint32_t port, Input& input) {
  if (input.next == input.from->stream.size()) {
    input.ended = true;
    driver.input_ended(port);
    return;
  }
  const Event& event = input.from->stream[input.next++];
  if (event.port != 0) return;
  input.idle = event.idle;
  if (event.watermark) {
    input.watermark = *event.watermark;
  } else if (!event.idle) {
    driver.rows(input.from->schema, event.rows, port);
  }
}

}  // namespace

RunOutcome run_inputs(const BoundOperator& bound, const std::vector<InputStream>& streams,
                      const ChoosePort& choose, RunOptions options) {
  Driver driver(bound, options);
  std::vector<Input> inputs;
  for (const InputStream& stream : streams) inputs.push_back({.from = &stream});
  const auto open = [](const Input& input) { return !input.ended; };
  EventTimeUs watermark = kWatermarkNone;
  bool idle = false;
  while (std::any_of(inputs.begin(), inputs.end(), open) && !driver.failed()) {
    std::vector<std::uint32_t> ready;
    for (std::uint32_t port = 0; port < inputs.size(); ++port) {
      if (open(inputs[port]) && driver.op().takes(port)) ready.push_back(port);
    }
    SLUICE_CHECK(!ready.empty(), "the operator takes from no port that has not ended");
    const std::uint32_t port = ready[choose(ready)];
    take_event(driver, port, inputs[port]);
    const EventTimeUs least = least_watermark(inputs);
    if (least == kWatermarkEnd) {
      if (!idle && std::any_of(inputs.begin(), inputs.end(), open)) driver.idle();
      idle = true;
    } else {
      idle = false;
      if (least > watermark) driver.watermark(watermark = least);
    }
  }
  if (!driver.failed()) driver.finish();
  return driver.outcome();
}

RunOutcome run_source(const BoundOperator& bound, RunOptions options) {
  Driver driver(bound, options);
  for (Step step = driver.poll_once(); step.next != Step::Next::kFinished; step = driver.poll_once()) {
    if (step.next == Step::Next::kWaits) driver.advance(step.until_ns - driver.now_ns());
  }
  driver.finish();
  return driver.outcome();
}

}  // namespace sluice::test
