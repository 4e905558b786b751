#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/graph/rules.hpp"

namespace sluice {
namespace {

constexpr std::size_t kLeft = 0;
constexpr std::size_t kRight = 1;

bool waits_for_right(const OperatorNode& node) {
  return node.bound != nullptr && node.bound->traits().waits_for_right;
}

// What has to come before what while the graph runs, where a join takes its left side only once its right
// side has ended. A cycle is a job that would stand still for ever: credit holds the left side's source back,
// and the right side needs that source to go on. Three nodes an operator:
//   ends    all its input has ended and is worked off
//   flows   what it emits is taken
//   opens   (such joins) the right side has ended
// ends → ends of all upstream, and its own flows; flows → flows of those it sends to, and opens of a join at
// whose left it stands (a right side is always taken); opens → ends of all that send to its right side.
class WaitGraph {
 public:
  explicit WaitGraph(const Draft& draft) : draft_(draft), colours_(3 * draft.graph.operators.size()) {}

  // The operators of a cycle, in order; empty if there is none. Iterative: a chain may be of any length.
  std::vector<std::size_t> find_cycle() {
    for (std::size_t op = 0; op < draft_.graph.operators.size(); ++op) {
      if (waits_for_right(draft_.graph.operators[op]) && visit({op, Node::opens})) return operators_on_path();
    }
    return {};
  }

 private:
  enum class Colour : std::uint8_t { unseen, on_path, done };
  struct Node {
    enum What : std::uint8_t { ends, flows, opens };
    std::size_t op;
    What what;
  };
  struct Visit {
    Node node;
    std::vector<Node> next;
  };

  Colour& colour(Node node) { return colours_[3 * node.op + node.what]; }

  std::vector<Node> needs(Node node) const {
    std::vector<Node> list;
    switch (node.what) {
      case Node::ends:
        for (const std::size_t e : draft_.edges_in[node.op]) list.push_back({edge(e).from, Node::ends});
        list.push_back({node.op, Node::flows});
        break;
      case Node::flows:
        for (const std::size_t e : draft_.edges_out[node.op]) {
          const bool holds = waits_for_right(draft_.graph.operators[edge(e).to]);
          if (holds && edge(e).input_port == kRight) continue;
          list.push_back({edge(e).to, Node::flows});
          if (holds && edge(e).input_port == kLeft) list.push_back({edge(e).to, Node::opens});
        }
        break;
      case Node::opens:
        for (const std::size_t e : draft_.edges_in[node.op]) {
          if (edge(e).input_port == kRight) list.push_back({edge(e).from, Node::ends});
        }
        break;
    }
    return list;
  }

  // True: path_ ends in a cycle, from cycle_start_ on.
  bool visit(Node start) {
    if (colour(start) != Colour::unseen) return false;
    path_.clear();
    enter(start);
    while (!path_.empty()) {
      if (path_.back().next.empty()) {
        colour(path_.back().node) = Colour::done;
        path_.pop_back();
        continue;
      }
      const Node next = path_.back().next.back();
      path_.back().next.pop_back();
      if (colour(next) == Colour::on_path) {
        const auto same = [&](const Visit& v) { return v.node.op == next.op && v.node.what == next.what; };
        cycle_start_ =
            static_cast<std::size_t>(std::find_if(path_.begin(), path_.end(), same) - path_.begin());
        return true;
      }
      if (colour(next) == Colour::unseen) enter(next);
    }
    return false;
  }

  void enter(Node node) {
    colour(node) = Colour::on_path;
    path_.push_back({node, needs(node)});
  }

  std::vector<std::size_t> operators_on_path() const {
    std::vector<std::size_t> ops;
    for (std::size_t i = cycle_start_; i < path_.size(); ++i) {
      if (ops.empty() || ops.back() != path_[i].node.op) ops.push_back(path_[i].node.op);
    }
    // Begin with the join, which explains the rest.
    const auto join = std::find_if(
        ops.begin(), ops.end(), [&](std::size_t op) { return waits_for_right(draft_.graph.operators[op]); });
    if (join != ops.end()) std::rotate(ops.begin(), join, ops.end());
    if (ops.size() > 1 && ops.front() == ops.back()) ops.pop_back();
    return ops;
  }

  const EdgeNode& edge(std::size_t index) const { return draft_.graph.edges[index]; }

  const Draft& draft_;
  std::vector<Colour> colours_;
  std::vector<Visit> path_;
  std::size_t cycle_start_ = 0;
};

std::string quoted_ids(const Graph& graph, const std::vector<std::size_t>& ops) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, ops.size()); ++i) {
    text += fmt::format("{}\"{}\"", i > 0 ? ", " : "", graph.operators[ops[i]].id);
  }
  if (ops.size() > kShown) text += fmt::format(" and {} more", ops.size() - kShown);
  return text;
}

// Operators that some source feeds for ever, with that source; against the order of the edges nothing is
// known of those behind a cycle.
std::vector<const OperatorNode*> endless_sources(const Draft& draft) {
  std::vector<const OperatorNode*> endless(draft.graph.operators.size(), nullptr);
  for (const std::size_t op : draft.graph.topological_order) {
    const OperatorNode& node = draft.graph.operators[op];
    if (node.bound != nullptr && node.bound->traits().unbounded) endless[op] = &node;
    for (const std::size_t e : draft.edges_in[op]) {
      if (endless[op] == nullptr) endless[op] = endless[draft.graph.edges[e].from];
    }
  }
  return endless;
}

}  // namespace

void check_waiting(const Draft& draft, Problems& problems) {
  const Graph& graph = draft.graph;
  const bool any = std::any_of(graph.operators.begin(), graph.operators.end(), waits_for_right);
  if (!any || !draft.edges_complete) return;
  const std::vector<const OperatorNode*> endless = endless_sources(draft);
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const EdgeNode& edge = graph.edges[e];
    if (edge.input_port != kRight || !waits_for_right(graph.operators[edge.to]) || !endless[edge.from])
      continue;
    problems.push_back({edge_pointer(e), ErrorCode::never_ends,
                        fmt::format("the right side of \"{}\" has to end before its left side is taken, and "
                                    "\"{}\" never ends",
                                    graph.operators[edge.to].id, endless[edge.from]->id),
                        "a lookup needs a bounded right side; for two endless sides take an interval or "
                        "asof join"});
  }
  const std::vector<std::size_t> cycle = WaitGraph(draft).find_cycle();
  if (cycle.empty()) return;
  problems.push_back({operator_pointer(cycle.front()), ErrorCode::never_ends,
                      fmt::format("\"{}\" takes its left side only when its right side has ended, and that "
                                  "cannot end while the left side waits: {} wait for each other",
                                  graph.operators[cycle.front()].id, quoted_ids(graph, cycle)),
                      "read the right side with a source of its own"});
}

}  // namespace sluice
