#include "tests/fuzz/format_property.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "operators/format/record_format.hpp"
#include "operators/format/record_reader.hpp"
#include "tests/fuzz/value_text.hpp"

namespace sluice::fuzz {
namespace {

using FormatPtr = std::shared_ptr<const RecordFormat>;

constexpr std::array<std::size_t, 8> kMaxRecords = {16, 17, 24, 32, 64, 100, 200, 4096};
constexpr std::size_t kReadingsKept = 64;

// The text in pieces of the sizes given, again and again; 0 is an input that has nothing just now.
class Pieces final : public ByteSource {
 public:
  Pieces(std::string_view text, std::vector<std::size_t> sizes) : rest_(text), sizes_(std::move(sizes)) {}

  Result<Read> read(char* to, std::size_t capacity) override {
    if (rest_.empty()) return Read{Read::State::kEnd, 0};
    const std::size_t size = std::min({sizes_[next_++ % sizes_.size()], capacity, rest_.size()});
    if (size == 0) return Read{Read::State::kWaits, 0};
    std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
    return Read{Read::State::kData, size};
  }

 private:
  std::string_view rest_;
  std::vector<std::size_t> sizes_;
  std::size_t next_ = 0;
};

// What one parser makes of a record that ends in front of `behind`.
struct Outcome {
  RecordParser::Outcome kind = RecordParser::Outcome::kSkip;
  std::string text;  // the row's values, or the fault

  bool operator==(const Outcome&) const = default;
};

class Reading {
 public:
  Reading(FormatPtr format, std::size_t max_record)
      : format_(std::move(format)),
        max_record_(max_record),
        reader_(format_->framing(), max_record),
        staging_(format_->schema()) {}

  // Everything that a reader says about the text, a line each.
  std::vector<std::string> run(std::string_view text, std::vector<std::size_t> sizes) {
    parser_ = format_->create();
    reader_.start(std::make_unique<Pieces>(text, std::move(sizes)), "input");
    reader_.set_fields(parser_->fields());
    header_due_ = parser_->wants_header();
    std::vector<std::string> said;
    // Each call gives a record, takes bytes or has nothing: no more of them than that.
    for (std::size_t calls = 0;; ++calls) {
      require(calls <= 64 * text.size() + 64, "the reader never ends");
      const auto next = reader_.next();
      if (!next.ok()) {
        said.push_back("error: " + next.error().message());
        return said;
      }
      if (*next == RecordReader::Next::kEnd) return said;
      if (*next != RecordReader::Next::kRecord) continue;
      const RawRecord& record = reader_.record();
      const bool whole = record.state == RawRecord::State::kWhole;
      require(record.text.size() <= max_record_, "a record is longer than its limit");
      said.push_back(fmt::format("{}:{}:{}", record.line, static_cast<int>(record.state), record.text));
      if (!whole && header_due_) return said;
      if (!whole) continue;
      if (!take(record.text, said)) return said;
      reader_.set_fields(parser_->fields());
    }
  }

 private:
  // False: a header ended the reading.
  bool take(std::string_view record, std::vector<std::string>& said) {
    const auto& comment = format_->framing().comment;
    if (header_due_ && !record.empty() && !(comment && record[0] == *comment)) {
      header_due_ = false;
      const auto read = parser_->read_header(record);
      if (read.ok()) return true;
      said.push_back("header: " + read.error().message());
      return false;
    }
    const Outcome zeros = parse(record, std::string(kRecordPadding, '\0'));
    std::string noise;
    while (noise.size() < kRecordPadding) noise += "\"}],1\n:";
    require(parse(record, noise) == zeros, "the bytes behind a record change what is read");
    said.push_back(fmt::format("{}:{}", static_cast<int>(zeros.kind), zeros.text));
    return true;
  }

  Outcome parse(std::string_view record, std::string_view behind) {
    // Exactly so long, so that a read beyond the padding is found.
    const std::size_t size = record.size() + kRecordPadding;
    const auto bytes = std::make_unique<char[]>(size);
    if (!record.empty()) std::memcpy(bytes.get(), record.data(), record.size());
    std::memcpy(bytes.get() + record.size(), behind.data(), kRecordPadding);
    staging_.clear();
    Outcome outcome;
    outcome.kind = parser_->parse({bytes.get(), record.size()}, &staging_.column(0));
    if (outcome.kind == RecordParser::Outcome::kBad) {
      outcome.text = fmt::format("{} {}", error_name(parser_->fault().code), parser_->fault().message);
      require(!parser_->fault().message.empty(), "a fault without a sentence");
      staging_.truncate(0);
    }
    const std::uint32_t rows = outcome.kind == RecordParser::Outcome::kRow ? 1 : 0;
    for (std::size_t c = 0; c < format_->schema().size(); ++c)
      require(staging_.column(c).rows() == rows, "a column has more or fewer values than the row");
    const Batch batch = staging_.view();
    for (std::size_t c = 0; rows > 0 && c < batch.columns.size(); ++c)
      outcome.text += value_text(batch.column(c), 0) + " ";
    return outcome;
  }

  FormatPtr format_;
  std::size_t max_record_;
  RecordReader reader_;  // used again and again, as file_source does from file to file
  std::unique_ptr<RecordParser> parser_;
  BatchStaging staging_;
  bool header_due_ = false;
};

// The first records of the text, as file_source gives them while a graph is checked.
SampleRecords sample_of(std::string_view text, std::size_t max_record) {
  return [text, max_record](const Framing& framing, std::size_t count) -> Result<std::vector<std::string>> {
    RecordReader reader(framing, max_record);
    reader.start(std::make_unique<Pieces>(text, std::vector<std::size_t>{4096}), "input");
    std::vector<std::string> records;
    while (records.size() < count) {
      const auto next = reader.next();
      if (!next.ok() || *next == RecordReader::Next::kEnd) break;
      if (*next == RecordReader::Next::kRecord && reader.record().state == RawRecord::State::kWhole)
        records.emplace_back(reader.record().text);
    }
    return records;
  };
}

FormatPtr bind_config(const std::string& text, const SampleRecords& sample) {
  const Json config = Json::parse(text);
  Problems problems;
  check_fields({format_field(), schema_field()}, config, "", problems);
  require(problems.empty(), "the fuzzer's own config is wrong: " + text);
  auto format = bind_format(config, sample, problems);
  require((format == nullptr) == !problems.empty(), "a format without problems, or problems without refusal");
  return format;
}

FormatPtr bind_without_file(const std::string& config) {
  auto format = bind_config(config, [](const Framing&, std::size_t) -> Result<std::vector<std::string>> {
    return Error(ErrorCode::file_unreadable, "there is no file");
  });
  require(format != nullptr, "the fuzzer's own config is refused: " + config);
  return format;
}

// Kept from input to input: a reader's buffer is large, and a format takes a while to bind.
Reading& kept_reading(const std::string& config, std::size_t max_record) {
  static std::map<std::pair<std::string, std::size_t>, std::unique_ptr<Reading>> kept;
  if (kept.size() > kReadingsKept) kept.clear();
  auto& reading = kept[{config, max_record}];
  if (reading == nullptr) reading = std::make_unique<Reading>(bind_without_file(config), max_record);
  return *reading;
}

void compare(Reading& reading, std::string_view text, const std::vector<std::size_t>& sizes) {
  const auto at_once = reading.run(text, {1 << 20});
  const auto in_pieces = reading.run(text, sizes);
  for (std::size_t i = 0; i < std::max(at_once.size(), in_pieces.size()); ++i) {
    const std::string a = i < at_once.size() ? at_once[i] : "nothing";
    const std::string b = i < in_pieces.size() ? in_pieces[i] : "nothing";
    require(a == b, fmt::format("read at once: {}\nin pieces: {}", a, b));
  }
}

}  // namespace

void check_format(const std::vector<std::string>& configs, FuzzInput input) {
  const std::string& config = configs[input.choice(configs.size())];
  const std::size_t max_record = kMaxRecords[input.choice(kMaxRecords.size())];
  std::vector<std::size_t> sizes(4);
  for (std::size_t& size : sizes) size = input.choice(24);
  sizes[0] += 1;  // or nothing would ever come
  const std::string_view text = input.rest();
  if (config.find("\"schema\"") != std::string::npos) {
    compare(kept_reading(config, max_record), text, sizes);
  } else if (const FormatPtr format = bind_config(config, sample_of(text, max_record))) {
    Reading reading(format, max_record);
    compare(reading, text, sizes);
  }
}

}  // namespace sluice::fuzz
