#include "operators/format/followed_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace sluice {
namespace {

// Enough for the time stamp that a log's first line starts with.
constexpr std::size_t kHeadBytes = 256;

std::string errno_text(int error) { return std::generic_category().message(error); }

// Errors of open(2) that another look may find gone: the file is being made, or its rights being set.
bool may_pass(int error) {
  return error == ENOENT || error == EACCES || error == EPERM || error == ENOTDIR || error == ELOOP;
}

}  // namespace

class FollowedFile::Bytes final : public ByteSource {
 public:
  explicit Bytes(FollowedFile& file) : file_(file) {}
  Result<Read> read(char* to, std::size_t capacity) override { return file_.read(to, capacity); }

 private:
  FollowedFile& file_;
};

FollowedFile::FollowedFile(InputPath file, bool refuse_compressed)
    : file_(std::move(file)), refuse_compressed_(refuse_compressed) {}

FollowedFile::~FollowedFile() {
  close_file();
  forget_successors();
}

void FollowedFile::close_file() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void FollowedFile::forget_successors() {
  for (const Successor& successor : successors_) ::close(successor.fd);
  successors_.clear();
}

Result<std::unique_ptr<ByteSource>> FollowedFile::open() {
  if (!successors_.empty()) {
    const Successor next = successors_.front();
    successors_.pop_front();
    tell_once(fmt::format("{} was replaced by another file; reading from its start", file_.shown));
    begin_file(next.fd, next.identity);
    return begin_input();
  }
  const int fd = ::open(file_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    const int error = errno;
    if (!may_pass(error))
      return Error(ErrorCode::file_unreadable, fmt::format("{}: {}", file_.shown, errno_text(error)));
    if (!finishing_)
      tell_once(fmt::format("{} cannot be read yet ({}); waiting", file_.shown, errno_text(error)));
    return std::unique_ptr<ByteSource>();
  }
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    return Error(ErrorCode::file_unreadable,
                 fmt::format("{} is no regular file, and only those can be followed", file_.shown));
  }
  const Identity found{status.st_dev, status.st_ino};
  if (fd_ >= 0 && found == identity_ && !rewritten_) {  // renamed and back: it goes on where it was left
    ::close(fd);
    if (finishing_ && !has_more()) return std::unique_ptr<ByteSource>();
  } else {
    if (fd_ >= 0) {
      tell_once(fmt::format("{} was {}; reading from its start", file_.shown,
                            rewritten_ ? "cut short" : "replaced by another file"));
    }
    begin_file(fd, found);
  }
  return begin_input();
}

void FollowedFile::begin_file(int fd, Identity identity) {
  close_file();  // not before: while it is open no other file can get its number
  fd_ = fd;
  identity_ = identity;
  position_ = 0;
  head_.clear();
}

std::unique_ptr<ByteSource> FollowedFile::begin_input() {
  at_end_ = over_ = rewritten_ = false;
  replaced_since_ns_.reset();
  last_news_.clear();
  return std::make_unique<Bytes>(*this);
}

Result<ByteSource::Read> FollowedFile::read(char* to, std::size_t capacity) {
  if (!over_ && at_end_ && was_rewritten()) over_ = rewritten_ = true;
  if (over_) return Bytes::Read{Bytes::Read::State::kEnd, 0};
  if (finishing_) {
    capacity = std::min(capacity, finish_budget_);
    if (capacity == 0 && has_more()) return Bytes::Read{Bytes::Read::State::kWaits, 0};
  }
  ssize_t n = 0;
  while (capacity > 0 && (n = ::read(fd_, to, capacity)) < 0) {
    if (errno != EINTR) return error_from_errno(errno, "reading " + file_.shown);
  }
  if (n == 0) {
    at_end_ = true;
    over_ = finishing_;
    return Bytes::Read{finishing_ ? Bytes::Read::State::kEnd : Bytes::Read::State::kWaits, 0};
  }
  const auto bytes = static_cast<std::size_t>(n);
  SLUICE_TRY(keep_head(to, bytes));
  position_ += bytes;
  if (finishing_) finish_budget_ -= bytes;
  at_end_ = false;
  replaced_since_ns_.reset();
  return Bytes::Read{Bytes::Read::State::kData, bytes};
}

Result<void> FollowedFile::keep_head(const char* bytes, std::size_t size) {
  if (position_ >= kHeadBytes) return {};
  head_.append(bytes, std::min(size, kHeadBytes - head_.size()));
  constexpr std::uint64_t kMagicBytes = 4;
  if (!refuse_compressed_ || position_ >= kMagicBytes) return {};
  const Compression found = recognise(head_);
  if (found == Compression::none) return {};
  return Error(
      ErrorCode::file_unreadable,
      fmt::format("{} is compressed ({}) and cannot be followed; write \"compression\": \"none\" if it "
                  "only looks so",
                  file_.shown, found == Compression::gzip ? "gzip" : "zstd"));
}

// The bytes that stand where this one's first bytes stood say so even when it has grown past them again.
bool FollowedFile::was_rewritten() const {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) return false;
  if (static_cast<std::uint64_t>(status.st_size) < position_) return true;
  std::array<char, kHeadBytes> now{};
  const ssize_t n = ::pread(fd_, now.data(), head_.size(), 0);
  return n >= 0 && std::string_view(now.data(), static_cast<std::size_t>(n)) != head_;
}

bool FollowedFile::has_more() const {
  struct stat status {};
  return ::fstat(fd_, &status) == 0 && static_cast<std::uint64_t>(status.st_size) > position_;
}

void FollowedFile::watch_name(TimeNs now_ns) {
  if (over_ || finishing_ || fd_ < 0) return;
  struct stat status {};
  if (::stat(file_.path.c_str(), &status) != 0) {
    if (!successors_.empty()) return;
    replaced_since_ns_.reset();
    tell_once(fmt::format("{} is gone from its name ({}); reading on in it until another takes its place",
                          file_.shown, errno_text(errno)));
    return;
  }
  if (Identity{status.st_dev, status.st_ino} == identity_) {  // back at its name, those between are gone
    forget_successors();
    replaced_since_ns_.reset();
    last_news_.clear();
    return;
  }
  if (S_ISREG(status.st_mode)) add_successor();
  if (!replaced_since_ns_) replaced_since_ns_ = now_ns;
}

// Opens what stands at the name, if it has not been seen there yet. Whatever hinders that, another look may
// find gone.
void FollowedFile::add_successor() {
  if (successors_.size() == kMostSuccessors) return;
  const int fd = ::open(file_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return;
  struct stat status {};
  const bool usable = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  const Identity found{status.st_dev, status.st_ino};
  const auto same = [&](const Successor& s) { return s.identity == found; };
  if (usable && found != identity_ && std::none_of(successors_.begin(), successors_.end(), same)) {
    successors_.push_back({fd, found});
  } else {
    ::close(fd);
  }
}

// A file that was replaced twice has been left by its writer; one that was replaced once perhaps not yet.
void FollowedFile::look(TimeNs now_ns) {
  watch_name(now_ns);
  if (finishing_ || !replaced_since_ns_) return;
  over_ = over_ || successors_.size() > 1 || now_ns - *replaced_since_ns_ >= kReplacedSilenceNs;
}

void FollowedFile::finish() { finishing_ = true; }

void FollowedFile::tell_once(std::string news) {
  if (news == last_news_) return;
  last_news_ = news;
  news_.push_back(std::move(news));
}

std::vector<std::string> FollowedFile::take_news() { return std::exchange(news_, {}); }

}  // namespace sluice
