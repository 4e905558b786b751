#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "operators/format/column_spec.hpp"

namespace sluice {

// Walks over the pairs of one logfmt record: key=value, key="value in quotes", key= (null), key alone (true).
// Blanks and tabs part pairs. A key is anything without blank, "=" and quote; a value without quotes goes to
// the next blank, whatever it holds. In quotes the escapes of JSON strings and those of Go's (\xHH \UHHHHHHHH
// \a \v \') are understood. One thread; the views hold until next() or start().
class LogfmtPairs {
 public:
  enum class Next : std::uint8_t { kPair, kEnd, kBad };
  enum class Form : std::uint8_t { kText, kQuoted, kNull, kBare };

  void start(std::string_view record) { rest_ = record; }
  Next next();
  std::string_view key() const { return key_; }
  // The text with its escapes resolved; "true" of a key alone, empty of a null.
  std::string_view value() const { return value_; }
  Form form() const { return form_; }
  // What is wrong, as the end of a sentence about the record.
  const std::string& fault() const { return fault_; }

 private:
  Next bad(std::string fault);
  Next take_quoted();
  bool unescape(std::string_view inside);
  bool unescape_unicode(std::string_view inside, std::size_t& at, std::size_t digits);

  std::string_view rest_;
  std::string_view key_;
  std::string_view value_;
  Form form_ = Form::kBare;
  std::string unescaped_;
  std::string fault_;
};

// The columns of logfmt records without a schema: each key in the order of its first appearance. Numbers
// without quotes, written as in JSON, are int64 or float64; true, false and keys alone bool; all else string.
std::vector<ColumnSpec> infer_logfmt_columns(const std::vector<std::string>& records);

}  // namespace sluice
