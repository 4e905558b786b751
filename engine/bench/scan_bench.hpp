#pragma once

#include "engine/bench/bench_report.hpp"

namespace sluice {

// `sluice bench scan`: MB/s of file_source per format on one core, from a file in the page cache, columns
// built and dropped.
BenchReport bench_scan(double seconds);

}  // namespace sluice
