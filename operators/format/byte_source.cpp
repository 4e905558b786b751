#include "operators/format/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "operators/format/decoders.hpp"

namespace sluice {
namespace {

using Read = ByteSource::Read;
using State = ByteSource::Read::State;

// A file descriptor. Anything but a regular file is asked with poll(2) first, so that a silent pipe blocks no
// thread.
class DescriptorBytes final : public ByteSource {
 public:
  DescriptorBytes(int fd, bool owned, bool regular, std::string shown)
      : fd_(fd), owned_(owned), regular_(regular), shown_(std::move(shown)) {}
  ~DescriptorBytes() override {
    if (owned_) ::close(fd_);
  }

  Result<Read> read(char* to, std::size_t capacity) override {
    if (!regular_ && !ready()) return Read{State::kWaits, 0};
    for (;;) {
      const ssize_t n = ::read(fd_, to, capacity);
      if (n > 0) return Read{State::kData, static_cast<std::size_t>(n)};
      if (n == 0) return Read{State::kEnd, 0};
      if (errno == EAGAIN || errno == EWOULDBLOCK) return Read{State::kWaits, 0};
      if (errno != EINTR) return error_from_errno(errno, "reading " + shown_);
    }
  }

 private:
  bool ready() const {
    pollfd p{fd_, POLLIN, 0};
    return ::poll(&p, 1, 0) > 0;  // data, the end (POLLHUP) or an error, which read() then tells
  }

  int fd_;
  bool owned_;
  bool regular_;
  std::string shown_;
};

class MemoryBytes final : public ByteSource {
 public:
  MemoryBytes(std::string bytes, std::size_t chunk) : bytes_(std::move(bytes)), chunk_(chunk) {}

  Result<Read> read(char* to, std::size_t capacity) override {
    std::size_t n = std::min(capacity, bytes_.size() - at_);
    if (chunk_ > 0) n = std::min(n, chunk_);
    if (n == 0) return Read{State::kEnd, 0};
    std::memcpy(to, bytes_.data() + at_, n);
    at_ += n;
    return Read{State::kData, n};
  }

 private:
  std::string bytes_;
  std::size_t chunk_;
  std::size_t at_ = 0;
};

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

// True once `head` cannot become `magic` any more, or is it.
bool settled(std::string_view head, std::string_view magic) {
  return head.substr(0, magic.size()) != magic.substr(0, head.size()) || head.size() >= magic.size();
}

// Reads until the first bytes tell the compression, then puts the decoder in place and gives it those bytes
// back.
class DetectingBytes final : public ByteSource {
 public:
  DetectingBytes(std::unique_ptr<ByteSource> raw, std::string shown)
      : raw_(std::move(raw)), shown_(std::move(shown)) {}

  Result<Read> read(char* to, std::size_t capacity) override {
    while (decided_ == nullptr) {
      char byte = 0;
      SLUICE_ASSIGN(const Read got, raw_->read(&byte, 1));
      if (got.state == State::kWaits) return got;
      if (got.state == State::kData) head_ += byte;
      const bool all = got.state == State::kEnd || (settled(head_, kGzipMagic) && settled(head_, kZstdMagic));
      if (all) decide();
    }
    return decided_->read(to, capacity);
  }

 private:
  void decide() {
    auto whole = std::make_unique<PrefixedBytes>(head_, std::move(raw_));
    decided_ = decompressed(std::move(whole), recognise(head_), shown_);
  }

  std::unique_ptr<ByteSource> raw_;
  std::string shown_;
  std::string head_;
  std::unique_ptr<ByteSource> decided_;
};

}  // namespace

Compression parse_compression(std::string_view name) {
  if (name == "none") return Compression::none;
  if (name == "gzip") return Compression::gzip;
  if (name == "zstd") return Compression::zstd;
  return Compression::detect;
}

Compression recognise(std::string_view head) {
  if (head.starts_with(kGzipMagic)) return Compression::gzip;
  return head.starts_with(kZstdMagic) ? Compression::zstd : Compression::none;
}

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> raw, Compression compression,
                                         std::string shown) {
  switch (compression) {
    case Compression::detect:
      return std::make_unique<DetectingBytes>(std::move(raw), std::move(shown));
    case Compression::none:
      return raw;
    case Compression::gzip:
      return gzip_bytes(std::move(raw), std::move(shown));
    case Compression::zstd:
      return zstd_bytes(std::move(raw), std::move(shown));
  }
  return raw;
}

Result<std::unique_ptr<ByteSource>> open_bytes(const std::string& path, const std::string& shown,
                                               Compression compression) {
  const bool standard_input = path == "-";
  // Without O_NONBLOCK opening a named pipe would wait for its writer.
  const int fd = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return Error(ErrorCode::file_unreadable,
                 fmt::format("{}: {}", shown, std::generic_category().message(errno)));
  }
  struct stat status {};
  const bool known = ::fstat(fd, &status) == 0;
  const bool regular = known && S_ISREG(status.st_mode);
  auto raw = std::make_unique<DescriptorBytes>(fd, !standard_input, regular,
                                               standard_input ? "standard input" : shown);
  if (known && S_ISDIR(status.st_mode)) {
    return Error(ErrorCode::file_unreadable, shown + " is a directory, not a file");
  }
  return decompressed(std::move(raw), compression, shown);
}

bool is_regular_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::unique_ptr<ByteSource> bytes_in_memory(std::string bytes, std::size_t chunk) {
  return std::make_unique<MemoryBytes>(std::move(bytes), chunk);
}

}  // namespace sluice
