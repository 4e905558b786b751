#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// How a stream of bytes falls into records. Most formats have one record a line. A csv record may span lines
// inside quotes; see frame_csv for what happens to quotes that do not fit together. The records of a
// json_array are the elements of an array in one document: see ArrayFramer.
struct Framing {
  bool quoted = false;  // csv; what follows counts only then
  char delimiter = ',';
  char quote = '"';
  std::optional<char> comment;
  std::size_t fields = 0;                         // what a record has; 0 = not known
  std::optional<std::vector<std::string>> array;  // json_array: the keys that lead to the array
};

// What lies at the start of some bytes.
struct Frame {
  enum class Kind : std::uint8_t {
    kRecord,       // `length` bytes are the record, `consumed` include its line end
    kNeedsMore,    // the record does not end in these bytes
    kBrokenQuote,  // the first line alone (`length`, `consumed`) is a bad record
  };
  Kind kind = Kind::kNeedsMore;
  std::size_t length = 0;
  std::size_t consumed = 0;
  std::uint32_t lines = 0;  // line ends in `consumed`
};

// One line; CR LF and LF end it. `searched` bytes at the front are known to hold no LF. With `at_end` what is
// left is a record.
Frame frame_line(std::string_view bytes, std::size_t searched, bool at_end);

// One csv record by RFC 4180. A field is quoted if its first byte is the quote; quotes elsewhere in a field
// are data. A quoted field ends at a quote that is not doubled, and then the delimiter, a line end or the end
// of the input must follow. If that is not so, or if a record of several lines has not the known number of
// fields, the quote was a stray one: the first line alone is a bad record, and the next line is read afresh.
// So one stray quote costs one line.
Frame frame_csv(std::string_view bytes, std::size_t searched, bool at_end, const Framing& framing);

}  // namespace sluice
