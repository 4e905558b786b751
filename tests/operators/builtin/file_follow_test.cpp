// file_source with `follow`: what log rotation does to a file, look by look. Time moves only by the test's
// hand.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <rapidcheck.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "operators/builtin/file_source.hpp"
#include "operators/format/followed_file.hpp"
#include "tests/operators/format/format_harness.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

Texts operator+(Texts a, const Texts& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A file_source that follows one file of a folder.
class Follower {
 public:
  explicit Follower(const std::string& path, Json config = {{"format", "lines"}})
      : bound_(bind_config(file_source_type(), with(std::move(config), path))), driver_(*bound_) {}

  // The rows that are there now, without moving the time.
  Texts now() {
    for (;;) {
      const Step step = driver_.poll_once();
      REQUIRE(!driver_.failed());
      REQUIRE(step.next != Step::Next::kFinished);
      if (step.next != Step::Next::kWaits) continue;
      CHECK(step.until_ns == driver_.now_ns() + kFollowPollNs);
      return row_texts(rows_of(driver_.take()));
    }
  }
  // The rows that come while the time passes.
  Texts within(TimeNs time_ns) {
    Texts rows = now();
    for (; time_ns > 0; time_ns -= kFollowPollNs) {
      driver_.advance(kFollowPollNs);
      rows = std::move(rows) + now();
    }
    return rows;
  }
  // The rows that a run which ends now still gives.
  Texts drained() {
    driver_.drain();
    driver_.finish();
    REQUIRE(!driver_.failed());
    CHECK(driver_.finished());
    return row_texts(rows_of(driver_.take()));
  }
  std::string error() {
    for (int i = 0; i < 100 && !driver_.failed(); ++i) driver_.poll_once();
    return driver_.failed() ? driver_.outcome().error->message() : "no error";
  }
  Texts log() { return driver_.outcome().log; }
  Driver& driver() { return driver_; }

 private:
  static Json with(Json config, const std::string& path) {
    config["path"] = path;
    config["follow"] = true;
    return config;
  }
  std::unique_ptr<BoundOperator> bound_;
  Driver driver_;
};

void append(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

bool mentions(const Texts& lines, std::string_view part) {
  for (const std::string& line : lines) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

constexpr TimeNs kLong = 10 * kNsPerSecond;

}  // namespace

TEST_CASE("a followed file gives what is there and then what is appended") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "1\n2\n");
  Follower follower(path);
  CHECK(follower.now() == Texts{"'1'", "'2'"});
  CHECK(follower.within(kLong).empty());
  append(path, "3\r\n4\n");
  CHECK(follower.now() == Texts{"'3'", "'4'"});
  CHECK(follower.drained().empty());
}

TEST_CASE("the last line without its line end waits, and is a record when the run ends") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "1\n2");
  Follower follower(path);
  CHECK(follower.now() == Texts{"'1'"});
  CHECK(follower.within(kLong).empty());
  append(path, "3\n4");
  CHECK(follower.now() == Texts{"'23'"});
  CHECK(follower.within(kLong).empty());
  CHECK(follower.drained() == Texts{"'4'"});
}

TEST_CASE("what was written just before the run ends is read, a cut last line among it") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "1\n");
  Follower follower(path);
  CHECK(follower.now() == Texts{"'1'"});
  append(path, "2\n3");
  CHECK(follower.drained() == Texts{"'2'", "'3'"});
}

TEST_CASE(
    "a run that ends reads a long file no further than its bound, and gives no line that it cuts there") {
  const TempFolder folder;
  const std::string line = std::string(1022, 'x') + "\n";
  std::string text;
  for (std::size_t i = 0; i < 3 * kFinishBytes / line.size(); ++i) text += line;
  const std::string path = folder.file("x.log", text);
  Follower follower(path);
  const Texts rows = follower.drained();
  CHECK(rows.size() == kFinishBytes / line.size());
  for (const std::string& row : rows) REQUIRE(row.size() == line.size() + 1);
}

TEST_CASE("a file that is not there is waited for") {
  const TempFolder folder;
  const std::string path = folder.path("x.log");
  Follower follower(path);
  CHECK(follower.within(kLong).empty());
  CHECK(follower.log() == Texts{path + " cannot be read yet (No such file or directory); waiting"});
  folder.file("x.log", "1\n");
  CHECK(follower.now() == Texts{"'1'"});
  CHECK(follower.drained().empty());
  Follower never(folder.path("y.log"));
  CHECK(never.now().empty());
  CHECK(never.drained().empty());
  Follower late(folder.path("z.log"));
  CHECK(late.now().empty());
  folder.file("z.log", "9");
  CHECK(late.drained() == Texts{"'9'"});
}

TEST_CASE("rotation by renaming: the rest of the old file is read, then the new one") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "1\n");
  Follower follower(path);
  CHECK(follower.now() == Texts{"'1'"});
  append(path, "2\n");
  fs::rename(path, folder.path("x.log.1"));
  folder.file("x.log", "10\n");
  append(folder.path("x.log.1"), "3\n");
  CHECK(follower.now() == Texts{"'2'", "'3'"});
  // Its writer has not noticed yet: as long as the old file grows the new one waits.
  for (const char* text : {"4\n", "5\n", "6\n"}) {
    CHECK(follower.within(kReplacedSilenceNs - kFollowPollNs).empty());
    append(folder.path("x.log.1"), text);
    CHECK(follower.now().size() == 1);
  }
  append(folder.path("x.log.1"), "cut");
  CHECK(follower.within(2 * kReplacedSilenceNs) == Texts{"'cut'", "'10'"});
  append(path, "11\n");
  CHECK(follower.now() == Texts{"'11'"});
  CHECK(mentions(follower.log(), "x.log was replaced by another file; reading from its start"));
}

TEST_CASE("a file that was renamed is read on while nothing stands at its name") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "1\n");
  Follower follower(path);
  CHECK(follower.now() == Texts{"'1'"});
  fs::rename(path, folder.path("x.log.1"));
  CHECK(follower.within(kLong).empty());
  append(folder.path("x.log.1"), "2\n");
  CHECK(follower.now() == Texts{"'2'"});
  CHECK(mentions(follower.log(), "x.log is gone from its name"));
  folder.file("x.log", "3\n");
  CHECK(follower.within(kLong) == Texts{"'3'"});
}

TEST_CASE("a run that ends in the middle of a rotation waits for nothing and reads both files") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "1\n");
  Follower follower(path);
  CHECK(follower.now() == Texts{"'1'"});
  append(path, "2\n3");
  fs::rename(path, folder.path("x.log.1"));
  folder.file("x.log", "4\n5");
  CHECK(follower.drained() == Texts{"'2'", "'3'", "'4'", "'5'"});
}

TEST_CASE("files that take the name faster than their forerunner is given up are all read, in their order") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "0\n");
  Follower follower(path);
  Texts found = follower.now(), wanted = {"'0'"};
  for (int i = 1; i <= 40; ++i) {
    append(path, "last\n");
    wanted.push_back("'last'");
    fs::rename(path, folder.path(fmt::format("x.log.{}", i)));
    folder.file("x.log", fmt::format("{}\n", i));
    wanted.push_back(fmt::format("'{}'", i));
    found = std::move(found) + follower.within(kFollowPollNs);
  }
  found = std::move(found) + follower.within(2 * kReplacedSilenceNs);
  CHECK(found == wanted);
  append(path, "end");
  CHECK(follower.drained() == Texts{"'end'"});
}

TEST_CASE("files that take the name while there is still much to read are not missed") {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += fmt::format("{}\n", i);
  const std::string path = folder.file("x.log", text);
  Follower follower(path);
  std::size_t rows = 0;
  for (int i = 1; i <= 10; ++i) {  // a few polls, each as long as a look, in each file's time at the name
    for (int poll = 0; poll < 3; ++poll) {
      REQUIRE(follower.driver().poll_once().next == Step::Next::kHasMore);
      follower.driver().advance(kFollowPollNs);
      rows += rows_of(follower.driver().take()).size();
    }
    REQUIRE(rows < 200'000);
    fs::rename(path, folder.path(fmt::format("x.log.{}", i)));
    folder.file("x.log", "x\n");
  }
  rows += follower.within(2 * kReplacedSilenceNs).size();
  CHECK(rows == 200'010);
}

TEST_CASE("a run that ends behind several rotations reads all files that it has seen") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "0\n");
  Follower follower(path);
  Texts found = follower.now();
  for (int i = 1; i <= 2; ++i) {
    fs::rename(path, folder.path(fmt::format("x.log.{}", i)));
    folder.file("x.log", fmt::format("{}\n", i));
    if (i == 1) found = std::move(found) + follower.now();
  }
  append(folder.path("x.log.2"), "cut");
  CHECK(std::move(found) + follower.drained() == Texts{"'0'", "'1'", "'cut'", "'2'"});
}

TEST_CASE("a file that is removed is waited for; the next one is read from its start") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "1\n2\n");
  Follower follower(path);
  CHECK(follower.now() == Texts{"'1'", "'2'"});
  fs::remove(path);
  CHECK(follower.within(kLong).empty());
  folder.file("x.log", "1\n2\n");
  CHECK(follower.within(kLong) == Texts{"'1'", "'2'"});
  CHECK(follower.drained().empty());
}

TEST_CASE("a file that comes back to its name goes on where it was") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "1\n");
  Follower follower(path);
  CHECK(follower.now() == Texts{"'1'"});
  fs::rename(path, folder.path("aside"));
  CHECK(follower.within(kLong).empty());
  fs::rename(folder.path("aside"), path);
  append(path, "2\n");
  CHECK(follower.within(kLong) == Texts{"'2'"});
}

TEST_CASE("copy-truncate: a file that was cut short is read from its start") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "first\nsecond\nthird");
  Follower follower(path);
  CHECK(follower.now() == Texts{"'first'", "'second'"});
  fs::copy_file(path, folder.path("x.log.1"));
  fs::resize_file(path, 0);
  CHECK(follower.now() == Texts{"'third'"});  // nothing more can come to that line
  append(path, "a\n");
  CHECK(follower.now() == Texts{"'a'"});
  CHECK(mentions(follower.log(), "x.log was cut short; reading from its start"));
}

TEST_CASE("copy-truncate: a file that has grown past its old length again is recognised by its first bytes") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "10:00 a\n");
  Follower follower(path);
  CHECK(follower.now() == Texts{"'10:00 a'"});
  folder.file("x.log", "10:01 b\n10:01 c\n");  // the same file, written anew
  CHECK(follower.now() == Texts{"'10:01 b'", "'10:01 c'"});
  append(path, "10:02 d\n");
  CHECK(follower.now() == Texts{"'10:02 d'"});
  fs::resize_file(path, 0);
  append(path, "10:03 e");
  CHECK(follower.drained() == Texts{"'10:03 e'"});
}

TEST_CASE("each file that comes has its own csv header and line numbers") {
  const TempFolder folder;
  const std::string path = folder.file("x.csv", "a,b\n1,2\n");
  Follower follower(path, {{"format", "csv"}, {"schema", {{{"name", "a"}, {"type", "int64"}}}}});
  CHECK(follower.now() == Texts{"1"});
  fs::rename(path, folder.path("x.csv.1"));
  folder.file("x.csv", "b,a\n3,4\n5,six\n");
  CHECK(follower.within(kLong) == Texts{"4"});
  const RunOutcome outcome = follower.driver().outcome();
  CHECK(outcome.bad.at("bad_field") == 1);
  // Without a header the columns are known from the schema, before the file is there.
  Follower later(folder.path("later.csv"),
                 {{"format", {{"type", "csv"}, {"header", false}}}, {"schema", {{{"name", "a"}}}}});
  CHECK(later.now().empty());
  folder.file("later.csv", "\"x\ny\"\n\"un");
  CHECK(later.now() == Texts{"'x\ny'"});
  append(folder.path("later.csv"), "til\"\n");
  CHECK(later.now() == Texts{"'until'"});
}

TEST_CASE("a line longer than max_record is one bad record, even if its end comes much later") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", std::string(100, 'x'));
  Follower follower(path, {{"format", "lines"}, {"max_record", "16B"}});
  CHECK(follower.now().empty());
  append(path, std::string(100, 'y'));
  CHECK(follower.now().empty());
  append(path, "\nok\n");
  CHECK(follower.now() == Texts{"'ok'"});
  CHECK(follower.driver().outcome().bad.at("record_too_large") == 1);
}

TEST_CASE("a compressed file cannot be followed, unless it only looks so") {
  const TempFolder folder;
  CHECK(Follower(folder.file("x", gzip("a\n"))).error().find("is compressed (gzip) and cannot be followed") !=
        std::string::npos);
  CHECK(Follower(folder.file("y", zstd("a\n"))).error().find("is compressed (zstd)") != std::string::npos);
  Follower plain(folder.file("z", "\x1f\x8b\n"), {{"format", "lines"}, {"compression", "none"}});
  CHECK(plain.now() == Texts{"'\x1f\x8b'"});
}

TEST_CASE("something that is no file and takes the name ends the job") {
  const TempFolder folder;
  const std::string path = folder.path("x.log");
  Follower follower(path);
  CHECK(follower.now().empty());
  fs::create_directory(path);
  CHECK(follower.error().find("is no regular file") != std::string::npos);
}

TEST_CASE("what cannot be followed is found while the graph is checked") {
  const TempFolder folder;
  const std::string there = folder.file("there.log", "a=1\n");
  const auto problems = [&](Json config) {
    config["follow"] = true;
    Texts texts;
    for (const std::string& text : problems_of(file_source_type(), config))
      texts.push_back(text.substr(0, text.find(']') + 1));
    return texts;
  };
  CHECK(problems({{"path", there}, {"format", "logfmt"}}).empty());
  CHECK(problems({{"path", folder.path("absent.log")}, {"format", "lines"}}).empty());
  CHECK(problems({{"path", "-"}, {"format", "lines"}}) == Texts{"/path [bad_value]"});
  CHECK(problems({{"path", ""}, {"format", "lines"}}) == Texts{"/path [bad_value]"});
  CHECK(problems({{"path", {there}}, {"format", "lines"}}) == Texts{"/path [bad_value]"});
  CHECK(problems({{"path", folder.path("*.log")}, {"format", "lines"}}) == Texts{"/path [bad_value]"});
  CHECK(problems({{"path", folder.path("")}, {"format", "lines"}}) == Texts{"/path [bad_value]"});
  CHECK(problems({{"path", "/dev/null"}, {"format", "lines"}}) == Texts{"/path [bad_value]"});
  CHECK(problems({{"path", folder.path("no/x.log")}, {"format", "lines"}}) ==
        Texts{"/path [file_unreadable]"});
  CHECK(problems({{"path", there}, {"format", "lines"}, {"compression", "gzip"}}) ==
        Texts{"/compression [bad_value]"});
  CHECK(problems({{"path", there}, {"format", "json_array"}, {"schema", {{{"name", "a"}}}}}) ==
        Texts{"/format [bad_value]"});
  // Columns that only the file could tell, while it is not there.
  CHECK(problems({{"path", folder.path("absent.log")}, {"format", "jsonl"}}) ==
        Texts{"/format [missing_field]"});
}

TEST_CASE("a followed file has one reader and no end") {
  const TempFolder folder;
  const auto bound = bind_config(file_source_type(),
                                 {{"path", folder.path("x.log")}, {"format", "lines"}, {"follow", true}});
  CHECK(bound->traits().max_parallelism == 1);
  CHECK(bound->traits().unbounded);
  CHECK_FALSE(bind_config(file_source_type(), {{"path", folder.file("y.log", "")}, {"format", "lines"}})
                  ->traits()
                  .unbounded);
}

TEST_CASE("what was read from a pipe is not lost when the run ends, except a cut last line") {
  const TempFolder folder;
  const std::string path = folder.path("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const int writer = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(writer >= 0);
  std::string text;
  Texts wanted;
  for (int i = 0; i < 5000; ++i) {
    text += std::to_string(i) + "\n";
    wanted.push_back("'" + std::to_string(i) + "'");
  }
  text += "cut";
  REQUIRE(::write(writer, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  const auto bound = bind_config(file_source_type(), {{"path", path}, {"format", "lines"}});
  Driver driver(*bound);
  driver.poll_once();
  const Texts first = row_texts(rows_of(driver.take()));
  CHECK(first.size() < wanted.size());
  driver.drain();
  driver.finish();
  CHECK(first + row_texts(rows_of(driver.take())) == wanted);
  ::close(writer);
}

TEST_CASE("property: whatever is written, renamed and cut at its line ends, every line comes out once") {
  CHECK(rc::check([] {
    const TempFolder folder;
    const std::string path = folder.file("x.log", "");
    Follower follower(path);
    Texts wanted;
    Texts found;
    int rotated = 0;
    std::string writer = path;  // who renames a file may have it written on for a while
    const auto write = [&](const std::string& end) {
      const std::string line = std::to_string(wanted.size()) + "-" + std::to_string(rotated);
      append(writer, line + end);
      wanted.push_back("'" + line + "'");
    };
    for (const int action : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 8))) {
      switch (action) {
        case 0:  // rotate; the writer stays with the old file
          if (!fs::exists(path)) break;
          found = std::move(found) + follower.within(kFollowPollNs);
          writer = folder.path("x.log." + std::to_string(++rotated));
          fs::rename(path, writer);
          break;
        case 1:  // the writer opens the name again
          if (!fs::exists(path)) folder.file("x.log", "");
          writer = path;
          break;
        case 2:  // copy-truncate, behind a look
          found = std::move(found) + follower.within(2 * kReplacedSilenceNs);
          if (writer == path) fs::resize_file(path, 0);
          found = std::move(found) + follower.now();
          break;
        case 3:
          found = std::move(found) + follower.now();
          break;
        case 4:
          follower.driver().advance(kFollowPollNs);
          break;
        default:
          write("\n");
      }
    }
    found = std::move(found) + follower.drained();
    RC_ASSERT(found == wanted);
  }));
}

}  // namespace sluice::test
