#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/engine/graph_run.hpp"
#include "tests/engine/random_graphs/row_reference.hpp"

namespace sluice::reference {

// Numbers from a seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  // first … last, both included.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(first, last)(engine_);
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  template <typename T>
  const T& element(const std::vector<T>& of) {
    return of[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(of.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

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
