#include "engine/graph/json_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "engine/graph/json_scanner.hpp"
#include "operators/config/field_text.hpp"

namespace sluice {
namespace {

using Kind = JsonScanner::Kind;
using Token = JsonScanner::Token;

// Puts the tokens together. Containers are built bottom up on a stack of frames, so that neither building nor
// dropping a document recurses deeper than the scanner's limit.
class Builder {
 public:
  Builder(std::string_view text, std::size_t max_depth, const std::vector<std::size_t>& unset)
      : text_(text), scanner_(text, max_depth), unset_(unset) {
    document_.unset_pointers.resize(unset.size());
  }

  JsonDocument build() {
    while (true) {
      const Token token = scanner_.next();
      if (token.kind == Kind::error) return fail(token), std::move(document_);
      if (token.kind == Kind::end) return document_.complete = true, std::move(document_);
      take(token);
    }
  }

 private:
  struct Frame {
    Json value;
    std::optional<std::string> key;  // of the last member, or of the one that comes next
    bool duplicate = false;          // that member is dropped: its key came before
  };

  void take(const Token& token) {
    switch (token.kind) {
      case Kind::begin_object:
        return frames_.push_back({Json::object(), std::nullopt, false});
      case Kind::begin_array:
        return frames_.push_back({Json::array(), std::nullopt, false});
      case Kind::end_object:
      case Kind::end_array:
        return close();
      case Kind::key:
        return take_key(token);
      case Kind::string:
        note_unset(token);
        return add(scanner_.text());
      case Kind::number:
        return add(number(token));
      case Kind::true_value:
        return add(true);
      case Kind::false_value:
        return add(false);
      case Kind::null_value:
        note_unset(token);
        return add(nullptr);
      case Kind::end:
      case Kind::error:
        return;
    }
  }

  void take_key(const Token& token) {
    Frame& frame = frames_.back();
    frame.key = scanner_.text();
    note_unset(token);
    frame.duplicate = frame.value.contains(*frame.key);
    if (!frame.duplicate) return;
    report(ErrorCode::duplicate_key, fmt::format("the key {} is written twice", quote_value(*frame.key)),
           "remove one of the two", token.offset);
  }

  void close() {
    Json value = std::move(frames_.back().value);
    frames_.pop_back();
    add(std::move(value));
  }

  void add(Json value) {
    if (frames_.empty()) {
      document_.root = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.value.is_array()) {
      frame.value.push_back(std::move(value));
    } else if (!frame.duplicate) {
      frame.value.emplace(*frame.key, std::move(value));
    }
  }

  Json number(const Token& token) {
    const std::string text(text_.substr(token.offset, token.end - token.offset));
    if (text.find_first_of(".eE") != std::string::npos) return fraction(text, token);
    std::uint64_t positive = 0;
    std::int64_t negative = 0;
    const char* const end = text.data() + text.size();
    const auto error = text.front() == '-' ? std::from_chars(text.data(), end, negative).ec
                                           : std::from_chars(text.data(), end, positive).ec;
    if (error == std::errc()) return text.front() == '-' ? Json(negative) : Json(positive);
    return unreadable(token, fmt::format("the integer {} does not fit into 64 bits", shortened(text)));
  }

  Json fraction(const std::string& text, const Token& token) {
    const double value = std::strtod(text.c_str(), nullptr);
    if (std::isfinite(value)) return value;
    return unreadable(token, fmt::format("the number {} does not fit into a float64", shortened(text)));
  }

  static std::string shortened(const std::string& text) {
    return text.size() <= 40 ? text : text.substr(0, 40) + "…";
  }

  Json unreadable(const Token& token, std::string message) {
    report(ErrorCode::out_of_range, std::move(message), "", token.offset);
    document_.unreliable.insert(pointer());
    return nullptr;
  }

  void note_unset(const Token& token) {
    auto it = std::lower_bound(unset_.begin(), unset_.end(), token.offset);
    for (; it != unset_.end() && *it < token.end; ++it) {
      document_.unset_pointers[static_cast<std::size_t>(it - unset_.begin())] = pointer();
      document_.unreliable.insert(pointer());
    }
  }

  void fail(const Token& token) {
    const bool deep = scanner_.failure() == JsonScanner::Failure::too_deep;
    report(deep ? ErrorCode::too_deep : ErrorCode::malformed_json, scanner_.message(), "", token.offset);
  }

  void report(ErrorCode code, std::string message, std::string hint, std::size_t offset) {
    document_.problems.push_back({{pointer(), code, std::move(message), std::move(hint)}, offset});
  }

  // Of the value that comes next, or of the container if it is not known yet.
  std::string pointer() const {
    std::string text;
    for (const Frame& frame : frames_) {
      if (frame.value.is_array()) {
        text += fmt::format("/{}", frame.value.size());
      } else if (frame.key) {
        text += '/' + pointer_step(*frame.key);
      }
    }
    return text;
  }

  std::string_view text_;
  JsonScanner scanner_;
  const std::vector<std::size_t>& unset_;
  std::vector<Frame> frames_;
  JsonDocument document_;
};

}  // namespace

JsonDocument parse_json_document(std::string_view text, std::size_t max_depth,
                                 const std::vector<std::size_t>& unset) {
  return Builder(text, max_depth, unset).build();
}

}  // namespace sluice
