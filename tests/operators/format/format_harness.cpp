#include "tests/operators/format/format_harness.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

class Pieces final : public ByteSource {
 public:
  Pieces(std::string bytes, std::function<std::size_t()> next_size, bool fails)
      : bytes_(std::move(bytes)), next_size_(std::move(next_size)), fails_(fails) {}

  Result<Read> read(char* to, std::size_t capacity) override {
    if (at_ == bytes_.size()) {
      if (fails_) return Error(ErrorCode::io_error, "the input failed");
      return Read{Read::State::kEnd, 0};
    }
    const std::size_t size = std::min({next_size_(), capacity, bytes_.size() - at_});
    if (size == 0) return Read{Read::State::kWaits, 0};
    std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
    return Read{Read::State::kData, size};
  }

 private:
  std::string bytes_;
  std::function<std::size_t()> next_size_;
  bool fails_;
  std::size_t at_ = 0;
};

SampleRecords sample_of(const std::string& text) {
  return [text](const Framing& framing, std::size_t count) -> Result<std::vector<std::string>> {
    RecordReader reader(framing, 1 << 20);
    reader.start(bytes_in_memory(text));
    std::vector<std::string> records;
    while (records.size() < count) {
      const auto next = reader.next();
      if (!next.ok() || *next != RecordReader::Next::kRecord) break;
      if (reader.record().state == RawRecord::State::kWhole) records.emplace_back(reader.record().text);
    }
    return records;
  };
}

}  // namespace

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string TempFolder::file(std::string_view name, std::string_view bytes) const {
  std::ofstream(path(name), std::ios::binary) << bytes;
  return path(name);
}

std::string TempFolder::read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::unique_ptr<ByteSource> pieces(std::string bytes, std::function<std::size_t()> next_size, bool fails) {
  return std::make_unique<Pieces>(std::move(bytes), std::move(next_size), fails);
}

Drained drain(ByteSource& source, std::size_t capacity) {
  Drained all;
  std::string piece(capacity, '\0');
  for (;;) {
    auto got = source.read(piece.data(), piece.size());
    if (!got.ok()) {
      all.error = got.error().message();
      all.code = got.error().code();
      return all;
    }
    if (got->state == ByteSource::Read::State::kEnd) return all;
    if (got->state == ByteSource::Read::State::kData) all.bytes.append(piece, 0, got->bytes);
  }
}

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

std::vector<std::string> records_of(std::unique_ptr<ByteSource> input, Framing framing,
                                    std::size_t max_record) {
  RecordReader reader(std::move(framing), max_record);
  reader.start(std::move(input), "doc");
  std::vector<std::string> records;
  for (;;) {
    const auto next = reader.next();
    if (!next.ok()) {
      records.push_back("error: " + next.error().message());
      return records;
    }
    if (*next == RecordReader::Next::kEnd) return records;
    if (*next != RecordReader::Next::kRecord) continue;
    const RawRecord& record = reader.record();
    const char* state = record.state == RawRecord::State::kOverlong      ? "overlong:"
                        : record.state == RawRecord::State::kBrokenQuote ? "broken:"
                                                                         : "";
    records.push_back(fmt::format("{}:{}{}", record.line, state, record.text));
  }
}

std::shared_ptr<const RecordFormat> bind_to(const Json& config, const std::string& sample,
                                            Problems& problems) {
  check_fields({format_field(), schema_field()}, config, "", problems);
  if (!problems.empty()) return nullptr;
  return bind_format(config, sample_of(sample), problems);
}

Parsed parse_text(const Json& config, std::unique_ptr<ByteSource> input, std::size_t max_record) {
  // The sample is only asked for if the schema is left out; then the text is needed twice.
  std::string text;
  if (!config.contains("schema")) {
    text = drain(*input).bytes;
    input = bytes_in_memory(text);
  }
  Problems problems;
  const auto format = bind_to(config, text, problems);
  if (format == nullptr)
    throw std::runtime_error("refused: " + problems.at(0).pointer + " " + problems.at(0).message);
  const auto parser = format->create();
  RecordReader reader(format->framing(), max_record);
  reader.start(std::move(input), "doc");
  reader.set_fields(parser->fields());
  BatchStaging staging(format->schema());
  Parsed parsed;
  bool header_due = parser->wants_header();
  for (;;) {
    const auto next = reader.next();
    if (!next.ok()) {
      parsed.error = next.error().message();
      return parsed;
    }
    if (*next == RecordReader::Next::kEnd) return parsed;
    if (*next != RecordReader::Next::kRecord) continue;
    const RawRecord& record = reader.record();
    if (record.state != RawRecord::State::kWhole) {
      const bool overlong = record.state == RawRecord::State::kOverlong;
      parsed.faults.push_back(
          fmt::format("line {} [{}]", record.line, overlong ? "record_too_large" : "broken quote"));
      continue;
    }
    const bool comment = format->framing().comment && record.text.starts_with(*format->framing().comment);
    if (header_due && !record.text.empty() && !comment) {
      header_due = false;
      const auto read = parser->read_header(record.text);
      if (!read.ok()) {
        parsed.header_error = read.error().message();
        return parsed;
      }
      reader.set_fields(parser->fields());
      continue;
    }
    staging.clear();
    const auto outcome = parser->parse(record.text, &staging.column(0));
    if (outcome == RecordParser::Outcome::kRow) {
      for (std::size_t c = 0; c < format->schema().size(); ++c) SLUICE_CHECK_EQ(staging.column(c).rows(), 1u);
      parsed.rows.push_back(row_text(read_row(staging.view(), 0)));
    } else if (outcome == RecordParser::Outcome::kBad) {
      parsed.faults.push_back(fmt::format("line {} [{}] {}", record.line, error_name(parser->fault().code),
                                          parser->fault().message));
    }
  }
}

Parsed parse_text(const Json& config, std::string text) {
  return parse_text(config, bytes_in_memory(std::move(text)));
}

std::vector<std::string> format_problems(const Json& config, const std::string& sample) {
  Problems problems;
  (void)bind_to(config, sample, problems);
  std::vector<std::string> texts;
  for (const Problem& p : problems) texts.push_back(fmt::format("{} [{}]", p.pointer, error_name(p.code)));
  return texts;
}

}  // namespace sluice::test
