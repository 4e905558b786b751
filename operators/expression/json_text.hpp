#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operators/expression/text_arena.hpp"

namespace sluice::expression {

// JSON as it stands in text. Sluice reads it itself here because values come out as they were written (1.10
// and integers of any length keep their digits), nothing is copied, and the whole text is checked (RFC 8259),
// not only the way to the value. The walk is a loop with one bit a level: nesting is bounded by kMaxJsonDepth
// and cannot exhaust the stack. Bytes in strings are not checked to be UTF-8. Of members with the same name
// the first counts.

inline constexpr std::size_t kMaxJsonDepth = 1024;

struct JsonFound {
  bool well_formed = false;
  bool present = false;  // the pointer leads to a value
  std::string_view raw;  // the value as written, without white space around it
};

// A JSON pointer (RFC 6901) as its unescaped steps: "" has none. nullopt if it does not begin with "/" or
// holds a bad "~".
std::optional<std::vector<std::string>> parse_json_pointer(std::string_view pointer);

JsonFound find_json(std::string_view text, std::span<const std::string> steps);

// The content of a JSON string (raw, with its quotes) without escapes; other values as they are. Halves of
// surrogate pairs become U+FFFD.
std::string_view json_scalar_text(std::string_view raw, TextArena& arena);

// The elements of an array, or the members of an object, one after the other. For texts that find_json() has
// found to be well formed; members come as they are written, those with the same name too.
class JsonItems {
 public:
  // `container` as JsonFound::raw gives it: its first byte is [ or {. It stays alive as long as the items are
  // used.
  explicit JsonItems(std::string_view container)
      : in_object_(container.front() == '{'), rest_(container.substr(1)) {}

  bool in_object() const { return in_object_; }
  bool next();                                       // false: there is no further one
  std::string_view name() const { return name_; }    // of a member, as written, with its quotes
  std::string_view value() const { return value_; }  // as written

 private:
  bool in_object_;
  std::string_view rest_;  // behind the latest item
  std::string_view name_;
  std::string_view value_;
};

}  // namespace sluice::expression
