#include "operators/builtin/file_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "operators/binding/ports.hpp"
#include "operators/config/bad_records.hpp"
#include "operators/format/byte_source.hpp"
#include "operators/format/followed_file.hpp"
#include "operators/format/input_paths.hpp"
#include "operators/format/record_format.hpp"
#include "operators/format/record_reader.hpp"
#include "runtime/base/units.hpp"

namespace sluice {
namespace {

// Bounds on one poll that yields few rows or none.
constexpr int kRecordsPerPoll = 4096;
constexpr std::uint32_t kDeadLettersPerPoll = 256;
constexpr TimeNs kSilentInputWait = 2 * kNsPerMs;

struct FileSourceConfig {
  std::vector<InputPath> inputs;
  std::shared_ptr<const RecordFormat> format;
  Compression compression = Compression::detect;
  std::size_t max_record = 0;
  OnError on_error = OnError::dead_letter;
  bool follow = false;  // the one input, without end
};

std::string unreadable_header(RawRecord::State state, const FileSourceConfig& config) {
  return state == RawRecord::State::kOverlong
             ? fmt::format("the header is longer than max_record, {}", format_bytes(config.max_record))
             : std::string("the header opens a quote and nothing fitting closes it");
}

// Neither blank nor a comment: what a csv file begins with.
bool says_something(std::string_view record, const Framing& framing) {
  return !record.empty() && (!framing.comment || record[0] != *framing.comment);
}

// Reads its share of the files one after the other: task i of n takes file i, i + n, … Each poll parses until
// a batch is full or the input has nothing more just now. What fails (a damaged file) fails after the records
// in front of it have gone out. A run that is drained still gets what was read: the whole records of a pipe
// that lie in the buffer, and of a followed file also what it holds at that moment, the last line without its
// end included (see FollowedFile for how much).
class FileSource final : public Source {
 public:
  explicit FileSource(const FileSourceConfig& config)
      : config_(config),
        reader_(config.format->framing(), config.max_record),
        parser_(config.format->create()),
        staging_(config.format->schema()),
        bad_(config.on_error, kErrorsPort) {}

  Result<void> open(const OperatorContext& context) override {
    bad_.open(context);
    log_ = context.log;
    if (config_.follow) followed_.emplace(config_.inputs.front(), config_.compression != Compression::none);
    row_limit_ = context.record_limit_bytes;
    next_input_ = context.task_index;
    stride_ = context.parallelism;
    return {};
  }

  Result<Step> poll(Emitter& out, TimeNs now_ns) override { return give(out, now_ns); }

  Result<Step> finish(Emitter& out, TimeNs now_ns) override {
    finishing_ = true;
    if (followed_) {
      followed_->finish();
    } else if (reading_ && read_once_) {
      reader_.stop_reading();
    } else {
      return Step::finished();
    }
    return give(out, now_ns);
  }
  Result<Step> resume(Emitter& out, TimeNs now_ns) override { return give(out, now_ns); }

  void close() override { reader_.start(nullptr); }

 private:
  Result<Step> give(Emitter& out, TimeNs now_ns) {
    staging_.clear();
    staged_bytes_ = 0;
    auto step = fill(now_ns);
    tell_news();
    bad_.flush(out);
    const bool any = staging_.rows() > 0;
    if (any) out.emit(kOutPort, staging_.view());
    if (!step.ok() && any) {  // first what is good
      failure_.emplace(std::move(step).error());
      return Step::has_more();
    }
    return step;
  }

  Result<Step> fill(TimeNs now_ns) {
    if (failure_) return *failure_;
    if (followed_ && now_ns >= watch_due_ns_) {
      followed_->watch_name(now_ns);
      watch_due_ns_ = now_ns + kFollowPollNs;
    }
    for (int records = 0; records < kRecordsPerPoll && !full() && bad_.pending() < kDeadLettersPerPoll;
         ++records) {
      if (!reading_) {
        SLUICE_ASSIGN(const bool opened, open_next());
        if (!opened)
          return finishing_ || !followed_ ? Step::finished() : Step::waits_until(now_ns + kFollowPollNs);
      }
      SLUICE_ASSIGN(const RecordReader::Next next, reader_.next());
      switch (next) {
        case RecordReader::Next::kRecord:
          SLUICE_TRY(take(reader_.record()));
          break;
        case RecordReader::Next::kWaits:
          if (finishing_) return Step::finished();
          if (!followed_) return Step::waits_until(now_ns + kSilentInputWait);
          followed_->look(now_ns);
          return Step::waits_until(now_ns + kFollowPollNs);
        case RecordReader::Next::kAgain:
          return Step::has_more();
        case RecordReader::Next::kEnd:
          reading_ = false;
          break;
      }
    }
    return Step::has_more();
  }

  // False: there is no further input, of a followed file just now.
  Result<bool> open_next() {
    if (!followed_ && (finishing_ || next_input_ >= config_.inputs.size())) return false;
    const InputPath& input = config_.inputs[next_input_];
    shown_ = input.path == "-" ? "standard input" : input.shown;
    std::unique_ptr<ByteSource> bytes;
    if (followed_) {
      SLUICE_ASSIGN(bytes, followed_->open());
      if (bytes == nullptr) return false;
    } else {
      next_input_ += stride_;
      read_once_ = !is_regular_file(input.path == "-" ? "/dev/stdin" : input.path);
      SLUICE_ASSIGN(bytes, open_bytes(input.path, shown_, config_.compression));
    }
    reader_.start(std::move(bytes), shown_);
    reading_ = true;
    header_due_ = parser_->wants_header();
    reader_.set_fields(parser_->fields());
    return true;
  }

  Result<void> take(const RawRecord& record) {
    // Not a bad record like others: the next one would be taken for the header, and lost.
    if (header_due_ && record.state != RawRecord::State::kWhole) {
      return Error(ErrorCode::malformed_record, unreadable_header(record.state, config_))
          .within(place(record));
    }
    if (record.state == RawRecord::State::kOverlong) {
      return reject(
          record, ErrorCode::record_too_large,
          fmt::format("the record is longer than max_record, {}", format_bytes(config_.max_record)));
    }
    if (record.state == RawRecord::State::kBrokenQuote) {
      return reject(record, ErrorCode::malformed_record,
                    "a quote opens a field and nothing fitting closes it; only this line is taken out");
    }
    if (header_due_) return take_header(record);
    return take_row(record);
  }

  Result<void> take_header(const RawRecord& record) {
    if (!says_something(record.text, config_.format->framing())) return {};
    header_due_ = false;
    auto read = parser_->read_header(record.text);
    if (!read.ok()) return std::move(read).error().within(place(record));
    reader_.set_fields(parser_->fields());
    return {};
  }

  Result<void> take_row(const RawRecord& record) {
    const std::uint32_t rows = staging_.rows();
    const auto outcome = parser_->parse(record.text, &staging_.column(0));
    if (outcome == RecordParser::Outcome::kRow) {
      const std::size_t bytes = staging_.bytes();
      const std::size_t row_bytes = bytes - staged_bytes_;
      if (row_limit_ == 0 || row_bytes <= row_limit_) {
        staged_bytes_ = bytes;
        return {};
      }
      staging_.truncate(rows);
      return reject(record, ErrorCode::record_too_large,
                    fmt::format("the row has {}, and an edge of this plan carries at most {}",
                                format_bytes(row_bytes), format_bytes(row_limit_)));
    }
    if (outcome == RecordParser::Outcome::kSkip) return {};
    staging_.truncate(rows);
    return reject(record, parser_->fault().code, parser_->fault().message);
  }

  // BatchStaging::full() without adding up the columns a second time.
  bool full() const { return staging_.rows() >= kTargetBatchRows || staged_bytes_ >= kTargetBatchBytes; }

  Result<void> reject(const RawRecord& record, ErrorCode code, std::string_view message) {
    return bad_.add(code, record.text, message, place(record));
  }

  void tell_news() {
    if (!followed_ || log_ == nullptr) return;
    for (const std::string& news : followed_->take_news()) log_->write(LogLevel::info, news);
  }

  std::string place(const RawRecord& record) const { return fmt::format("{}:{}", shown_, record.line); }

  const FileSourceConfig& config_;
  std::optional<FollowedFile> followed_;  // in front of the reader, which holds its inputs
  TimeNs watch_due_ns_ = 0;
  RecordReader reader_;
  std::unique_ptr<RecordParser> parser_;
  BatchStaging staging_;
  std::size_t staged_bytes_ = 0;  // staging_.bytes() as of the last good row
  BadRecords bad_;
  std::size_t row_limit_ = 0;
  std::size_t next_input_ = 0;
  std::size_t stride_ = 1;
  std::string shown_;
  bool reading_ = false;
  bool read_once_ = false;  // what was read from the input cannot be read again
  bool header_due_ = false;
  bool finishing_ = false;
  Log* log_ = nullptr;
  std::optional<Error> failure_;
};

class BoundFileSource final : public BoundOperator {
 public:
  explicit BoundFileSource(FileSourceConfig config) : config_(std::move(config)) {
    output_schemas_ = {config_.format->schema(), errors_schema()};
    traits_.max_parallelism = static_cast<std::uint32_t>(config_.inputs.size());
    traits_.max_parallelism_reason = "a file is read by one task";
    traits_.unbounded = config_.follow;
    for (const InputPath& input : config_.inputs) traits_.files.push_back({FileUse::Kind::read, input.path});
  }
  std::unique_ptr<Operator> create() const override { return std::make_unique<FileSource>(config_); }

 private:
  FileSourceConfig config_;
};

// The first records of the first input, read while the graph is checked. Only regular files: what is read
// from a pipe is gone.
Result<std::vector<std::string>> sample_records(const FileSourceConfig& config, const Framing& framing,
                                                std::size_t count) {
  const InputPath& input = config.inputs.front();
  if (config.follow && ::access(input.path.c_str(), F_OK) != 0)
    return Error(ErrorCode::file_unreadable, fmt::format("{} is not there yet", input.shown));
  if (input.path == "-")
    return Error(ErrorCode::file_unreadable, "standard input cannot be read before the graph starts");
  if (!is_regular_file(input.path)) {
    return Error(ErrorCode::file_unreadable,
                 fmt::format("{} cannot be read before the graph starts", input.shown));
  }
  SLUICE_ASSIGN(auto bytes, open_bytes(input.path, input.shown, config.compression));
  RecordReader reader(framing, config.max_record);
  reader.start(std::move(bytes), input.shown);
  std::vector<std::string> records;
  while (records.size() < count) {
    const auto next = reader.next();
    if (!next.ok() && records.empty()) return next.error();
    if (!next.ok() || *next == RecordReader::Next::kEnd) break;  // damage is told when the records come
    if (*next != RecordReader::Next::kRecord) continue;
    const RawRecord& record = reader.record();
    if (record.state == RawRecord::State::kWhole) {
      records.emplace_back(record.text);
    } else if (framing.quoted && std::none_of(records.begin(), records.end(), [&](const std::string& before) {
                 return says_something(before, framing);
               })) {
      // The record behind it must not be taken for the header.
      return Error(ErrorCode::malformed_record,
                   fmt::format("the first record of {} (line {}) cannot be read", input.shown, record.line));
    }
  }
  return records;
}

// What cannot be followed, whatever the file.
void check_follow(const Json& config, Problems& problems) {
  const std::string compression = config.value("compression", "auto");
  if (compression == "gzip" || compression == "zstd") {
    problems.push_back({"/compression", ErrorCode::bad_value,
                        fmt::format("a file that is compressed ({}) cannot be followed", compression), ""});
  }
  const Json& format = config.at("format");
  if (format == "json_array" || (format.is_object() && format.value("type", "") == "json_array")) {
    problems.push_back({"/format", ErrorCode::bad_value,
                        "a json_array is a document with an end, and a followed file has none",
                        "write one object a line, and read them as jsonl"});
  }
}

std::unique_ptr<BoundOperator> bind_file_source(const BindInput& input, Problems& problems) {
  const std::size_t before = problems.size();
  FileSourceConfig config;
  config.follow = input.config.value("follow", false);
  if (config.follow) {
    check_follow(input.config, problems);
    if (auto file = resolve_followed(input.config.at("path"), input.base_directory, problems))
      config.inputs.push_back(std::move(*file));
  } else {
    config.inputs = resolve_inputs(input.config.at("path"), input.base_directory, problems);
  }
  config.compression = parse_compression(input.config.value("compression", "auto"));
  config.max_record = *parse_size_bytes(input.config.value("max_record", "1MiB"));
  config.on_error = on_error_of(input.config);
  const bool readable = problems.size() == before;
  const SampleRecords sample = [&](const Framing& framing,
                                   std::size_t count) -> Result<std::vector<std::string>> {
    if (!readable) return Error(ErrorCode::file_unreadable, "the file cannot be read");
    return sample_records(config, framing, count);
  };
  // Without the file and without a schema a second complaint about unknown columns would only hide the first.
  if (readable || input.config.contains("schema"))
    config.format = bind_format(input.config, sample, problems);
  if (problems.size() > before) return nullptr;
  return std::make_unique<BoundFileSource>(std::move(config));
}

FieldSpec path_field() {
  FieldSpec one;
  one.name = "path";
  one.type = FieldType::string;
  one.help = "A file, a pattern such as logs/*.log, or - for standard input.";
  FieldSpec list;
  list.name = "path";
  list.type = FieldType::list;
  list.help = "Several of them, read in this order.";
  list.members = {one};
  list.min_items = 1;
  FieldSpec field;
  field.name = "path";
  field.type = FieldType::any_of;
  field.required = true;
  field.help =
      "What to read: a file, a pattern (matches in byte order), \"-\" for standard input, or a list of them; "
      "relative to the graph file.";
  field.members = {one, list};
  return field;
}

FieldSpec compression_field() {
  FieldSpec field;
  field.name = "compression";
  field.type = FieldType::string;
  field.default_text = "auto";
  field.values = {"auto", "none", "gzip", "zstd"};
  field.help =
      "How the file is compressed; auto looks at its first bytes. Several gzip members or zstd frames are "
      "one stream.";
  return field;
}

FieldSpec follow_field() {
  FieldSpec field;
  field.name = "follow";
  field.type = FieldType::boolean;
  field.default_text = "false";
  field.help =
      "Read on at the end of the file, by its name: a file that was renamed is read to its end before the "
      "one "
      "that takes its place, one that was cut short from its start, one that is not there is waited for. The "
      "last line is a record once its line end has come, or the file or the run ends.";
  return field;
}

FieldSpec max_record_field() {
  FieldSpec field;
  field.name = "max_record";
  field.type = FieldType::size;
  field.default_text = "1MiB";
  field.minimum = 16;
  field.maximum = 64.0 * 1024 * 1024;
  field.help =
      "The longest record in bytes, its line end not counted; a longer one is a bad record, and the next "
      "one is read.";
  return field;
}

}  // namespace

OperatorType file_source_type() {
  OperatorType type;
  type.type = "file_source";
  type.kind = OperatorKind::source;
  type.summary = "Reads files, or standard input, record by record.";
  type.example = R"({"path": "-", "format": "apache_combined"})";
  type.fields = {path_field(),        format_field(),     schema_field(),  follow_field(),
                 compression_field(), max_record_field(), on_error_field()};
  type.outputs = {{"out", false, "the records, as the schema says"},
                  {"errors", false, "records that could not be read: input, operator, code, message"}};
  type.bind = bind_file_source;
  return type;
}

}  // namespace sluice
