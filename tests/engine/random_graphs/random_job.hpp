#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/engine/graph_run.hpp"
#include "tests/engine/random_graphs/row_reference.hpp"

namespace sluice::reference {

// One file that a job writes.
struct Written {
  std::string file;
  std::vector<Column> columns;
  // Sorted; none where the reference does not know them, because they depend on an order or are estimates.
  // Then too they are to be the same in every run.
  std::optional<std::vector<std::string>> lines;
};

struct RandomJob {
  nlohmann::json graph;  // nothing in it of parallelism, credits, memory
  std::vector<Written> written;
};

// A graph of a few operators over one or two files, which are written into the folder.
RandomJob random_job(std::uint64_t seed, const TemporaryFolder& folder);

}  // namespace sluice::reference
