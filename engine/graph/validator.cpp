#include "engine/graph/validator.hpp"

#include "engine/graph/rules.hpp"

namespace sluice {

void check_graph(Draft& draft, const Catalogue& catalogue, Problems& problems) {
  check_graph_name(draft, problems);
  check_plugins(draft, problems);
  check_operator_ids(draft, problems);
  check_operator_types(draft, catalogue, problems);
  check_configs(draft, problems);
  check_placement(draft, problems);

  resolve_edges(draft, problems);
  check_duplicate_edges(draft, problems);
  check_loss(draft, problems);
  check_credits(draft, problems);

  check_cycles(draft, problems);
  check_sources(draft, problems);
  check_ports(draft, problems);
  check_reachable(draft, problems);

  bind_operators(draft, problems);
  check_partitions(draft, problems);
  check_waiting(draft, problems);
  check_files(draft, problems);
}

}  // namespace sluice
