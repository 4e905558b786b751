#include "operators/builtin/file_sink.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "operators/format/input_paths.hpp"
#include "operators/format/output_file.hpp"
#include "operators/format/record_writer.hpp"

namespace sluice {
namespace {

constexpr std::size_t kBufferBytes = 128 * 1024;

struct FileSinkConfig {
  std::string path;
  OutputFormat format = OutputFormat::csv;
  bool append = false;
  Schema schema;
};

// Writes rows through a buffer; whole batches go to the file, so that it always ends with a complete row. See
// OutputFile for what becomes visible when.
class FileSink final : public Operator {
 public:
  explicit FileSink(const FileSinkConfig& config)
      : config_(config), writer_(make_writer(config.format, config.schema)) {}

  Result<void> open(const OperatorContext& context) override {
    counters_ = context.counters;
    SLUICE_ASSIGN(file_, OutputFile::open(config_.path, config_.append));
    if (file_->empty()) writer_->begin(buffer_);
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter&, TimeNs) override {
    writer_->write(batch, buffer_);
    if (buffer_.size() >= kBufferBytes) SLUICE_TRY(flush());
    count_not_representable();
    return Step::needs_input();
  }

  Result<Step> finish(Emitter&, TimeNs) override {
    writer_->end(buffer_);
    SLUICE_TRY(flush());
    SLUICE_TRY(file_->publish());
    file_.reset();
    return Step::finished();
  }

  void close() override { file_.reset(); }

 private:
  Result<void> flush() {
    SLUICE_TRY(file_->write(buffer_));
    buffer_.clear();
    return {};
  }

  void count_not_representable() {
    const std::uint64_t now = writer_->not_representable();
    if (now == counted_) return;
    counters_->bad[static_cast<std::size_t>(ErrorCode::not_representable)].add(now - counted_);
    counted_ = now;
  }

  const FileSinkConfig& config_;
  std::unique_ptr<RecordWriter> writer_;
  std::unique_ptr<OutputFile> file_;
  std::string buffer_;
  OperatorCounters* counters_ = nullptr;
  std::uint64_t counted_ = 0;
};

class BoundFileSink final : public BoundOperator {
 public:
  explicit BoundFileSink(FileSinkConfig config) : config_(std::move(config)) {
    traits_.max_parallelism = 1;
    traits_.max_parallelism_reason = "one file is written by one task";
    traits_.files = {{config_.append ? FileUse::Kind::append : FileUse::Kind::replace, config_.path}};
  }
  std::unique_ptr<Operator> create() const override { return std::make_unique<FileSink>(config_); }

 private:
  FileSinkConfig config_;
};

std::unique_ptr<BoundOperator> bind_file_sink(const BindInput& input, Problems& problems) {
  const std::size_t before = problems.size();
  const std::string written = input.config.at("path").get<std::string>();
  FileSinkConfig config;
  config.path = path_from(input.base_directory, written);
  config.format = *parse_output_format(input.config.value("format", "csv"));
  config.append = input.config.value("append", false);
  config.schema = input.inputs[0];
  if (written.empty()) {
    problems.push_back({"/path", ErrorCode::bad_value, "the path is empty", ""});
  } else if (const std::string reason = unwritable_reason(config.path); !reason.empty()) {
    problems.push_back({"/path", ErrorCode::file_unwritable,
                        fmt::format("{} cannot be written: {}", written, reason),
                        "name a file in a folder that exists and may be written to"});
  }
  if (config.format == OutputFormat::lines) {
    if (std::string fault = lines_fault(config.schema); !fault.empty()) {
      problems.push_back({"/format", ErrorCode::type_mismatch, std::move(fault),
                          "put a map with one string column in front"});
    }
  }
  if (problems.size() > before) return nullptr;
  return std::make_unique<BoundFileSink>(std::move(config));
}

}  // namespace

OperatorType file_sink_type() {
  FieldSpec path;
  path.name = "path";
  path.type = FieldType::string;
  path.required = true;
  path.help =
      "The file to write, relative to the graph file; it is written as <path>.partial and renamed when "
      "complete.";
  FieldSpec format;
  format.name = "format";
  format.type = FieldType::string;
  format.default_text = "csv";
  format.values = {"csv", "jsonl", "lines"};
  format.help = "csv (with a header), jsonl (one object a line) or lines (one string column as it is).";
  FieldSpec append;
  append.name = "append";
  append.type = FieldType::boolean;
  append.default_text = "false";
  append.help = "true: rows go straight behind what the file holds (a csv header only into an empty one).";

  OperatorType type;
  type.type = "file_sink";
  type.kind = OperatorKind::sink;
  type.summary = "Writes rows to a file, which appears under its name once it is complete.";
  type.example = R"({"path": "out.csv", "format": "csv"})";
  type.fields = {path, format, append};
  type.inputs = {{"in", true, "the rows to write"}};
  type.bind = bind_file_sink;
  return type;
}

}  // namespace sluice
