#include "operators/builtin/stdout_sink.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "operators/format/output_file.hpp"
#include "operators/format/record_writer.hpp"

namespace sluice {
namespace {

constexpr TimeNs kReaderWait = kNsPerMs;

struct StdoutSinkConfig {
  OutputFormat format = OutputFormat::csv;
  Schema schema;
};

// Writes each batch as it comes. While the reader of a pipe takes nothing the sink waits and holds one batch,
// which is the back-pressure; a reader that has gone away ends the job.
class StdoutSink final : public Operator {
 public:
  explicit StdoutSink(const StdoutSinkConfig& config)
      : writer_(make_writer(config.format, config.schema)), output_(STDOUT_FILENO, "standard output") {}

  Result<void> open(const OperatorContext& context) override {
    counters_ = context.counters;
    writer_->begin(output_.pending());
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter&, TimeNs now_ns) override {
    writer_->write(batch, output_.pending());
    count_not_representable();
    return drain(now_ns, Step::needs_input());
  }

  Result<Step> resume(Emitter&, TimeNs now_ns) override {
    return drain(now_ns, finishing_ ? Step::finished() : Step::needs_input());
  }

  Result<Step> finish(Emitter&, TimeNs now_ns) override {
    finishing_ = true;
    writer_->end(output_.pending());
    return drain(now_ns, Step::finished());
  }

 private:
  Result<Step> drain(TimeNs now_ns, Step then) {
    SLUICE_ASSIGN(const bool done, output_.drain());
    return done ? then : Step::waits_until(now_ns + kReaderWait);
  }

  void count_not_representable() {
    const std::uint64_t now = writer_->not_representable();
    if (now == counted_) return;
    counters_->bad[static_cast<std::size_t>(ErrorCode::not_representable)].add(now - counted_);
    counted_ = now;
  }

  std::unique_ptr<RecordWriter> writer_;
  DescriptorOutput output_;
  OperatorCounters* counters_ = nullptr;
  std::uint64_t counted_ = 0;
  bool finishing_ = false;
};

class BoundStdoutSink final : public BoundOperator {
 public:
  explicit BoundStdoutSink(StdoutSinkConfig config) : config_(std::move(config)) {
    traits_.max_parallelism = 1;
    traits_.max_parallelism_reason = "standard output is written by one task";
    traits_.files = {{FileUse::Kind::append, "-"}};
  }
  std::unique_ptr<Operator> create() const override { return std::make_unique<StdoutSink>(config_); }

 private:
  StdoutSinkConfig config_;
};

std::unique_ptr<BoundOperator> bind_stdout_sink(const BindInput& input, Problems& problems) {
  StdoutSinkConfig config;
  config.format = *parse_output_format(input.config.value("format", "csv"));
  config.schema = input.inputs[0];
  if (config.format == OutputFormat::lines) {
    if (std::string fault = lines_fault(config.schema); !fault.empty()) {
      problems.push_back({"/format", ErrorCode::type_mismatch, std::move(fault),
                          "put a map with one string column in front"});
      return nullptr;
    }
  }
  return std::make_unique<BoundStdoutSink>(std::move(config));
}

}  // namespace

OperatorType stdout_sink_type() {
  FieldSpec format;
  format.name = "format";
  format.type = FieldType::string;
  format.default_text = "csv";
  format.values = {"csv", "jsonl", "lines", "table"};
  format.help =
      "csv (with a header), jsonl, lines (one string column as it is) or table (aligned columns, for "
      "people).";

  OperatorType type;
  type.type = "stdout_sink";
  type.kind = OperatorKind::sink;
  type.summary = "Writes rows to standard output.";
  type.example = R"({"format": "table"})";
  type.fields = {format};
  type.inputs = {{"in", true, "the rows to write"}};
  type.bind = bind_stdout_sink;
  return type;
}

}  // namespace sluice
