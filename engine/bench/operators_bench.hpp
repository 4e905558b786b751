#pragma once

#include "engine/bench/bench_report.hpp"

namespace sluice {

// Rows a second of single operators on one core, fed with batches from memory, and of the same work as a
// hand-written loop over arrays; interleaved, for about `seconds`.
BenchReport bench_operators(double seconds);

}  // namespace sluice
