#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// Cuts a JSON text (RFC 8259) into tokens, strictly: no comments, no trailing commas, no leading zeros, valid
// UTF-8, nothing after the document. Every token carries its byte offset, from which the reports' lines and
// columns come.
//
// It uses no recursion, and refuses to nest deeper than `max_depth` at the bracket that would: memory is
// bounded by the text and the depth whatever the input is. The first error ends the scan; from then on every
// token is `error`. The text must outlive the scanner. One thread.
class JsonScanner {
 public:
  enum class Kind : std::uint8_t {
    begin_object,
    end_object,
    begin_array,
    end_array,
    key,
    string,
    number,
    true_value,
    false_value,
    null_value,
    end,
    error,
  };
  enum class Failure : std::uint8_t { none, malformed, too_deep };

  struct Token {
    Kind kind = Kind::end;
    std::size_t offset = 0;  // of the first byte; for an error, of the byte that is wrong
    std::size_t end = 0;     // after the last byte
  };

  JsonScanner(std::string_view text, std::size_t max_depth);

  Token next();

  // Of the last key or string token: its value, escapes resolved.
  const std::string& text() const { return text_value_; }
  // After an error: which, and a sentence.
  Failure failure() const { return failure_; }
  const std::string& message() const { return message_; }

 private:
  enum class Expect : std::uint8_t {
    value,
    first_value_or_end,
    first_key_or_end,
    key,
    comma_or_end,
    end_of_text
  };

  Token value();
  Token begin(Kind kind);
  Token close(char bracket);
  Token key();
  Token string(Kind kind);
  Token number();
  Token word();
  Token after_value();
  Token fail(std::size_t offset, std::string message, Failure failure = Failure::malformed);
  Token unexpected(std::string_view expected);

  void skip_space();
  bool colon();
  void value_is_complete();
  bool in_object() const { return !open_.empty() && open_.back() == '{'; }
  // Each returns false after fail().
  bool append_escape();
  bool append_code_point();
  bool append_utf8();
  bool four_hex_digits(std::uint32_t& value);

  std::string_view input_;
  std::size_t max_depth_;
  std::size_t at_ = 0;
  std::string open_;  // the brackets that are open, outermost first
  Expect expect_ = Expect::value;
  std::string text_value_;
  Failure failure_ = Failure::none;
  std::string message_;
  std::size_t failed_at_ = 0;
};

}  // namespace sluice
