#include "engine/graph/source_text.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "engine/graph/json_scanner.hpp"
#include "engine/graph/load.hpp"

namespace sluice {
namespace {

// The steps of all pointers that are looked for, as one tree, so that one scan serves all of them.
struct Node {
  std::unordered_map<std::string, Node*> children;
  bool found = false;
  std::size_t key_offset = 0;
  std::size_t value_offset = 0;
};

class Locator {
 public:
  Locator() { nodes_.emplace_back(); }

  Node* want(std::string_view pointer) {
    Node* node = &nodes_.front();
    while (!pointer.empty() && pointer.front() == '/') {
      pointer.remove_prefix(1);
      const std::size_t end = std::min(pointer.find('/'), pointer.size());
      Node*& child = node->children[pointer_name(pointer.substr(0, end))];
      if (child == nullptr) {
        child = &nodes_.emplace_back();
        parents_[child] = node;
      }
      node = child;
      pointer.remove_prefix(end);
    }
    return node;
  }

  void scan(std::string_view text) {
    JsonScanner scanner(text, kMaxDocumentDepth);
    for (auto token = scanner.next(); take(scanner, token); token = scanner.next()) {
    }
  }

  const Node* nearest(const Node* node) const {
    while (!node->found && parents_.contains(node)) node = parents_.at(node);
    return node;
  }

 private:
  using Kind = JsonScanner::Kind;

  struct Frame {
    Node* node;  // of the container, null if nothing below it is looked for
    bool array;
    std::size_t index = 0;
    Node* member = nullptr;  // of the key that was read last
    std::size_t key_offset = 0;
  };

  bool take(const JsonScanner& scanner, const JsonScanner::Token& token) {
    switch (token.kind) {
      case Kind::end:
      case Kind::error:
        return false;
      case Kind::end_object:
      case Kind::end_array:
        frames_.pop_back();
        return true;
      case Kind::key:
        take_key(scanner.text(), token.offset);
        return true;
      case Kind::begin_object:
        frames_.push_back({start_value(token.offset), false});
        return true;
      case Kind::begin_array:
        frames_.push_back({start_value(token.offset), true});
        return true;
      default:
        start_value(token.offset);
        return true;
    }
  }

  void take_key(const std::string& key, std::size_t offset) {
    frames_.back().member = child(frames_.back().node, key);
    frames_.back().key_offset = offset;
  }

  static Node* child(const Node* node, const std::string& step) {
    if (node == nullptr || node->children.empty()) return nullptr;
    const auto it = node->children.find(step);
    return it == node->children.end() ? nullptr : it->second;
  }

  Node* start_value(std::size_t offset) {
    if (frames_.empty()) return found(&nodes_.front(), offset, offset);
    Frame& frame = frames_.back();
    if (!frame.array) return found(frame.member, frame.key_offset, offset);
    const std::size_t index = frame.index++;
    if (frame.node == nullptr || frame.node->children.empty()) return nullptr;
    return found(child(frame.node, std::to_string(index)), offset, offset);
  }

  // Of a key that is written twice the first counts, as in the document; nothing is looked for below the
  // second.
  static Node* found(Node* node, std::size_t key_offset, std::size_t value_offset) {
    if (node == nullptr || node->found) return nullptr;
    node->found = true;
    node->key_offset = key_offset;
    node->value_offset = value_offset;
    return node;
  }

  std::deque<Node> nodes_;
  std::unordered_map<const Node*, const Node*> parents_;
  std::vector<Frame> frames_;
};

bool concerns_key(ErrorCode code) { return code == ErrorCode::unknown_field; }

}  // namespace

SourceText::SourceText(std::string file, std::string source, std::string scanned,
                       std::vector<TextPiece> pieces)
    : file_(std::move(file)),
      source_(std::move(source)),
      scanned_(std::move(scanned)),
      pieces_(std::move(pieces)) {
  line_starts_.push_back(source_.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  for (std::size_t i = source_.find('\n'); i != std::string::npos; i = source_.find('\n', i + 1)) {
    line_starts_.push_back(i + 1);
  }
}

std::size_t SourceText::source_offset(std::size_t scanned_offset) const {
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), scanned_offset,
                       [](std::size_t offset, const TextPiece& piece) { return offset < piece.offset; });
  if (after == pieces_.begin()) return scanned_offset;
  auto it = std::prev(after);
  // A variable that gave an empty text shares its offset with what follows; the variable is the place to
  // show.
  while (it != pieces_.begin() && !it->substituted && std::prev(it)->offset == scanned_offset) --it;
  const TextPiece& piece = *it;
  return piece.substituted ? piece.source_offset : piece.source_offset + (scanned_offset - piece.offset);
}

Position SourceText::position_at(std::size_t scanned_offset) const {
  const std::size_t offset = std::min(source_offset(scanned_offset), source_.size());
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::size_t>(after - line_starts_.begin());
  if (line == 0) return {1, 1};
  const auto first = source_.begin() + static_cast<std::ptrdiff_t>(line_starts_[line - 1]);
  const auto last = source_.begin() + static_cast<std::ptrdiff_t>(offset);
  const auto starts_code_point = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return {line, 1 + static_cast<std::size_t>(std::count_if(first, last, starts_code_point))};
}

Position SourceText::position_of(std::string_view pointer) const {
  return positions_of({{std::string(pointer), ErrorCode::bad_value, "", ""}}).front();
}

std::vector<Position> SourceText::positions_of(const Problems& problems) const {
  Locator locator;
  std::vector<const Node*> wanted;
  wanted.reserve(problems.size());
  for (const Problem& problem : problems) wanted.push_back(locator.want(problem.pointer));
  locator.scan(scanned_);
  std::vector<Position> positions;
  positions.reserve(problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const Node* node = locator.nearest(wanted[i]);
    const bool at_key = node == wanted[i] && concerns_key(problems[i].code);
    positions.push_back(position_at(at_key ? node->key_offset : node->value_offset));
  }
  return positions;
}

}  // namespace sluice
