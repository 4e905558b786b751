#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/graph/graph.hpp"
#include "operators/config/problem.hpp"

namespace sluice {

// A graph while it is being checked: what could be read of it, and what is already known to be wrong, so that
// one mistake is reported once. A rule skips whatever an earlier rule has found broken.
struct Draft {
  // What is wrong with one operator, beyond which nothing of it is judged.
  struct OperatorState {
    bool broken = false;  // its own fields; it is not bound
    bool explained =
        false;  // a reported problem keeps records or schemas from it, or from something upstream
  };
  // The ends of an edge as written, until they are resolved; `resolved` if Graph::edges[i] has its indexes.
  struct EdgeState {
    std::string from;
    std::string to;
    bool resolved = false;
  };

  Graph graph;
  std::vector<OperatorState> operators;  // one each of graph.operators
  std::vector<EdgeState> edges;          // one each of graph.edges
  // False if the document has no list of operators.
  bool operators_complete = true;
  // False if an edge could not be read or resolved: no port can be called unconnected then.
  bool edges_complete = true;
  std::vector<std::string> placement_with;  // one an operator, "" for none
  std::unordered_map<std::string_view, std::size_t>
      by_id;  // the first operator of each id; views into graph.operators

  // Resolved edges by operator, as indexes of graph.edges.
  std::vector<std::vector<std::size_t>> edges_in;
  std::vector<std::vector<std::size_t>> edges_out;

  // Looking for a misspelled id compares it with every id: done for the first problems only, so that a
  // document with thousands of wrong edges stays linear.
  std::size_t id_hints_left = 50;
};

std::string operator_pointer(std::size_t index);
std::string edge_pointer(std::size_t index);

}  // namespace sluice
