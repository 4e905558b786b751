#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operators/format/byte_source.hpp"
#include "operators/format/input_paths.hpp"
#include "runtime/base/clock.hpp"

namespace sluice {

// How often a followed file that has nothing new is looked at.
inline constexpr TimeNs kFollowPollNs = 200 * kNsPerMs;
// How long a file that another one has taken the place of must give nothing before it is left: its writer may
// not have noticed yet that it was renamed.
inline constexpr TimeNs kReplacedSilenceNs = 2 * kNsPerSecond;
// How many files that have taken the name one after the other are kept open until it is their turn.
inline constexpr std::size_t kMostSuccessors = 16;
// How much of a file is still read once its run is to end.
inline constexpr std::size_t kFinishBytes = 4 << 20;

// A file that grows, read by its name through all that log rotation does to it. The name leads to one file
// after the other; each is handed out as an input of its own, whose last line may lack a line end:
//   renamed or removed   the file is read on until another one stands at the name and it has been silent for
//                        kReplacedSilenceNs, or a second one: then those are read from their start, in
//                        the order in which they came to the name
//   cut short            (copy-truncate) shorter than what was read, or its first bytes have changed: read
//                        from its start. What was written between the last look and the cut is lost with it
//   not there yet        waited for
// Two replacements between two looks lose the file in the middle: nobody keeps its name. What is found at the
// name is opened at once, so more than kFollowPollNs between them loses none. One owner, one thread; never
// blocks. The time comes from the caller. Outlives the inputs that it hands out.
class FollowedFile {
 public:
  // `refuse_compressed`: a file that starts as gzip or zstd does is an error.
  FollowedFile(InputPath file, bool refuse_compressed);
  ~FollowedFile();
  FollowedFile(const FollowedFile&) = delete;
  FollowedFile& operator=(const FollowedFile&) = delete;

  // The file that the name leads to now, as an input that waits at its end. Null: there is none that could be
  // read (yet), or, after finish(), none that has not been read.
  Result<std::unique_ptr<ByteSource>> open();
  // To be called every kFollowPollNs, also while there is much to read: opens the file that has taken the
  // name.
  void watch_name(TimeNs now_ns);
  // To be called when the input has nothing more just now: watches the name, and finds out whether the file
  // is over, which the input's next read then says.
  void look(TimeNs now_ns);
  // Nothing is waited for any more: inputs end where their file ends, or say that they wait once kFinishBytes
  // more have been read: then what follows is left unread.
  void finish();

  // What has happened to the file since the last call, as sentences for the log.
  std::vector<std::string> take_news();

 private:
  class Bytes;
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const Identity&) const = default;
  };

  struct Successor {
    int fd;
    Identity identity;
  };

  Result<ByteSource::Read> read(char* to, std::size_t capacity);
  Result<void> keep_head(const char* bytes, std::size_t size);
  bool was_rewritten() const;
  bool has_more() const;
  void tell_once(std::string news);
  void close_file();
  void add_successor();
  void forget_successors();
  void begin_file(int fd, Identity identity);
  std::unique_ptr<ByteSource> begin_input();

  const InputPath file_;
  const bool refuse_compressed_;
  int fd_ = -1;
  Identity identity_;
  std::uint64_t position_ = 0;
  std::string head_;        // the file's first bytes
  bool at_end_ = false;     // the last read found nothing
  bool over_ = false;       // the input has ended, or will with its next read
  bool rewritten_ = false;  // because the file was cut short
  bool finishing_ = false;
  std::size_t finish_budget_ = kFinishBytes;
  std::deque<Successor> successors_;  // files that have stood at the name since, the oldest first; open
  std::optional<TimeNs> replaced_since_ns_;  // another file has stood at the name, and this one been silent
  std::string last_news_;
  std::vector<std::string> news_;
};

}  // namespace sluice
