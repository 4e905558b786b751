// Random graphs over random input: what they write is what plain code computes a record at a time, whatever
// the parallelism, the threads, the sizes of blocks, the credits and the profile.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tests/engine/random_graphs/random.hpp"
#include "tests/engine/random_graphs/random_job.hpp"

namespace sluice::reference {
namespace {

constexpr std::uint64_t kFirstSeed = 20'261'130;
constexpr std::uint64_t kJobs = 100;  // SLUICE_RANDOM_JOBS asks for another number
constexpr int kWays = 4;              // to run each

// ---- how a job is run ----

struct Way {
  nlohmann::json graph;
  PlanOptions options;
  std::size_t block_bytes = 0;  // of the smallest blocks; 0: as planned
};

Way random_way(const nlohmann::json& graph, Random& random) {
  Way way{graph, {}, 0};
  way.options.memory_bytes = 2ull << 30;
  way.options.threads = static_cast<std::uint32_t>(random.between(1, 3));
  way.options.profile = random.element<Profile>({Profile::balanced, Profile::latency, Profile::throughput});
  if (random.one_in(2)) way.block_bytes = random.element<std::size_t>({4096, 8192});
  for (auto& op : way.graph["operators"]) {
    if (!random.one_in(3)) op["parallelism"] = random.between(1, 4);
  }
  for (auto& edge : way.graph["edges"]) {
    if (random.one_in(2)) continue;
    edge["credits"] = {{"min_blocks", random.between(1, 3)}, {"window", 0.001}, {"high", 0.9}, {"low", 0.2}};
  }
  return way;
}

// The first cells of a line of CSV, one a column.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool inside = false;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    if (c == ',' && !inside) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

// The file's lines, sorted; numbers in comparable digits if they are compared with the reference's.
std::vector<std::string> lines_of(const std::string& text, const Written& written) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line;
    const std::vector<std::string> cells = cells_of(text.substr(begin, end - begin));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line += ',';
      const bool number = written.columns[c].kind == Kind::number;
      line += begin > 0 && written.lines && number && !cells[c].empty()
                  ? comparable(std::strtod(cells[c].c_str(), nullptr))
                  : cells[c];
    }
    if (begin > 0) lines.push_back(std::move(line));
    begin = end + 1;
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// The first line in which two sorted lists differ.
std::string difference(const std::vector<std::string>& got, const std::vector<std::string>& wanted) {
  std::vector<std::string> surplus, missing;
  std::set_difference(got.begin(), got.end(), wanted.begin(), wanted.end(), std::back_inserter(surplus));
  std::set_difference(wanted.begin(), wanted.end(), got.begin(), got.end(), std::back_inserter(missing));
  if (surplus.empty() && missing.empty()) return "";
  return fmt::format("{} lines of {} are not wanted, e.g. {}; {} of {} are missing, e.g. {}", surplus.size(),
                     got.size(), surplus.empty() ? "-" : surplus.front(), missing.size(), wanted.size(),
                     missing.empty() ? "-" : missing.front());
}

void run_way(const Way& way) {
  const auto shrink = [&](NodePlan& plan) {
    if (way.block_bytes > 0 && plan.tiers.size() > 1 && way.block_bytes < plan.tiers[1].block_bytes)
      plan.tiers[0].block_bytes = way.block_bytes;
  };
  const GraphRun run = run_graph_text(way.graph.dump(), way.options, {}, shrink);
  REQUIRE(run.problems == "");
  REQUIRE(run.error == "");
  REQUIRE(run.differences == std::vector<std::string>{});
}

TEST_CASE("Random graphs write what a record at a time gives, however they are run") {
  const char* asked = std::getenv("SLUICE_RANDOM_JOBS");
  const std::uint64_t jobs = asked != nullptr ? std::stoull(asked) : kJobs;
  std::size_t known = 0, lines = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + jobs; ++seed) {
    const TemporaryFolder folder;
    const RandomJob job = random_job(seed, folder);
    Random random(seed);
    std::vector<std::vector<std::string>> first;
    for (int number = 0; number < kWays; ++number) {
      const Way way = number == 0 ? Way{job.graph, {.memory_bytes = 2ull << 30, .threads = 1}, 0}
                                  : random_way(job.graph, random);
      const std::string text = fmt::format("seed {}, way {}: {}", seed, number, way.graph.dump());
      CAPTURE(text);
      run_way(way);
      for (std::size_t i = 0; i < job.written.size(); ++i) {
        const Written& written = job.written[i];
        CAPTURE(written.file);
        const auto got = lines_of(folder.read(written.file), written);
        if (written.lines) {
          REQUIRE(difference(got, *written.lines) == "");
          ++known;
          lines += got.size();
        }
        if (number == 0) first.push_back(got);
        REQUIRE(difference(got, first[i]) == "");
      }
    }
  }
  // The trial is one of something.
  CHECK(known > jobs * kWays);
  CHECK(lines > 20 * jobs * kWays);
}

}  // namespace
}  // namespace sluice::reference
