#include "operators/format/record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "runtime/base/check.hpp"

namespace sluice {
namespace {

constexpr std::size_t kReadBytes = 256 * 1024;
constexpr int kReadsPerCall = 8;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

void RecordReader::Free::operator()(char* p) const { std::free(p); }

RecordReader::RecordReader(Framing framing, std::size_t max_record)
    : framing_(std::move(framing)), max_record_(max_record) {
  if (framing_.array) array_.emplace(*framing_.array, max_record_);
  capacity_ = 2 * kReadBytes;
  buffer_.reset(static_cast<char*>(std::calloc(capacity_ + kRecordPadding, 1)));
  SLUICE_CHECK(buffer_ != nullptr);
}

void RecordReader::start(std::unique_ptr<ByteSource> input, std::string shown) {
  input_ = std::move(input);
  shown_ = std::move(shown);
  if (array_) array_->restart();
  begin_ = end_ = searched_ = 0;
  line_ = 1;
  at_start_ = true;
  ended_ = stopped_ = skipping_ = failed_ = false;
}

Result<RecordReader::Next> RecordReader::next() {
  for (int reads = 0;;) {
    if (skipping_ ? skip_to_line_end() : (drop_byte_order_mark() && take())) return Next::kRecord;
    if (ended_) {
      if (failed_) return failure_;
      return Next::kEnd;
    }
    if (stopped_) return Next::kEnd;
    if (reads++ == kReadsPerCall) return Next::kAgain;
    SLUICE_ASSIGN(const Fill filled, fill());
    if (filled == Fill::kWaits) return Next::kWaits;
  }
}

// False: it cannot be told yet whether there is one.
bool RecordReader::drop_byte_order_mark() {
  if (!at_start_) return true;
  const std::string_view head = bytes().substr(0, kByteOrderMark.size());
  if (head == kByteOrderMark) {
    begin_ += head.size();
  } else if (head == kByteOrderMark.substr(0, head.size()) && !ended_) {
    return false;
  }
  at_start_ = false;
  return true;
}

// Takes the next record out of the buffer if it holds one.
bool RecordReader::take() { return array_ ? take_element() : take_line_or_csv(); }

bool RecordReader::take_element() {
  using Kind = ArrayFramer::Part::Kind;
  for (;;) {
    const ArrayFramer::Part part = array_->next(bytes(), ended_ && !failed_);
    switch (part.kind) {
      case Kind::kElement:
        give(RawRecord::State::kWhole, {Frame::Kind::kRecord, part.length, part.consumed, part.lines});
        return true;
      case Kind::kTooLong:
        keep_start_of_overlong();
        advance(part.consumed, part.lines);
        break;
      case Kind::kTooLongEnd:
        advance(part.consumed, part.lines);
        give_overlong();
        return true;
      case Kind::kSkipped:
        advance(part.consumed, part.lines);
        break;
      case Kind::kNeedsMore:
        advance(part.consumed, part.lines);
        return false;
      case Kind::kComplete:
        return false;
      case Kind::kBroken:
        if (!failed_) {
          fail(Error(ErrorCode::corrupt_input,
                     fmt::format("{}:{}: {}; the records in front of it have been read", shown_,
                                 line_ + part.lines, array_->fault())));
        }
        return false;
    }
  }
}

bool RecordReader::take_line_or_csv() {
  if (pending() == 0) return false;
  // No more than a record may have: a stray quote is not searched for through all that has been read.
  const std::string_view seen = framing_.quoted ? bytes().substr(0, max_record_ + 2) : bytes();
  const bool at_end = ended_ && !failed_ && seen.size() == pending();
  const Frame frame =
      framing_.quoted ? frame_csv(seen, 0, at_end, framing_) : frame_line(seen, searched_, at_end);
  if (frame.kind == Frame::Kind::kNeedsMore) {
    if (pending() > max_record_ + 1) return overlong();
    if (!framing_.quoted) searched_ = pending();
    return false;
  }
  if (frame.length > max_record_) return overlong();
  give(frame.kind == Frame::Kind::kRecord ? RawRecord::State::kWhole : RawRecord::State::kBrokenQuote, frame);
  return true;
}

void RecordReader::give(RawRecord::State state, const Frame& frame) {
  record_ = {{buffer_.get() + begin_, frame.length}, line_, state};
  advance(frame.consumed, frame.lines);
}

void RecordReader::advance(std::size_t bytes, std::uint32_t lines) {
  begin_ += bytes;
  line_ += lines;
  searched_ = 0;
}

// The record is longer than the limit, or a quote was not closed within it. Judged by the first line.
bool RecordReader::overlong() {
  const Frame line = frame_line(bytes(), 0, ended_ && !failed_);
  if (line.kind == Frame::Kind::kRecord && line.length <= max_record_) {
    give(RawRecord::State::kBrokenQuote, line);
    return true;
  }
  keep_start_of_overlong();
  skipping_ = true;
  return skip_to_line_end();
}

void RecordReader::keep_start_of_overlong() {
  overlong_.assign(bytes().substr(0, std::min(kOverlongKept, max_record_)));
  overlong_.reserve(overlong_.size() + kRecordPadding);
  overlong_line_ = line_;
}

void RecordReader::give_overlong() { record_ = {overlong_, overlong_line_, RawRecord::State::kOverlong}; }

void RecordReader::fail(Error failure) {
  failure_ = std::move(failure);
  failed_ = ended_ = true;
}

bool RecordReader::skip_to_line_end() {
  const Frame line = frame_line(bytes(), 0, ended_ && !failed_);
  if (line.kind == Frame::Kind::kNeedsMore) {
    begin_ = end_ = 0;
    return false;
  }
  advance(line.consumed, line.lines);
  give_overlong();
  skipping_ = false;
  return true;
}

Result<RecordReader::Fill> RecordReader::fill() {
  make_room();
  auto got = input_->read(buffer_.get() + end_, capacity_ - end_);
  if (!got.ok()) {  // told once the records before it are gone
    fail(std::move(got).error());
    return Fill::kEnd;
  }
  if (got->state == ByteSource::Read::State::kWaits) return Fill::kWaits;
  if (got->state == ByteSource::Read::State::kEnd) {
    ended_ = true;
    return Fill::kEnd;
  }
  end_ += got->bytes;
  return Fill::kMore;
}

// Room for a read behind the unfinished record, which moves to the front.
void RecordReader::make_room() {
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, pending());
    end_ -= begin_;
    begin_ = 0;
  }
  if (capacity_ - end_ >= kReadBytes / 2) return;
  const std::size_t larger = std::min(capacity_ * 2, max_record_ + 2 * kReadBytes);
  if (larger <= capacity_) return;
  char* moved = static_cast<char*>(std::realloc(buffer_.get(), larger + kRecordPadding));
  SLUICE_CHECK(moved != nullptr);
  std::memset(moved + capacity_, 0, larger + kRecordPadding - capacity_);
  (void)buffer_.release();
  buffer_.reset(moved);
  capacity_ = larger;
}

}  // namespace sluice
