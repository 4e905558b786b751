// Inputs that fall silent, or never say a word: what waits for event time comes out after the idle limit,
// while the run goes on. Each run waits for its output, not for a time; if it does not come, the run does not
// end.

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/engine/graph_run.hpp"

namespace sluice {
namespace {

constexpr const char* kTimedLine =
    R"("format": "csv", "schema": [{"name": "t", "type": "timestamp", "format": "epoch_ms"}, {"name": "k", "type": "string"}])";

// A pipe that stays open for writing, so that its reader waits.
class OpenPipe {
 public:
  explicit OpenPipe(const std::string& path) {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(fd_ >= 0);
  }
  ~OpenPipe() { ::close(fd_); }
  OpenPipe(const OpenPipe&) = delete;

  void write(std::string_view text) const {
    REQUIRE(::write(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }

 private:
  int fd_ = -1;
};

std::string timed_source(const std::string& id, const std::string& path, bool follow) {
  return fmt::format(
      R"({{"id": "{0}", "type": "file_source", "config": {{"path": "{1}", "follow": {2}, {3}}}}},
    {{"id": "{0}_time", "type": "event_time", "config": {{"column": "t", "max_out_of_orderness": "1s", "idle_timeout": "100ms"}}}},)",
      id, path, follow, kTimedLine);
}

// `live` (a file that is followed) and `silent` into the operator x at the two ports.
std::string two_inputs(const TemporaryFolder& folder, bool silent_is_pipe, const std::string& type,
                       const std::string& config, const std::string& live_port,
                       const std::string& silent_port) {
  return fmt::format(
      R"({{"name": "idle", "operators": [ {0} {1}
    {{"id": "x", "type": "{2}", "config": {3}}},
    {{"id": "out", "type": "file_sink", "config": {{"path": "{4}", "format": "csv"}}}}],
    "edges": [{{"from": "live", "to": "live_time"}}, {{"from": "silent", "to": "silent_time"}},
      {{"from": "live_time", "to": "x{5}"}}, {{"from": "silent_time", "to": "x{6}"}}, {{"from": "x", "to": "out"}}]}})",
      timed_source("live", folder.path("live.csv"), true),
      timed_source("silent", folder.path("silent"), !silent_is_pipe), type, config, folder.path("out.csv"),
      live_port, silent_port);
}

struct IdleTrial {
  const char* type;
  const char* config;
  const char* live_port;
  const char* silent_port;
  std::uint64_t rows;  // of the records below
};

const IdleTrial kIdleTrials[] = {
    {"window_aggregate",
     R"({"keys": ["k"], "window": {"type": "tumbling", "size": "10s"}, "aggregates": [{"name": "n", "fn": "count"}]})",
     "", "", 3},
    {"window_aggregate",
     R"({"window": {"type": "sliding", "size": "10s", "slide": "5s"}, "aggregates": [{"name": "n", "fn": "count"}]})",
     "", "", 6},
    {"window_aggregate",
     R"({"window": {"type": "session", "gap": "5s"}, "aggregates": [{"name": "n", "fn": "count"}]})", "", "",
     3},
    {"over", R"({"range": "5s", "aggregates": [{"name": "n", "fn": "count"}]})", "", "", 3},
    {"join", R"({"type": "interval", "kind": "left", "on": [["k", "k"]], "within": ["-1m", "1m"]})", ".left",
     ".right", 3},
    {"join", R"({"type": "asof", "kind": "left", "on": [["k", "k"]]})", ".left", ".right", 3},
};

}  // namespace

// B06, B09
TEST_CASE("a source that is silent from the start, and one that falls silent, hold nothing back for ever") {
  for (const bool silent_is_pipe : {false, true}) {
    for (const IdleTrial& trial : kIdleTrials) {
      CAPTURE(silent_is_pipe);
      CAPTURE(trial.config);
      const TemporaryFolder folder;
      std::optional<OpenPipe> pipe;
      if (silent_is_pipe) pipe.emplace(folder.path("silent"));
      // The last one's window is closed by silence alone.
      folder.write("live.csv", "t,k\n1000,a\n21000,a\n41000,a\n");
      bool came = false;
      const GraphRun run = run_graph_text(
          two_inputs(folder, silent_is_pipe, trial.type, trial.config, trial.live_port, trial.silent_port),
          {}, [&](Worker& worker, const RunTotals& totals) {
            if (totals.written < trial.rows || came) return;
            came = true;
            worker.drain();
          });
      CHECK(run.problems == "");
      CHECK(run.error == "");
      CHECK(run.differences == std::vector<std::string>{});
      CHECK(came);
      CHECK(run.totals.written == trial.rows);
      CHECK(run.totals.late == 0);
    }
  }
}

// B06
TEST_CASE("windows over a source that goes on and one that never speaks come while both are there") {
  const TemporaryFolder folder;
  bool came = false;
  const GraphRun run = run_graph_text(
      fmt::format(R"json({{"name": "idle", "operators": [ {}
    {{"id": "live", "type": "generator", "config": {{"count": 4000000000, "rate": "100000/s", "columns": [
      {{"name": "t", "type": "timestamp", "gen": "timestamp", "start": "2026-01-01T00:00:00Z", "step": "1ms"}},
      {{"name": "k", "type": "string", "gen": "constant", "value": "a"}}]}}}},
    {{"id": "time", "type": "event_time", "config": {{"column": "t", "max_out_of_orderness": "1s"}}}},
    {{"id": "x", "type": "window_aggregate", "config": {{"window": {{"type": "tumbling", "size": "1s"}},
      "aggregates": [{{"name": "n", "fn": "count"}}]}}}},
    {{"id": "out", "type": "file_sink", "config": {{"path": "{}", "format": "csv"}}}}],
    "edges": [{{"from": "live", "to": "time"}}, {{"from": "silent", "to": "silent_time"}}, {{"from": "time", "to": "x"}},
      {{"from": "silent_time", "to": "x"}}, {{"from": "x", "to": "out"}}]}})json",
                  timed_source("silent", folder.path("never.csv"), true), folder.path("out.csv")),
      {}, [&](Worker& worker, const RunTotals& totals) {
        if (totals.written < 20 || came) return;
        came = true;
        worker.drain();
      });
  CHECK(run.problems == "");
  CHECK(run.error == "");
  CHECK(run.differences == std::vector<std::string>{});
  CHECK(came);
  CHECK(run.totals.late == 0);
  const std::string out = folder.read("out.csv");
  CHECK(
      out.starts_with("window_start,window_end,n\n2026-01-01T00:00:00Z,2026-01-01T00:00:01Z,1000\n"
                      "2026-01-01T00:00:01Z,2026-01-01T00:00:02Z,1000\n"));
}

// A pipe that stays open never ends by itself: a drained run ends all the same, with all whole records.
TEST_CASE("a run that reads a pipe which stays open ends when it is drained, in every format") {
  const struct {
    const char* format;
    const char* text;
    std::uint64_t records;
  } trials[] = {
      {R"("lines")", "a\nb\ncut", 2},
      {R"("lines")", "", 0},
      {R"json({"type": "regex", "pattern": "(?P<x>.*)"})json", "a\nb\ncut", 2},
      {R"("csv")", "x\na\nb\n\"cut\n", 2},
      {R"("csv")", "x", 0},
      {R"("csv")", "\xEF\xBB", 0},
      {R"("logfmt")", "x=a\nx=b\nx=\"cut", 2},
      {R"("jsonl")", "{\"x\":\"a\"}\n{\"x\":\"b\"}\n{\"x\":", 2},
      {R"("json_array")", "", 0},
      {R"("json_array")", "[{\"x\":\"a\"},{\"x\":\"b\"},{\"x\":", 2},
      {R"("json_array")", "[{\"x\":\"a\"},{\"x\":\"b\"}]", 2},
      {R"({"type": "json_array", "records": "/r"})",
       "{\"n\":[1],\"r\":[{\"x\":\"a\"},{\"x\":\"b\"}],\"m\":", 2},
  };
  for (const auto& trial : trials) {
    CAPTURE(trial.format);
    CAPTURE(trial.text);
    const TemporaryFolder folder;
    const OpenPipe pipe(folder.path("in"));
    pipe.write(trial.text);
    bool drained = false;
    const GraphRun run =
        run_graph_text(fmt::format(R"({{"name": "pipe", "operators": [
    {{"id": "in", "type": "file_source", "config": {{"path": "{}", "format": {}, "schema": [{{"name": "x"}}]}}}},
    {{"id": "out", "type": "file_sink", "config": {{"path": "{}", "format": "jsonl"}}}}],
    "edges": [{{"from": "in", "to": "out"}}]}})",
                                   folder.path("in"), trial.format, folder.path("out.jsonl")),
                       {}, [&](Worker& worker, const RunTotals& totals) {
                         if (drained || totals.read < trial.records) return;
                         drained = true;
                         worker.drain();
                       });
    CHECK(run.problems == "");
    CHECK(run.error == "");
    CHECK(run.differences == std::vector<std::string>{});
    CHECK(drained);
    CHECK(run.totals.bad == 0);
    CHECK(folder.read("out.jsonl") == (trial.records == 0 ? "" : "{\"x\":\"a\"}\n{\"x\":\"b\"}\n"));
  }
}

}  // namespace sluice
