#include "engine/plan/common_sources.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

namespace sluice {
namespace {

// Ascending numbers of operators. Shared along a chain, so that a long one costs nothing.
using Sources = std::shared_ptr<const std::vector<std::size_t>>;

Sources merged(const Sources& a, const Sources& b) {
  auto all = std::make_shared<std::vector<std::size_t>>();
  std::set_union(a->begin(), a->end(), b->begin(), b->end(), std::back_inserter(*all));
  return all;
}

class Grouping {
 public:
  explicit Grouping(const Graph& graph)
      : graph_(graph),
        edges_in_(graph.operators.size()),
        sources_(graph.operators.size()),
        groups_(graph.edges.size()) {
    for (std::size_t e = 0; e < graph.edges.size(); ++e) edges_in_[graph.edges[e].to].push_back(e);
  }

  std::vector<std::uint32_t> run() {
    for (const std::size_t op : graph_.topological_order) {
      if (edges_in_[op].empty()) {
        sources_[op] = std::make_shared<const std::vector<std::size_t>>(1, op);
      } else {
        visit(op);
      }
    }
    return std::move(groups_);
  }

 private:
  void visit(std::size_t op) {
    std::map<std::size_t, std::uint32_t> group_of;  // a source's
    std::uint32_t next = 0;
    Sources all;
    for (const std::size_t e : edges_in_[op]) {
      const Sources& from = sources_[graph_.edges[e].from];
      if (edges_in_[op].size() > 1) groups_[e] = join_groups(op, e, *from, group_of, next);
      all = all == nullptr || all == from ? from : merged(all, from);
    }
    sources_[op] = std::move(all);
  }

  // The group of edge e; edges before it that it brings together get the same one.
  std::uint32_t join_groups(std::size_t op, std::size_t e, const std::vector<std::size_t>& from,
                            std::map<std::size_t, std::uint32_t>& group_of, std::uint32_t& next) {
    std::uint32_t group = next;
    for (const std::size_t source : from) {
      const auto known = group_of.find(source);
      if (known == group_of.end() || known->second == group) continue;
      const std::uint32_t old = std::max(group, known->second);
      group = std::min(group, known->second);
      for (auto& [other, number] : group_of) {
        if (number == old) number = group;
      }
      for (const std::size_t before : edges_in_[op]) {
        if (before == e) break;
        if (groups_[before] == old) groups_[before] = group;
      }
    }
    for (const std::size_t source : from) group_of[source] = group;
    if (group == next) ++next;
    return group;
  }

  const Graph& graph_;
  std::vector<std::vector<std::size_t>> edges_in_;
  std::vector<Sources> sources_;
  std::vector<std::uint32_t> groups_;
};

}  // namespace

std::vector<std::uint32_t> group_by_common_sources(const Graph& graph) { return Grouping(graph).run(); }

}  // namespace sluice
