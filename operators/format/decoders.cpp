#include "operators/format/decoders.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace sluice {
namespace {

using Read = ByteSource::Read;
using State = ByteSource::Read::State;

constexpr std::size_t kCompressedBytes = 128 * 1024;

// The compressed bytes that a decoder has before it, and whether more will come.
class CompressedInput {
 public:
  explicit CompressedInput(std::unique_ptr<ByteSource> raw)
      : raw_(std::move(raw)), bytes_(kCompressedBytes) {}

  const char* data() const { return bytes_.data() + begin_; }
  std::size_t size() const { return end_ - begin_; }
  bool ended() const { return ended_; }
  std::uint64_t position() const { return position_; }  // compressed bytes consumed
  void consume(std::size_t n) {
    begin_ += n;
    position_ += n;
  }
  // Reads more if nothing is left. False: it has to wait.
  Result<bool> fill() {
    if (size() > 0 || ended_) return true;
    SLUICE_ASSIGN(const Read got, raw_->read(bytes_.data(), bytes_.size()));
    begin_ = 0;
    end_ = got.state == State::kData ? got.bytes : 0;
    ended_ = got.state == State::kEnd;
    return got.state != State::kWaits;
  }

 private:
  std::unique_ptr<ByteSource> raw_;
  std::vector<char> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t position_ = 0;
  bool ended_ = false;
};

Error damaged(const std::string& shown, std::uint64_t position, std::string_view what) {
  return Error(ErrorCode::corrupt_input,
               fmt::format("{}: {} at compressed byte {}; what lies in front of it has been read", shown,
                           what, position));
}

class GzipBytes final : public ByteSource {
 public:
  GzipBytes(std::unique_ptr<ByteSource> raw, std::string shown)
      : input_(std::move(raw)), shown_(std::move(shown)) {
    constexpr int kGzipOnly = 16;
    SLUICE_CHECK_EQ(inflateInit2(&stream_, MAX_WBITS + kGzipOnly), Z_OK);
  }
  ~GzipBytes() override { inflateEnd(&stream_); }

  Result<Read> read(char* to, std::size_t capacity) override {
    for (;;) {
      if (!failure_.empty()) return damaged(shown_, input_.position(), failure_);
      SLUICE_ASSIGN(const bool ready, input_.fill());
      if (!ready) return Read{State::kWaits, 0};
      if (place_ != Place::kInside) {
        SLUICE_ASSIGN(const bool more, between_members());
        if (!more) return Read{State::kEnd, 0};
        if (place_ != Place::kInside) continue;
      }
      SLUICE_ASSIGN(const std::size_t bytes, inflate_some(to, capacity));
      if (bytes > 0) return Read{State::kData, bytes};
    }
  }

 private:
  // Before the first member → inside one → behind one → inside the next, or in the padding until the end.
  enum class Place : std::uint8_t { kBefore, kInside, kBehind, kPadding };

  // False: the stream is complete.
  Result<bool> between_members() {
    if (input_.size() == 0) {
      if (place_ == Place::kBefore) return damaged(shown_, 0, "an empty file is no gzip stream: it ends");
      return false;
    }
    if (place_ != Place::kBefore) {
      std::size_t zeros = 0;
      while (zeros < input_.size() && input_.data()[zeros] == '\0') ++zeros;
      if (zeros > 0) place_ = Place::kPadding;
      input_.consume(zeros);
      if (input_.size() == 0) return true;
      const bool member = place_ == Place::kBehind && input_.data()[0] == '\x1f';
      if (!member)
        return damaged(shown_, input_.position(), "something that is not gzip follows the gzip stream");
      inflateReset(&stream_);
    }
    place_ = Place::kInside;
    return true;
  }

  Result<std::size_t> inflate_some(char* to, std::size_t capacity) {
    if (input_.size() == 0) return damaged(shown_, input_.position(), "the gzip stream is cut off");
    const auto room = static_cast<uInt>(std::min<std::size_t>(capacity, std::numeric_limits<uInt>::max()));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data()));
    stream_.avail_in = static_cast<uInt>(input_.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    input_.consume(input_.size() - stream_.avail_in);
    const std::size_t bytes = room - stream_.avail_out;
    if (status == Z_STREAM_END) {
      place_ = Place::kBehind;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      failure_ = fmt::format("the gzip stream is damaged ({})",
                             stream_.msg != nullptr ? stream_.msg : "unknown error");
    }
    return bytes;  // good bytes go first, the failure comes with the next call
  }

  CompressedInput input_;
  std::string shown_;
  z_stream stream_{};
  Place place_ = Place::kBefore;
  std::string failure_;
};

class ZstdBytes final : public ByteSource {
 public:
  ZstdBytes(std::unique_ptr<ByteSource> raw, std::string shown)
      : input_(std::move(raw)), shown_(std::move(shown)), stream_(ZSTD_createDStream()) {
    SLUICE_CHECK(stream_ != nullptr);
  }
  ~ZstdBytes() override { ZSTD_freeDStream(stream_); }

  Result<Read> read(char* to, std::size_t capacity) override {
    for (;;) {
      if (failed_ != 0) {
        return damaged(shown_, input_.position(),
                       fmt::format("the zstd stream is damaged ({})", ZSTD_getErrorName(failed_)));
      }
      if (!more_output_) {
        SLUICE_ASSIGN(const bool ready, input_.fill());
        if (!ready) return Read{State::kWaits, 0};
        if (input_.size() == 0) {
          if (!frame_complete_) return damaged(shown_, input_.position(), "the zstd stream is cut off");
          return Read{State::kEnd, 0};
        }
      }
      const std::size_t bytes = decompress_some(to, capacity);
      if (bytes > 0) return Read{State::kData, bytes};
    }
  }

 private:
  std::size_t decompress_some(char* to, std::size_t capacity) {
    ZSTD_inBuffer in{input_.data(), input_.size(), 0};
    ZSTD_outBuffer out{to, capacity, 0};
    const std::size_t status = ZSTD_decompressStream(stream_, &out, &in);
    input_.consume(in.pos);
    if (ZSTD_isError(status) != 0) {
      failed_ = status;
    } else {
      frame_complete_ = status == 0;
      more_output_ = status != 0 && out.pos == out.size;
    }
    return out.pos;
  }

  CompressedInput input_;
  std::string shown_;
  ZSTD_DStream* stream_;
  bool frame_complete_ = false;  // false at first: an empty file is no zstd stream
  bool more_output_ = false;     // the decoder holds bytes that had no room
  std::size_t failed_ = 0;
};

}  // namespace

PrefixedBytes::PrefixedBytes(std::string prefix, std::unique_ptr<ByteSource> rest)
    : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

Result<Read> PrefixedBytes::read(char* to, std::size_t capacity) {
  const std::size_t left = std::min(capacity, prefix_.size() - at_);
  if (left == 0) return rest_->read(to, capacity);
  std::memcpy(to, prefix_.data() + at_, left);
  at_ += left;
  return Read{State::kData, left};
}

std::unique_ptr<ByteSource> gzip_bytes(std::unique_ptr<ByteSource> raw, std::string shown) {
  return std::make_unique<GzipBytes>(std::move(raw), std::move(shown));
}

std::unique_ptr<ByteSource> zstd_bytes(std::unique_ptr<ByteSource> raw, std::string shown) {
  return std::make_unique<ZstdBytes>(std::move(raw), std::move(shown));
}

}  // namespace sluice
