#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace sluice {

// The file that a sink writes. It grows under the name path.partial, which is renamed to path (symbolic links
// followed) once publish() has put every byte on the disk: who sees path sees a complete result, and an older
// one stays until then. In append mode, and for character devices such as /dev/null, bytes go straight to
// path. One owner, one thread; a lock on the file keeps a second writer out, also one in another process. A
// failed write (a full disk) names the file and the byte; an append that fails is taken back to the end of
// the write before. Destroyed without publish(): the partial file stays for whoever wants to look, path is as
// it was.
class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> open(const std::string& path, bool append);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Nothing stands in the file yet.
  bool empty() const { return position_ == 0; }
  Result<void> write(std::string_view bytes);
  Result<void> publish();

 private:
  OutputFile(int fd, std::string path, std::string final_path, std::uint64_t position);

  int fd_;
  std::string path_;        // of the open file
  std::string final_path_;  // what publish() renames it to; "" = it has its name already
  std::uint64_t position_;
};

// "" or why a file of this name cannot be written: the folder is missing or not writable, the path is a
// folder.
std::string unwritable_reason(const std::string& path);

// Standard output, or any other descriptor, without ever waiting for its reader. One owner, one thread.
class DescriptorOutput {
 public:
  // `shown` is its name in errors. The descriptor is not closed.
  DescriptorOutput(int fd, std::string shown);

  // Text to write goes behind what is pending.
  std::string& pending() { return pending_; }
  // Writes what the reader takes now. True: nothing is pending any more. A reader that has gone away is an
  // error, not a signal.
  Result<bool> drain();

 private:
  int fd_;
  std::string shown_;
  bool may_block_;
  std::string pending_;
  std::size_t written_ = 0;  // bytes at the front of pending_ that are gone
};

}  // namespace sluice
