#include "engine/bench/scan_bench.hpp"

#include <unistd.h>

#include <fmt/format.h>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "engine/bench/lone_operator.hpp"
#include "engine/bench/two_cores.hpp"
#include "operators/builtin/file_source.hpp"
#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

constexpr std::size_t kFileBytes = 32 << 20;

// One format: how a line of it is made, and the source's config beside the path.
struct ScanCase {
  std::string name;
  std::function<std::string(std::uint64_t)> line;
  Json config;
};

std::string apache_line(std::uint64_t i) {
  const std::uint64_t h = hash_word(i);
  return fmt::format(
      "{}.{}.{}.{} - - [17/May/2015:{:02}:{:02}:{:02} +0000] \"GET /presentations/2013/images/figure-{}.png "
      "HTTP/1.1\" {} {} "
      "\"http://www.example.com/presentations/2013/\" \"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 "
      "(KHTML, like "
      "Gecko) Chrome/32.0.1700.77 Safari/537.36\"\n",
      h & 255, (h >> 8) & 255, (h >> 16) & 255, (h >> 24) & 255, h % 24, i / 60 % 60, i % 60, h % 1000,
      h % 20 == 0 ? 404 : 200, h % 100000);
}

std::string csv_line(std::uint64_t i) {
  const std::uint64_t h = hash_word(i);
  return fmt::format("{},2015-05-17 10:{:02}:{:02},{},{}.{:02},station {} north,{}\n", i, i / 60 % 60, i % 60,
                     h % 100000, h % 1000, h % 100, h % 500, h % 7 == 0 ? "late" : "on time");
}

std::string json_line(std::uint64_t i) {
  const std::uint64_t h = hash_word(i);
  return fmt::format(
      "{{\"time\":\"2015-09-12T00:{:02}:{:02}.{:03}Z\",\"channel\":\"#en.wikipedia\",\"page\":\"Talk:Page "
      "number {}\",\"user\":"
      "\"user{}\",\"isRobot\":{},\"added\":{},\"deleted\":{},\"comment\":\"a comment of ordinary length on "
      "this edit\"}}\n",
      i / 60 % 60, i % 60, h % 1000, h % 100000, h % 1000, h % 2 == 0, h % 5000, h % 300);
}

std::vector<ScanCase> scan_cases() {
  const Json csv_schema = Json::parse(
      R"([{"name":"id","type":"int64"},{"name":"at","type":"timestamp","format":"%Y-%m-%d %H:%M:%S"},{"name":"n","type":"int64"},
          {"name":"value","type":"float64"},{"name":"station","type":"string"},{"name":"state","type":"string"}])");
  const Json json_schema = Json::parse(
      R"([{"name":"time","type":"timestamp"},{"name":"channel","type":"string"},{"name":"page","type":"string"},
          {"name":"user","type":"string"},{"name":"isRobot","type":"bool"},{"name":"added","type":"int64"},
          {"name":"deleted","type":"int64"}])");
  const Json names = Json::parse(R"(["id","at","n","value","station","state"])");
  Json positional = csv_schema;
  for (std::size_t i = 0; i < positional.size(); ++i) positional[i]["from"] = i + 1;
  return {
      {"lines", apache_line, {{"format", "lines"}}},
      {"apache_combined", apache_line, {{"format", "apache_combined"}}},
      {"csv", csv_line, {{"format", {{"type", "csv"}, {"header", false}}}, {"schema", positional}}},
      {"jsonl", json_line, {{"format", "jsonl"}, {"schema", json_schema}}},
      {"regex",
       csv_line,
       {{"format",
         {{"type", "regex"},
          {"pattern",
           "(?P<id>\\d+),(?P<at>[^,]*),(?P<n>\\d+),(?P<value>[^,]*),(?P<station>[^,]*),(?P<state>.*)"}}}}},
  };
}

void write_file(const std::string& path, const ScanCase& scan) {
  std::string text;
  text.reserve(kFileBytes + 1024);
  for (std::uint64_t i = 0; text.size() < kFileBytes; ++i) text += scan.line(i);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  SLUICE_CHECK(file != nullptr, "cannot write {}", path);
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}

// Reads the whole file once; MB/s, in millions of bytes.
double scan_once(const BoundOperator& bound, std::size_t bytes, BenchReport& report) {
  const MonotonicClock clock;
  const TimeNs begun_ns = clock.now_ns();
  LoneOperator source(bound);
  source.read_all();
  const double seconds = static_cast<double>(clock.now_ns() - begun_ns) / kNsPerSecond;
  const std::uint64_t bad = source.counters().bad_total();
  if (bad > 0) report.notes.push_back(fmt::format("{} bad records", bad));
  return static_cast<double>(bytes) / seconds / 1e6;
}

}  // namespace

BenchReport bench_scan(double seconds) {
  BenchReport report;
  report.name = "scan";
  report.notes.push_back("file_source on one core, file of 32 MiB in the page cache; MB = million bytes");
  pin_to_core(0);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("sluice-bench-{}", ::getpid());
  std::filesystem::create_directories(folder);
  const OperatorType type = file_source_type();
  std::vector<std::unique_ptr<BoundOperator>> bound;
  std::vector<std::size_t> bytes;
  for (const ScanCase& scan : scan_cases()) {
    const std::string path = (folder / scan.name).string();
    write_file(path, scan);
    Json config = scan.config;
    config["path"] = path;
    Problems problems;
    bound.push_back(type.bind({config, {}, "scan", folder.string()}, problems));
    SLUICE_CHECK(bound.back() != nullptr, "{}", problems.empty() ? "" : problems[0].message);
    bytes.push_back(std::filesystem::file_size(path));
    report.rows.push_back({scan.name, "", "MB/s", {}});
  }
  // Interleaved, so that a slow spell of the machine touches all formats alike.
  const MonotonicClock clock;
  const TimeNs until_ns = clock.now_ns() + static_cast<TimeNs>(seconds * kNsPerSecond);
  do {
    for (std::size_t i = 0; i < bound.size(); ++i)
      report.rows[i].samples.add(scan_once(*bound[i], bytes[i], report));
  } while (clock.now_ns() < until_ns || report.rows[0].samples.count() < 3);
  std::filesystem::remove_all(folder);
  return report;
}

}  // namespace sluice
