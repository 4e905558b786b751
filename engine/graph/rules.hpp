#pragma once

#include "engine/graph/draft.hpp"
#include "operators/config/catalogue.hpp"
#include "operators/config/problem.hpp"

namespace sluice {

// The rules of a graph, one function each, in the order in which check_graph applies them. Each adds what it
// finds to `problems` with absolute pointers, marks in the draft what it has judged broken, and skips what an
// earlier rule has marked. All are linear in the size of the graph and none recurses, so that a chain of any
// length is checked.

// names
void check_graph_name(const Draft& draft, Problems& problems);
void check_plugins(const Draft& draft, Problems& problems);
void check_operator_ids(Draft& draft, Problems& problems);  // fills by_id
void check_operator_types(Draft& draft, const Catalogue& catalogue,
                          Problems& problems);  // fills OperatorNode::type
void check_configs(Draft& draft, Problems& problems);
void check_placement(Draft& draft, Problems& problems);

// edges
void resolve_edges(Draft& draft, Problems& problems);  // fills the indexes of edges, edges_in and edges_out
void check_duplicate_edges(const Draft& draft, Problems& problems);
void check_loss(const Draft& draft, Problems& problems);
void check_credits(const Draft& draft, Problems& problems);

// shape
void check_cycles(Draft& draft,
                  Problems& problems);  // fills topological_order with what is in no cycle and behind none
void check_sources(Draft& draft, Problems& problems);
void check_ports(Draft& draft, Problems& problems);
void check_reachable(const Draft& draft, Problems& problems);

// schemas, in topological order
void bind_operators(
    Draft& draft,
    Problems& problems);  // fills OperatorNode::bound and input_schemas; unions are checked here
void check_partitions(const Draft& draft, Problems& problems);

// waiting
void check_waiting(const Draft& draft, Problems& problems);  // joins that take their left side last

// files
void check_files(const Draft& draft, Problems& problems);

}  // namespace sluice
