// A followed log from the file to the sink: rotation while the graph runs, and a run that is drained.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/engine/graph_run.hpp"

namespace sluice {
namespace {

void append(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::app) << text; }

}  // namespace

TEST_CASE("a followed log through rotation and copy-truncate: drained, every line has gone through once") {
  const TemporaryFolder folder;
  const std::string log = folder.path("app.log");
  int stage = 0;
  const GraphRun run = run_graph_text(
      R"({"name": "follow", "operators": [
        {"id": "log", "type": "file_source", "config": {"path": ")" +
          log + R"(", "follow": true, "format": "logfmt", "schema": [{"name": "n", "type": "int64"}]}},
        {"id": "odd", "type": "filter", "config": {"where": "n >= 0"}},
        {"id": "out", "type": "file_sink", "config": {"path": ")" +
          folder.path("out.csv") + R"(", "format": "csv"}}],
        "edges": [{"from": "log", "to": "odd"}, {"from": "odd", "to": "out"}]})",
      {}, [&](Worker& worker, const RunTotals& totals) {
        if (stage == 0) {
          append(log, "n=0\nn=1\n");  // the file appears once the graph runs
          stage = 1;
        } else if (stage == 1 && totals.read == 2) {
          append(log, "n=2\n");
          std::filesystem::rename(log, log + ".1");
          append(log + ".1", "n=3\nn=4");
          append(log, "n=5\n");
          stage = 2;
        } else if (stage == 2 && totals.read == 6) {
          append(log, "oops=\"\nn=6\n");
          stage = 3;
        } else if (stage == 3 && totals.read == 7) {
          std::filesystem::resize_file(log, 0);
          append(log, "n=7\n");
          stage = 4;
        } else if (stage == 4 && totals.read == 8) {
          append(log, "n=8\nn=9");
          worker.drain();
          stage = 5;
        }
      });
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.differences.empty());
  CHECK(folder.sorted_lines("out.csv") ==
        std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "n"});
  CHECK(run.totals.bad == 1);
}

TEST_CASE("copy-truncate to the same size and to a larger one: every line goes through once") {
  const TemporaryFolder folder;
  const std::string log = folder.path("app.log");
  folder.write("app.log", "10:00 a\n10:00 b\n");
  const std::vector<std::string> contents = {"10:01 a\n10:01 b\n", "10:02 a\n10:02 b\n10:02 c\n", "10:03\n"};
  std::size_t stage = 0;
  const std::uint64_t read_before[] = {2, 4, 7, 8};
  const GraphRun run = run_graph_text(
      R"({"name": "follow", "operators": [
        {"id": "log", "type": "file_source", "config": {"path": ")" +
          log + R"(", "follow": true, "format": "lines"}},
        {"id": "out", "type": "file_sink", "config": {"path": ")" +
          folder.path("out.txt") + R"(", "format": "lines"}}],
        "edges": [{"from": "log", "to": "out"}]})",
      {}, [&](Worker& worker, const RunTotals& totals) {
        if (stage > contents.size() || totals.read != read_before[stage]) return;
        if (stage == contents.size()) worker.drain();
        if (stage < contents.size())
          folder.write("app.log", contents[stage]);  // the same file, cut and written
        ++stage;
      });
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.differences.empty());
  CHECK(folder.read("out.txt") == "10:00 a\n10:00 b\n" + contents[0] + contents[1] + contents[2]);
}

}  // namespace sluice
