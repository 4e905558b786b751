#include "engine/bench/bench_report.hpp"

#include <fmt/format.h>
#include <fstream>
#include <thread>

namespace sluice {

std::string machine_description() {
  std::string model = "unknown processor";
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.rfind("model name", 0) == 0) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  }
  return fmt::format("{} cores of {}; compiler {}", std::thread::hardware_concurrency(), model, __VERSION__);
}

std::string BenchReport::text() const {
  std::string out = fmt::format("bench {}: {}\n", name, machine_description());
  for (const std::string& note : notes) out += fmt::format("  {}\n", note);
  out += fmt::format("{:<58} {:<5} {:>12} {:>12} {:>12}  {:<14} {}\n", "quantity", "cores", "median", "min",
                     "max", "unit", "samples");
  for (const BenchRow& row : rows) {
    if (row.samples.empty()) continue;
    out += fmt::format("{:<58} {:<5} {:>12.2f} {:>12.2f} {:>12.2f}  {:<14} {}\n", row.quantity, row.situation,
                       row.samples.median(), row.samples.min(), row.samples.max(), row.unit,
                       row.samples.count());
  }
  return out;
}

nlohmann::ordered_json BenchReport::json() const {
  nlohmann::ordered_json out;
  out["bench"] = name;
  out["machine"] = machine_description();
  out["notes"] = notes;
  out["rows"] = nlohmann::ordered_json::array();
  for (const BenchRow& row : rows) {
    if (row.samples.empty()) continue;
    out["rows"].push_back({{"quantity", row.quantity},
                           {"cores", row.situation},
                           {"unit", row.unit},
                           {"median", row.samples.median()},
                           {"min", row.samples.min()},
                           {"max", row.samples.max()},
                           {"samples", row.samples.count()}});
  }
  return out;
}

}  // namespace sluice
