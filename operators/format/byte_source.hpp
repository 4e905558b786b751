#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace sluice {

enum class Compression : std::uint8_t { detect, none, gzip, zstd };

// "auto" "none" "gzip" "zstd" → the enum (names are checked by the field table before).
Compression parse_compression(std::string_view name);

// Bytes in the order of the input, decompressed. One owner, one thread. read() never blocks on a pipe or
// terminal that has nothing just now (it says `waits`); a regular file counts as always ready. After an error
// or the end it is not read again.
class ByteSource {
 public:
  struct Read {
    enum class State : std::uint8_t {
      kData,   // `bytes` ≥ 1 were written
      kWaits,  // nothing just now: ask again in a few milliseconds
      kEnd,    // the input is complete
    };
    State state = State::kEnd;
    std::size_t bytes = 0;
  };

  virtual ~ByteSource() = default;
  // Writes at most `capacity` ≥ 1 bytes to `to`. Good bytes that lie in front of a damaged place are given
  // before the error.
  virtual Result<Read> read(char* to, std::size_t capacity) = 0;
};

// Opens `path` ("-" is standard input, which is not closed). With `detect` the magic bytes decide about gzip
// and zstd. Errors name `shown`, the path as the user wrote it.
Result<std::unique_ptr<ByteSource>> open_bytes(const std::string& path, const std::string& shown,
                                               Compression compression);

// What the first bytes of a file say: gzip, zstd or none.
Compression recognise(std::string_view head);

// True if the path leads to a regular file: one that can be read twice.
bool is_regular_file(const std::string& path);

// Bytes that lie in memory, handed out `chunk` at a time (0: all at once): for records inside a column, and
// for trials.
std::unique_ptr<ByteSource> bytes_in_memory(std::string bytes, std::size_t chunk = 0);

// Wraps any source of raw bytes: what open_bytes does after opening.
std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> raw, Compression compression,
                                         std::string shown);

}  // namespace sluice
