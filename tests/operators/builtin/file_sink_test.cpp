// file_sink and stdout_sink.
#include "operators/builtin/file_sink.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "operators/builtin/stdout_sink.hpp"
#include "tests/operators/format/format_harness.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

using Texts = std::vector<std::string>;

const Schema kSchema({{"n", Type::int64}, {"s", Type::string}});
const std::vector<Row> kRows = {{1l, std::string("a")}, {kNull, std::string("b,c")}};

RunOutcome write(const Json& config, const std::vector<Row>& rows, const Schema& schema = kSchema) {
  const auto bound = bind_config(file_sink_type(), config, {schema});
  return run(*bound, stream_of(rows), schema);
}

Texts problems(const Json& config, const Schema& schema = kSchema) {
  Texts texts;
  for (const std::string& text : problems_of(file_sink_type(), config, {schema}))
    texts.push_back(text.substr(0, text.find(']') + 1));
  return texts;
}

// Standard output for the length of a scope.
class StandardOutput {
 public:
  explicit StandardOutput(int fd) : saved_(::dup(STDOUT_FILENO)) { ::dup2(fd, STDOUT_FILENO); }
  ~StandardOutput() {
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
  }
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

 private:
  int saved_;
};

}  // namespace

TEST_CASE("file_sink writes a partial file that gets its name when it is complete") {
  const TempFolder folder;
  const std::string path = folder.file("out.csv", "older\n");
  const auto bound = bind_config(file_sink_type(), {{"path", path}, {"format", "csv"}}, {kSchema});
  Driver driver(*bound);
  driver.rows(kSchema, kRows);
  CHECK(TempFolder::exists(path + ".partial"));
  CHECK(TempFolder::read(path) == "older\n");
  driver.finish();
  CHECK(!driver.failed());
  CHECK(TempFolder::read(path) == "n,s\n1,a\n,\"b,c\"\n");
  CHECK(!TempFolder::exists(path + ".partial"));
}

TEST_CASE("a job that ends early leaves the older file and the partial one") {
  const TempFolder folder;
  const std::string path = folder.file("out.csv", "older\n");
  {
    const auto bound = bind_config(file_sink_type(), {{"path", path}}, {kSchema});
    Driver driver(*bound);
    driver.rows(kSchema, kRows);
    driver.op().close();
  }
  CHECK(TempFolder::read(path) == "older\n");
  CHECK(TempFolder::exists(path + ".partial"));
  CHECK(!write({{"path", path}}, {}).error);  // a leftover does not stand in the way, and is written anew
  CHECK(TempFolder::read(path) == "n,s\n");
}

TEST_CASE("file_sink writes jsonl and lines") {
  const TempFolder folder;
  CHECK(!write({{"path", folder.path("o.jsonl")}, {"format", "jsonl"}}, kRows).error);
  CHECK(TempFolder::read(folder.path("o.jsonl")) == "{\"n\":1,\"s\":\"a\"}\n{\"n\":null,\"s\":\"b,c\"}\n");
  const Schema line({{"line", Type::string}});
  CHECK(!write({{"path", folder.path("o")}, {"format", "lines"}}, {{std::string("x")}, {std::string("y")}},
               line)
             .error);
  CHECK(TempFolder::read(folder.path("o")) == "x\ny\n");
}

TEST_CASE("append adds rows behind what is there, and a header only to an empty file") {
  const TempFolder folder;
  const std::string path = folder.path("o.csv");
  const Json config{{"path", path}, {"append", true}};
  CHECK(!write(config, kRows).error);
  CHECK(!write(config, kRows).error);
  CHECK(TempFolder::read(path) == "n,s\n1,a\n,\"b,c\"\n1,a\n,\"b,c\"\n");
  CHECK(!TempFolder::exists(path + ".partial"));
}

TEST_CASE("a symbolic link is followed, not replaced") {
  const TempFolder folder;
  const std::string target = folder.file("real.csv", "older\n");
  std::filesystem::create_symlink(target, folder.path("link.csv"));
  CHECK(!write({{"path", folder.path("link.csv")}}, {}).error);
  CHECK(std::filesystem::is_symlink(folder.path("link.csv")));
  CHECK(TempFolder::read(target) == "n,s\n");
}

TEST_CASE("a full disk is an error with file and byte") {
  if (!TempFolder::exists("/dev/full")) return;
  const RunOutcome outcome = write({{"path", "/dev/full"}}, kRows);
  REQUIRE(outcome.error);
  CHECK(outcome.error->code() == ErrorCode::disk_full);
  CHECK(outcome.error->message() == "writing /dev/full at byte 0: No space left on device");
}

TEST_CASE("devices are written straight") {
  CHECK(!write({{"path", "/dev/null"}}, kRows).error);
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("two sinks do not write one file") {
  const TempFolder folder;
  const auto bound = bind_config(file_sink_type(), {{"path", folder.path("o.csv")}}, {kSchema});
  Driver first(*bound);
  first.rows(kSchema, kRows);
  const RunOutcome second = write({{"path", folder.path("o.csv")}}, kRows);
  REQUIRE(second.error);
  CHECK(second.error->code() == ErrorCode::file_unwritable);
  first.finish();
  CHECK(!first.failed());
}

TEST_CASE("NaN and infinities in jsonl are null and counted") {
  const TempFolder folder;
  const Schema schema({{"f", Type::float64}});
  const RunOutcome outcome = write(
      {{"path", folder.path("o")}, {"format", "jsonl"}},
      {{std::numeric_limits<double>::quiet_NaN()}, {std::numeric_limits<double>::infinity()}, {1.0}}, schema);
  CHECK(outcome.bad == std::map<std::string, std::uint64_t>{{"not_representable", 2}});
  CHECK(TempFolder::read(folder.path("o")) == "{\"f\":null}\n{\"f\":null}\n{\"f\":1}\n");
}

TEST_CASE("many rows come out whole and in order") {
  const TempFolder folder;
  const Schema line({{"line", Type::string}});
  std::vector<Row> rows;
  std::string wanted;
  for (int i = 0; i < 50'000; ++i) {
    rows.push_back({std::to_string(i)});
    wanted += std::to_string(i) + "\n";
  }
  const auto bound = bind_config(file_sink_type(), {{"path", folder.path("o")}, {"format", "lines"}}, {line});
  CHECK(!run(*bound, stream_of(rows, 700), line).error);
  CHECK(TempFolder::read(folder.path("o")) == wanted);
}

TEST_CASE("what is wrong with a file_sink is found while the graph is checked, and no file appears") {
  const TempFolder folder;
  CHECK(problems({{"path", folder.path("none/o.csv")}}) == Texts{"/path [file_unwritable]"});
  CHECK(problems({{"path", folder.path("")}}) == Texts{"/path [file_unwritable]"});
  CHECK(problems({{"path", ""}}) == Texts{"/path [bad_value]"});
  CHECK(problems({{"path", folder.path("o")}, {"format", "lines"}}) == Texts{"/format [type_mismatch]"});
  CHECK(problems({{"path", folder.path("o")}, {"format", "xml"}}) == Texts{"/format [bad_value]"});
  REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  CHECK(problems({{"path", folder.path("pipe")}}) == Texts{"/path [file_unwritable]"});
  CHECK(problems({{"path", folder.path("o.csv")}}).empty());
  CHECK(!TempFolder::exists(folder.path("o.csv")));
  CHECK(!TempFolder::exists(folder.path("o.csv.partial")));
}

TEST_CASE("stdout_sink writes what it is given, and waits for a slow reader without blocking") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  std::string text;
  const Schema line({{"line", Type::string}});
  const auto bound = bind_config(stdout_sink_type(), {{"format", "lines"}}, {line});
  std::vector<Row> rows(50, {std::string(10'000, 'x')});
  {
    const StandardOutput output(ends[1]);
    Driver driver(*bound);
    Step step = driver.process_once(line, rows);
    CHECK(step.next == Step::Next::kWaits);
    std::string piece(65536, '\0');
    while (step.next == Step::Next::kWaits) {
      const ssize_t n = ::read(ends[0], piece.data(), piece.size());
      REQUIRE(n > 0);
      text.append(piece, 0, static_cast<std::size_t>(n));
      step = driver.resume_once();
    }
    CHECK(step.next == Step::Next::kNeedsInput);
  }
  ::close(ends[1]);
  std::string piece(65536, '\0');
  for (ssize_t n; (n = ::read(ends[0], piece.data(), piece.size())) > 0;)
    text.append(piece, 0, static_cast<std::size_t>(n));
  ::close(ends[0]);
  CHECK(text.size() == 50 * 10'001);
}

TEST_CASE("a reader of standard output that has gone away is an error and no signal") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  const auto bound = bind_config(stdout_sink_type(), Json::object(), {kSchema});
  RunOutcome outcome;
  {
    const StandardOutput output(ends[1]);
    outcome = run(*bound, stream_of(kRows), kSchema);
  }
  ::close(ends[1]);
  REQUIRE(outcome.error);
  CHECK(outcome.error->message() == "standard output: its reader has gone away");
}

}  // namespace sluice::test
