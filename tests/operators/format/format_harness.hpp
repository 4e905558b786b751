#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "operators/format/byte_source.hpp"
#include "operators/format/record_format.hpp"
#include "operators/format/record_reader.hpp"

namespace sluice::test {

// A folder of its own that is gone when the test is over.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path(std::string_view name) const { return (folder_ / name).string(); }
  // Writes a file and gives its path.
  std::string file(std::string_view name, std::string_view bytes) const;
  static std::string read(const std::string& path);
  static bool exists(const std::string& path) { return std::filesystem::exists(path); }

 private:
  std::filesystem::path folder_;
};

// Bytes in pieces whose sizes `next_size` says; a piece of 0 is an input that has nothing just now. Fails
// behind the last byte if told to.
std::unique_ptr<ByteSource> pieces(std::string bytes, std::function<std::size_t()> next_size,
                                   bool fails = false);

// Everything that a source gives, and how it ended: "" or the error's message.
struct Drained {
  std::string bytes;
  std::string error;
  ErrorCode code = ErrorCode::internal;
};
Drained drain(ByteSource& source, std::size_t capacity = 4096);

std::string gzip(std::string_view bytes);
std::string zstd(std::string_view bytes);

// Records as "line:text", over-long ones as "line:overlong:start", broken quotes as "line:broken:text".
std::vector<std::string> records_of(std::unique_ptr<ByteSource> input, Framing framing = {},
                                    std::size_t max_record = 1 << 20);

// What a format makes of some text: each record's row as text ("1 null 'a'") or its fault ("line 3
// [bad_field] message").
struct Parsed {
  std::vector<std::string> rows;
  std::vector<std::string> faults;
  std::string header_error;
  std::string error;  // of the input as a whole
};
Parsed parse_text(const Json& config, std::unique_ptr<ByteSource> input, std::size_t max_record = 1 << 20);
Parsed parse_text(const Json& config, std::string text);

// The problems of a config's format and schema as "pointer [code]"; `sample` is the input's text.
std::vector<std::string> format_problems(const Json& config, const std::string& sample);
std::shared_ptr<const RecordFormat> bind_to(const Json& config, const std::string& sample,
                                            Problems& problems);

}  // namespace sluice::test
