#include "operators/format/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace sluice {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Where a chain of symbolic links leads, so that the rename does not replace the link.
std::string link_target(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) != nullptr ? std::string(resolved) : path;
}

Error cannot_write(const std::string& path, int reason) {
  return error_from_errno(reason, fmt::format("{} cannot be written", path));
}

// Keeps SIGPIPE of the writes in its scope from ending the process.
class PipeSignalHeld {
 public:
  PipeSignalHeld() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before);
    was_blocked_ = sigismember(&before, SIGPIPE) == 1;
  }
  ~PipeSignalHeld() {
    if (was_blocked_) return;
    const int saved = errno;
    const timespec now{0, 0};
    while (sigtimedwait(&pipe_, nullptr, &now) == -1 && errno == EINTR) {
    }
    pthread_sigmask(SIG_UNBLOCK, &pipe_, nullptr);
    errno = saved;
  }
  PipeSignalHeld(const PipeSignalHeld&) = delete;
  PipeSignalHeld& operator=(const PipeSignalHeld&) = delete;

 private:
  sigset_t pipe_;
  bool was_blocked_ = false;
};

}  // namespace

std::string unwritable_reason(const std::string& path) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return "it is a folder";
  if (exists && !S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode)) return "it is not a regular file";
  if (exists && ::access(path.c_str(), W_OK) != 0) return std::generic_category().message(errno);
  if (exists && S_ISCHR(status.st_mode)) return "";
  if (!path.empty() && path.back() == '/') return "the path ends in a slash";
  const std::string folder = folder_of(path);
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return "";
  return fmt::format("its folder {}: {}", folder, std::generic_category().message(errno));
}

OutputFile::OutputFile(int fd, std::string path, std::string final_path, std::uint64_t position)
    : fd_(fd), path_(std::move(path)), final_path_(std::move(final_path)), position_(position) {}

Result<std::unique_ptr<OutputFile>> OutputFile::open(const std::string& path, bool append) {
  if (const std::string reason = unwritable_reason(path); !reason.empty()) {
    return Error(ErrorCode::file_unwritable, fmt::format("{} cannot be written: {}", path, reason));
  }
  struct stat status {};
  const bool device = ::stat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode);
  const bool direct = append || device;
  const std::string target = direct ? path : link_target(path);
  const std::string opened = direct ? target : target + ".partial";
  const int fd = ::open(opened.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : 0), 0666);
  if (fd < 0) return cannot_write(opened, errno);
  std::unique_ptr<OutputFile> file(new OutputFile(fd, opened, direct ? "" : target, 0));
  if (device) return file;
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return Error(ErrorCode::file_unwritable,
                 fmt::format("{} cannot be written: another sink or another run is writing it", opened));
  }
  if (!append && ::ftruncate(fd, 0) != 0) return cannot_write(opened, errno);
  if (append && ::fstat(fd, &status) == 0) file->position_ = static_cast<std::uint64_t>(status.st_size);
  return file;
}

OutputFile::~OutputFile() { ::close(fd_); }

Result<void> OutputFile::write(std::string_view bytes) {
  const std::uint64_t start = position_;
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n >= 0) {
      position_ += static_cast<std::uint64_t>(n);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      const int reason = errno;
      const std::uint64_t failed_at = position_;
      // Appended rows stay whole: what this write managed is taken back.
      if (final_path_.empty() && ::ftruncate(fd_, static_cast<off_t>(start)) == 0) position_ = start;
      return error_from_errno(reason, fmt::format("writing {} at byte {}", path_, failed_at));
    }
  }
  return {};
}

Result<void> OutputFile::publish() {
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != ENOTSUP) {
    return error_from_errno(errno, fmt::format("writing {} to the disk at byte {}", path_, position_));
  }
  if (final_path_.empty()) return {};
  if (::rename(path_.c_str(), final_path_.c_str()) != 0) {
    return error_from_errno(errno, fmt::format("renaming {} to {}", path_, final_path_));
  }
  const int folder = ::open(folder_of(final_path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {  // the new name is on the disk too; a file system that cannot do that still has the file
    (void)::fsync(folder);
    ::close(folder);
  }
  return {};
}

DescriptorOutput::DescriptorOutput(int fd, std::string shown)
    : fd_(fd), shown_(std::move(shown)), may_block_(true) {
  struct stat status {};
  may_block_ = ::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode);
}

Result<bool> DescriptorOutput::drain() {
  // A pipe that polls as writable takes PIPE_BUF bytes without waiting, and promises no more.
  const std::size_t piece = may_block_ ? PIPE_BUF : SIZE_MAX;
  const PipeSignalHeld held;
  while (written_ < pending_.size()) {
    pollfd p{fd_, POLLOUT, 0};
    if (may_block_ && ::poll(&p, 1, 0) <= 0) return false;
    const ssize_t n = ::write(fd_, pending_.data() + written_, std::min(piece, pending_.size() - written_));
    if (n >= 0) {
      written_ += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return false;
    } else if (errno == EPIPE) {
      return Error(ErrorCode::io_error, fmt::format("{}: its reader has gone away", shown_));
    } else if (errno != EINTR) {
      return error_from_errno(errno, fmt::format("writing {}", shown_));
    }
  }
  pending_.clear();
  written_ = 0;
  return true;
}

}  // namespace sluice
