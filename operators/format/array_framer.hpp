#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "operators/format/json_text.hpp"

namespace sluice {

// How far a JSON value reaches in bytes that come in pieces: by its brackets and quotes alone. Brackets are
// paired to kJsonDepth levels and only counted below, so the state is small whatever the value holds.
class ValueExtent {
 public:
  static constexpr std::size_t kOpen = static_cast<std::size_t>(-1);

  void restart() { *this = ValueExtent(); }
  // Goes on at bytes[from]. Gives the place of the comma or closing bracket behind the value, or kOpen if the
  // value does not end in these bytes. After `mismatch()` that is the place of a bracket that closes another
  // kind than stands open.
  std::size_t find_end(std::string_view bytes, std::size_t from);
  bool mismatch() const { return mismatch_; }

 private:
  bool close(bool object);

  std::uint64_t depth_ = 0;
  std::bitset<kJsonDepth> objects_;
  bool in_string_ = false;
  bool escaped_ = false;
  bool mismatch_ = false;
};

// Cuts the elements of one array out of a JSON document that comes in pieces of any size. The array is the
// document itself, or stands where a path of keys leads; what surrounds it is passed over by its brackets and
// quotes. An element ends at the comma or bracket behind it, so an element that is not JSON costs nobody else
// anything as long as its own brackets and quotes fit. If they do not, or if the document ends too early or
// goes on too long, nobody can say where elements begin: the document is broken there. The result depends on
// the bytes alone, not on the pieces. One document, one thread; holds nothing of the document but a short
// key.
class ArrayFramer {
 public:
  struct Part {
    enum class Kind : std::uint8_t {
      kSkipped,     // `consumed` bytes hold nothing: drop them and ask again
      kNeedsMore,   // drop `consumed` bytes; the rest must be given again with more behind it
      kElement,     // the first `length` bytes are one; `consumed` include what ends it
      kTooLong,     // a longer element than allowed starts the bytes; drop `consumed` and ask again
      kTooLongEnd,  // it ends in the `consumed` bytes
      kComplete,    // the document is complete
      kBroken,      // `fault()` says why, `lines` below the start of the bytes
    };
    Kind kind = Kind::kNeedsMore;
    std::size_t length = 0;
    std::size_t consumed = 0;
    std::uint32_t lines = 0;  // line ends in `consumed`, or in front of the fault
  };

  // `path`: the keys, and positions in arrays, that lead to the array. Elements longer than `max_element`,
  // blanks around them not counted, are too long.
  ArrayFramer(std::vector<std::string> path, std::size_t max_element);

  void restart();
  // `bytes` start where the last part's `consumed` ended. `at_end`: nothing will follow them.
  Part next(std::string_view bytes, bool at_end);
  const std::string& fault() const { return fault_; }

 private:
  enum class State : std::uint8_t {
    kStart,         // → kFirstKey, kFirstItem, kFirstElement
    kFirstKey,      // of an object on the path, or its end → kInKey, kAfter
    kKey,           // behind a comma → kInKey
    kInKey,         // → kColon
    kColon,         // → kStart (the path goes on here), kPassedOver
    kFirstItem,     // of an array on the path, or its end → kStart, kPassedOver, kAfter
    kItem,          // behind a comma → the same
    kPassedOver,    // a value that is not on the path → kAfter
    kAfter,         // behind a value on the path's way → kKey, kItem, kAfter, kTail
    kFirstElement,  // or the array's end → kInElement, kAfter, kTail
    kElement,       // behind a comma → kInElement
    kInElement,     // → kElement, kAfter, kTail
    kTail,          // behind the document
    kBroken,
  };
  struct Level {
    bool object = false;
    std::uint64_t index = 0;  // of an array: items in front
  };

  Part on_structure(std::string_view bytes, char c);
  Part begin_value(std::string_view bytes, char c);
  Part begin_item(std::string_view bytes, char c);
  Part in_key(std::string_view bytes, bool at_end);
  Part passed_over(std::string_view bytes, bool at_end);
  Part in_element(std::string_view bytes, bool at_end);
  Part begin_skipping(std::string_view seen);
  Part end_element(std::string_view bytes, std::size_t end);
  Part close_level(std::string_view bytes, char c);
  Part ends_early(std::string_view bytes);
  Part broken(std::string_view bytes, std::size_t at, std::string fault);
  Part step_to(State state, std::size_t consumed = 1);
  bool too_long(std::string_view bytes, std::size_t length) const;
  bool key_is_wanted() const;
  void leave_array();
  std::string wanted_path() const;

  const std::vector<std::string> path_;
  const std::size_t max_element_;
  State state_ = State::kStart;
  std::vector<Level> levels_;  // containers open on the way: level i holds the step path_[i]
  bool found_ = false;         // the array has begun
  std::string key_;            // as it stands, without quotes; a longer one than could be wanted is cut
  bool key_escaped_ = false;
  ValueExtent extent_;
  std::size_t scanned_ = 0;  // bytes of the element that `extent_` has seen
  bool skipping_ = false;    // the element is too long
  std::string fault_;
};

}  // namespace sluice
