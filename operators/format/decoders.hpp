#pragma once

#include <memory>
#include <string>

#include "operators/format/byte_source.hpp"

namespace sluice {

// A few bytes in front of a source: what had to be read to learn the compression.
class PrefixedBytes final : public ByteSource {
 public:
  PrefixedBytes(std::string prefix, std::unique_ptr<ByteSource> rest);
  Result<Read> read(char* to, std::size_t capacity) override;

 private:
  std::string prefix_;
  std::size_t at_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

// gzip (RFC 1952): any number of members are one stream, zeros behind the last one (tape padding) are
// ignored. A truncated or damaged stream, and anything else behind a member, is corrupt_input after the good
// bytes.
std::unique_ptr<ByteSource> gzip_bytes(std::unique_ptr<ByteSource> raw, std::string shown);

// zstd (RFC 8878): any number of frames, skippable ones among them, are one stream. Errors as for gzip. A
// frame that asks for a window of more than 128 MiB is refused.
std::unique_ptr<ByteSource> zstd_bytes(std::unique_ptr<ByteSource> raw, std::string shown);

}  // namespace sluice
