#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/bench/samples.hpp"

namespace sluice {

// One line of a benchmark's result: a quantity, in which situation, its samples.
struct BenchRow {
  std::string quantity;   // "edge alone, per block"
  std::string situation;  // "near", "far" or ""
  std::string unit;
  Samples samples;
};

// What `sluice bench` prints: the machine, then a line a quantity with median, min and max; ratios are rows
// like others.
struct BenchReport {
  std::string name;
  std::vector<std::string> notes;
  std::vector<BenchRow> rows;

  std::string text() const;
  nlohmann::ordered_json json() const;
};

// Model, cores, compiler and commit: what a figure means nothing without.
std::string machine_description();

}  // namespace sluice
