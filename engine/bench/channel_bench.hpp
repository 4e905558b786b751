#pragma once

#include "engine/bench/bench_report.hpp"

namespace sluice {

// `sluice bench channel`: what an in-process edge costs and carries, beside the machine's copy bandwidth and
// a bare ring of pointers that hands over blocks of the same size. All of it interleaved in one run of about
// `seconds`.
BenchReport bench_channel(double seconds);

}  // namespace sluice
