#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "operators/format/array_framer.hpp"
#include "operators/format/byte_source.hpp"
#include "operators/format/framing.hpp"

namespace sluice {

// Bytes behind every record that may be read (not relied on): what simdjson asks for.
inline constexpr std::size_t kRecordPadding = 64;
// How much of an over-long record is kept for its dead letter.
inline constexpr std::size_t kOverlongKept = 4096;

// One record as it came, without its line end.
struct RawRecord {
  enum class State : std::uint8_t { kWhole, kOverlong, kBrokenQuote };
  std::string_view text;   // kOverlong: only its start. kRecordPadding readable bytes follow. Valid until the
                           // next call of the reader
  std::uint64_t line = 0;  // of its first byte, from 1
  State state = State::kWhole;
};

// Cuts one input after the other into records. One owner, one thread. Memory: a buffer of at most max_record
// plus one read, whatever the input holds. A byte order mark at the start of an input is dropped. When an
// input fails, or the document of a json_array is broken, the records before that are given first; the
// unfinished one is not.
class RecordReader {
 public:
  enum class Next : std::uint8_t {
    kRecord,  // `record()` is the next one
    kWaits,   // the input has nothing just now
    kAgain,   // a bounded amount of work was done and no record has ended yet
    kEnd,     // the input is complete
  };

  RecordReader(Framing framing, std::size_t max_record);

  // Begins with another input, which errors call `shown`. What was left of the one before is forgotten.
  void start(std::unique_ptr<ByteSource> input, std::string shown = "the input");
  Result<Next> next();
  const RawRecord& record() const { return record_; }
  // Takes no more from the input: what is left are the whole records that have been read.
  void stop_reading() { stopped_ = true; }
  // The number of fields that csv records have, once it is known.
  void set_fields(std::size_t fields) { framing_.fields = fields; }

 private:
  struct Free {
    void operator()(char* p) const;
  };
  enum class Fill : std::uint8_t { kMore, kWaits, kEnd };

  std::size_t pending() const { return end_ - begin_; }
  std::string_view bytes() const { return {buffer_.get() + begin_, pending()}; }
  bool drop_byte_order_mark();
  bool take();
  bool take_line_or_csv();
  bool take_element();
  void give(RawRecord::State state, const Frame& frame);
  bool overlong();
  void keep_start_of_overlong();
  void give_overlong();
  void advance(std::size_t bytes, std::uint32_t lines);
  void fail(Error failure);
  bool skip_to_line_end();
  Result<Fill> fill();
  void make_room();

  Framing framing_;
  std::size_t max_record_;
  std::optional<ArrayFramer> array_;
  std::unique_ptr<ByteSource> input_;
  std::string shown_;
  std::unique_ptr<char[], Free> buffer_;
  std::size_t capacity_ = 0;  // without the padding
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t searched_ = 0;  // bytes from begin_ that hold no line end
  std::uint64_t line_ = 1;    // of begin_
  bool at_start_ = true;
  bool ended_ = false;     // the input has no more bytes, or has failed
  bool stopped_ = false;   // and will not be asked for more
  bool skipping_ = false;  // inside an over-long line
  std::string overlong_;   // the start of an over-long record
  std::uint64_t overlong_line_ = 0;
  Error failure_{ErrorCode::internal, ""};
  bool failed_ = false;
  RawRecord record_;
};

}  // namespace sluice
