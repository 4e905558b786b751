#include "operators/format/array_framer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

namespace sluice {
namespace {

// Blanks between an element and what ends it do not count towards its length; with more than so many it is
// too long all the same, so that memory stays bounded.
constexpr std::size_t kBlanksBehind = 4096;
// One byte of a key may be written as \u00XX.
constexpr std::size_t kLongestEscape = 6;

bool is_json_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t count_blanks(std::string_view bytes) {
  return std::min(bytes.find_first_not_of(" \t\n\r"), bytes.size());
}

std::uint32_t count_lines(std::string_view bytes) {
  return static_cast<std::uint32_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

// What find_end has to look at outside of strings.
constexpr std::array<bool, 256> kStructural = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '{', '}', '[', ']', ','}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

std::string shown_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7f ? fmt::format("\"{}\"", c == '"' ? "\\\"" : std::string(1, c))
                                    : fmt::format("the byte 0x{:02x}", byte);
}

std::string kind_of_value(char c) {
  if (c == '{') return "an object";
  if (c == '[') return "an array";
  if (c == '"') return "a string";
  if (c == '-' || (c >= '0' && c <= '9')) return "a number";
  if (c == 't' || c == 'f') return "true or false";
  return c == 'n' ? "null" : "";
}

bool key_equals(const std::string& raw, const std::string& wanted) {
  if (raw.find('\\') == std::string::npos) return raw == wanted;
  const auto key = nlohmann::json::parse("\"" + raw + "\"", nullptr, false);
  return key.is_string() && key.get_ref<const std::string&>() == wanted;
}

bool index_equals(std::uint64_t index, const std::string& wanted) { return std::to_string(index) == wanted; }

}  // namespace

std::size_t ValueExtent::find_end(std::string_view bytes, std::size_t from) {
  const char* const begin = bytes.data();
  const char* const end = begin + bytes.size();
  for (const char* at = begin + from; at < end; ++at) {
    const char c = *at;
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
      continue;
    }
    if (!kStructural[static_cast<unsigned char>(c)]) continue;
    const bool opens = c == '{' || c == '[';
    if (c == '"') {
      in_string_ = true;
    } else if (opens) {
      if (depth_ < kJsonDepth) objects_[depth_] = c == '{';
      ++depth_;
    } else if (depth_ == 0) {
      return static_cast<std::size_t>(at - begin);
    } else if (c != ',' && !close(c == '}')) {
      mismatch_ = true;
      return static_cast<std::size_t>(at - begin);
    }
  }
  return kOpen;
}

bool ValueExtent::close(bool object) {
  --depth_;
  return depth_ >= kJsonDepth || objects_[depth_] == object;
}

ArrayFramer::ArrayFramer(std::vector<std::string> path, std::size_t max_element)
    : path_(std::move(path)), max_element_(max_element) {}

void ArrayFramer::restart() {
  state_ = State::kStart;
  levels_.clear();
  found_ = skipping_ = false;
  fault_.clear();
}

ArrayFramer::Part ArrayFramer::next(std::string_view bytes, bool at_end) {
  if (state_ == State::kBroken) return {Part::Kind::kBroken, 0, 0, 0};
  if (state_ == State::kInKey) return in_key(bytes, at_end);
  if (state_ == State::kPassedOver) return passed_over(bytes, at_end);
  if (state_ == State::kInElement) return in_element(bytes, at_end);
  if (const std::size_t blanks = count_blanks(bytes); blanks > 0)
    return {Part::Kind::kSkipped, 0, blanks, count_lines(bytes.substr(0, blanks))};
  if (!bytes.empty()) return on_structure(bytes, bytes[0]);
  if (!at_end) return {};
  if (state_ == State::kTail) return {Part::Kind::kComplete, 0, 0, 0};
  return ends_early(bytes);
}

// `c` is bytes[0] and no blank.
ArrayFramer::Part ArrayFramer::on_structure(std::string_view bytes, char c) {
  switch (state_) {
    case State::kStart:
      return begin_value(bytes, c);
    case State::kFirstKey:
    case State::kKey:
      if (c == '}' && state_ == State::kFirstKey) return close_level(bytes, c);
      if (c != '"') return broken(bytes, 0, fmt::format("{} stands where a key is expected", shown_byte(c)));
      key_.clear();
      key_escaped_ = false;
      return step_to(State::kInKey);
    case State::kColon:
      if (c != ':') return broken(bytes, 0, fmt::format("{} stands where \":\" is expected", shown_byte(c)));
      if (key_is_wanted()) return step_to(State::kStart);
      extent_.restart();
      return step_to(State::kPassedOver);
    case State::kFirstItem:
      if (c == ']') return close_level(bytes, c);
      return begin_item(bytes, c);
    case State::kItem:
      return begin_item(bytes, c);
    case State::kAfter:
      if (c == ',') return step_to(levels_.back().object ? State::kKey : State::kItem);
      return close_level(bytes, c);
    case State::kFirstElement:
      if (c == ']') {
        leave_array();
        return {Part::Kind::kSkipped, 0, 1, 0};
      }
      [[fallthrough]];
    case State::kElement:
      extent_.restart();
      scanned_ = 0;
      return step_to(State::kInElement, 0);
    case State::kTail:
      return broken(bytes, 0, fmt::format("{} follows the end of the document", shown_byte(c)));
    default:
      return {};
  }
}

// A value on the path: the array, or what leads to it.
ArrayFramer::Part ArrayFramer::begin_value(std::string_view bytes, char c) {
  const std::size_t level = levels_.size();
  if (level == path_.size()) {
    if (c == '[') {
      found_ = true;
      return step_to(State::kFirstElement);
    }
    const std::string kind = kind_of_value(c);
    if (kind.empty()) return broken(bytes, 0, fmt::format("{} begins no JSON value", shown_byte(c)));
    if (level > 0) return broken(bytes, 0, fmt::format("{} is {} and no array", wanted_path(), kind));
    return broken(bytes, 0,
                  fmt::format("the document is {} and no array; name the place of the array inside it in "
                              "\"records\", such as \"/features\", or use jsonl if each line is an object",
                              kind));
  }
  if (c != '{' && c != '[') {
    const std::string kind = kind_of_value(c);
    if (kind.empty()) return broken(bytes, 0, fmt::format("{} begins no JSON value", shown_byte(c)));
    return broken(bytes, 0, fmt::format("there is no {}: {} stands in its way", wanted_path(), kind));
  }
  levels_.push_back({c == '{', 0});
  return step_to(c == '{' ? State::kFirstKey : State::kFirstItem);
}

ArrayFramer::Part ArrayFramer::begin_item(std::string_view bytes, char c) {
  const bool wanted = !found_ && index_equals(levels_.back().index, path_[levels_.size() - 1]);
  ++levels_.back().index;
  if (wanted) return begin_value(bytes, c);
  extent_.restart();
  return step_to(State::kPassedOver, 0);
}

ArrayFramer::Part ArrayFramer::in_key(std::string_view bytes, bool at_end) {
  const std::size_t longest = found_ ? 0 : kLongestEscape * path_[levels_.size() - 1].size() + 1;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c == '"' && !key_escaped_) {
      state_ = State::kColon;
      return {Part::Kind::kSkipped, 0, i + 1, count_lines(bytes.substr(0, i))};
    }
    key_escaped_ = c == '\\' && !key_escaped_;
    if (key_.size() < longest) key_ += c;
  }
  if (at_end) return ends_early(bytes);
  return {Part::Kind::kNeedsMore, 0, bytes.size(), count_lines(bytes)};
}

ArrayFramer::Part ArrayFramer::passed_over(std::string_view bytes, bool at_end) {
  const std::size_t end = extent_.find_end(bytes, 0);
  if (end == ValueExtent::kOpen) {
    if (at_end) return ends_early(bytes);
    return {Part::Kind::kNeedsMore, 0, bytes.size(), count_lines(bytes)};
  }
  if (extent_.mismatch())
    return broken(bytes, end,
                  fmt::format("{} closes another bracket than stands open", shown_byte(bytes[end])));
  state_ = State::kAfter;
  return {Part::Kind::kSkipped, 0, end, count_lines(bytes.substr(0, end))};
}

ArrayFramer::Part ArrayFramer::in_element(std::string_view bytes, bool at_end) {
  const std::size_t end = extent_.find_end(bytes, scanned_);
  if (end != ValueExtent::kOpen) {
    if (!extent_.mismatch() && bytes[end] != '}') return end_element(bytes, end);
    return broken(bytes, end,
                  fmt::format("{} closes another bracket than stands open, so it cannot be told where the "
                              "next element begins",
                              shown_byte(bytes[end])));
  }
  if (!skipping_ && too_long(bytes, bytes.size())) return begin_skipping(bytes);
  if (at_end) return ends_early(bytes);
  if (skipping_) return {Part::Kind::kNeedsMore, 0, bytes.size(), count_lines(bytes)};
  scanned_ = bytes.size();
  return {};
}

// From here on nobody needs the element's bytes.
ArrayFramer::Part ArrayFramer::begin_skipping(std::string_view seen) {
  skipping_ = true;
  scanned_ = 0;
  return {Part::Kind::kTooLong, 0, seen.size(), count_lines(seen)};
}

// `end` is the place of the comma or bracket behind the element.
ArrayFramer::Part ArrayFramer::end_element(std::string_view bytes, std::size_t end) {
  if (!skipping_ && too_long(bytes, end)) return begin_skipping(bytes.substr(0, end));
  if (bytes[end] == ',') {
    state_ = State::kElement;
  } else {
    leave_array();
  }
  Part part{Part::Kind::kElement, 0, end + 1, count_lines(bytes.substr(0, end))};
  if (std::exchange(skipping_, false)) {
    part.kind = Part::Kind::kTooLongEnd;
    return part;
  }
  part.length = end;
  while (part.length > 0 && is_json_blank(bytes[part.length - 1])) --part.length;
  return part;
}

// Whether an element that starts the bytes and reaches at least to `length` is: the same answer comes out
// however many of its bytes are there.
bool ArrayFramer::too_long(std::string_view bytes, std::size_t length) const {
  if (length <= max_element_) return false;
  if (length > max_element_ + kBlanksBehind) return true;
  const std::string_view behind = bytes.substr(max_element_, length - max_element_);
  return count_blanks(behind) < behind.size();
}

// `c` should close the container in which the path goes on, or went.
ArrayFramer::Part ArrayFramer::close_level(std::string_view bytes, char c) {
  const bool object = levels_.back().object;
  if (c != (object ? '}' : ']')) {
    return broken(
        bytes, 0,
        fmt::format("{} stands where \",\" or \"{}\" is expected", shown_byte(c), object ? '}' : ']'));
  }
  if (!found_) return broken(bytes, 0, fmt::format("the document holds no {}", wanted_path()));
  levels_.pop_back();
  return step_to(levels_.empty() ? State::kTail : State::kAfter);
}

ArrayFramer::Part ArrayFramer::ends_early(std::string_view bytes) {
  if (state_ == State::kStart && levels_.empty())
    return broken(bytes, bytes.size(), "the document is empty; a JSON array is expected");
  if (state_ == State::kInElement) {
    return broken(bytes, 0,
                  skipping_ ? "the document ends inside an element that is longer than max_record"
                            : "the document ends inside the element that begins here");
  }
  if (!found_) return broken(bytes, bytes.size(), fmt::format("the document ends before {}", wanted_path()));
  if (state_ == State::kFirstElement || state_ == State::kElement)
    return broken(bytes, bytes.size(), "the document ends before its array is closed");
  return broken(bytes, bytes.size(), "the document ends behind its array and before it is complete");
}

ArrayFramer::Part ArrayFramer::broken(std::string_view bytes, std::size_t at, std::string fault) {
  state_ = State::kBroken;
  fault_ = std::move(fault);
  return {Part::Kind::kBroken, 0, 0, count_lines(bytes.substr(0, at))};
}

ArrayFramer::Part ArrayFramer::step_to(State state, std::size_t consumed) {
  state_ = state;
  return {Part::Kind::kSkipped, 0, consumed, 0};
}

bool ArrayFramer::key_is_wanted() const { return !found_ && key_equals(key_, path_[levels_.size() - 1]); }

void ArrayFramer::leave_array() { state_ = levels_.empty() ? State::kTail : State::kAfter; }

std::string ArrayFramer::wanted_path() const {
  std::string text;
  for (const std::string& step : path_) text += "/" + step;
  return text;
}

}  // namespace sluice
