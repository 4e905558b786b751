#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "operators/expression/source_text.hpp"

namespace sluice::expression {

enum class NodeKind : std::uint8_t {
  null,
  boolean,      // integer is 0 or 1
  integer,      // integer
  real,         // real
  text,         // text
  column,       // text is its name
  negate,       // one child
  arithmetic,   // children joined by links: a + b - c is one node of three children and two links
  concatenate,  // two or more children
  conjunction,  // two or more children
  disjunction,  // two or more children
  negation,     // not
  comparison,   // two children, links[0]
  between,      // three children
  in,           // the value, then the list
  like,         // text, pattern [, escape]
  is_null,      // one child
  choice,       // case: [subject,] condition, result, … [, else]
  cast,         // one child, text is the type's name; lenient: try_cast
  call,         // text is the function's name in lower case
};

enum class Link : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  modulo,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal
};

struct Node;
using NodePtr = std::unique_ptr<Node>;

// One node of the parsed expression. Chains of the same precedence are flat (`links`), so the height of a
// tree is the nesting that its author wrote, which the parser bounds; whatever walks the tree may therefore
// recurse.
struct Node {
  NodeKind kind = NodeKind::null;
  bool negated = false;      // not between, not in, not like, is not null
  bool lenient = false;      // try_cast
  bool has_subject = false;  // case x when …
  bool has_else = false;
  std::uint32_t height = 1;
  Span span;        // all of it
  Span place;       // where an error about the node itself is shown: its operator or name
  Span type_place;  // cast: the type's name
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  std::vector<NodePtr> children;
  std::vector<Link> links;
  std::vector<Span> link_places;
};

inline constexpr std::uint32_t kMaxNesting = 200;

}  // namespace sluice::expression
