#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/data/batch.hpp"

namespace sluice {

enum class OutputFormat : std::uint8_t { csv, jsonl, lines, table };

// "csv" "jsonl" "lines" "table" → the enum.
std::optional<OutputFormat> parse_output_format(std::string_view name);

// Turns batches into text that is appended to a string of the caller. Visible columns only. One owner, one
// thread.
//   csv    RFC 4180 with LF; a header; null is empty, the empty string is ""
//   jsonl  one object a line, keys in the order of the columns; NaN and infinities are null and counted
//   lines  the value of the one string column; null is an empty line
//   table  columns padded to the widest value, for people; widths come from the first rows, which are held
//   back until then
// Bytes that are not valid UTF-8 become U+FFFD in csv, jsonl and table; lines writes bytes as they are.
class RecordWriter {
 public:
  virtual ~RecordWriter() = default;
  // What stands in front of the first row. Not called when rows are added to a file that has it already.
  virtual void begin(std::string& out) = 0;
  virtual void write(const Batch& batch, std::string& out) = 0;
  // What is still held back.
  virtual void end(std::string&) {}
  // Values written as null because the format cannot hold them (NaN and infinities in JSON), so far.
  std::uint64_t not_representable() const { return not_representable_; }

 protected:
  std::uint64_t not_representable_ = 0;
};

// `lines` needs a schema of one string or json column (lines_fault says what is wrong with another).
std::unique_ptr<RecordWriter> make_writer(OutputFormat format, const Schema& schema);

// "" or why `schema` cannot be written as lines.
std::string lines_fault(const Schema& schema);

}  // namespace sluice
