#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operators/format/column_spec.hpp"

namespace sluice {

// The keys that lead to a place in a JSON value: of a JSON pointer (RFC 6901) its steps, of a text without a
// leading slash that one top-level key as it is. Nothing if a ~ is followed by neither 0 nor 1.
std::optional<std::vector<std::string>> json_path(std::string_view from);

// The places in a JSON value that columns come from, as a tree of keys: one walk over a record finds all of
// them.
class JsonPaths {
 public:
  struct Node {
    std::vector<std::string> keys;        // of the children, in the order of the schema
    std::vector<std::uint32_t> children;  // index of each child
    std::vector<std::uint32_t> columns;   // that take the value itself
  };

  JsonPaths() : nodes_(1) {}
  // `from` as json_path takes it. False: not a pointer.
  bool add(std::string_view from, std::uint32_t column);

  const Node& root() const { return nodes_[0]; }
  const Node& node(std::uint32_t index) const { return nodes_[index]; }

 private:
  std::uint32_t child(std::uint32_t node, std::string key);
  std::vector<Node> nodes_;
};

// The columns of JSON records without a schema: each top-level key in the order of its first appearance.
// Whole numbers are int64, mixed with others float64; strings string; true and false bool; objects and arrays
// json. What is null in all records, or is now a string and now something else, is a string that holds the
// JSON text; with objects or arrays among them it is json.
std::vector<ColumnSpec> infer_json_columns(const std::vector<std::string>& records);

}  // namespace sluice
