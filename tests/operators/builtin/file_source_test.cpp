#include "operators/builtin/file_source.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/operators/format/format_harness.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

using Texts = std::vector<std::string>;

RunOutcome read(const Json& config, RunOptions options = {}) {
  const auto bound = bind_config(file_source_type(), config);
  return run_source(*bound, options);
}

Texts rows(const Json& config, RunOptions options = {}) {
  const RunOutcome outcome = read(config, options);
  CHECK(!outcome.error);
  return row_texts(outcome.rows(0));
}

// Pointer and code of each problem.
Texts problems(const Json& config) {
  Texts texts;
  for (const std::string& text : problems_of(file_source_type(), config))
    texts.push_back(text.substr(0, text.find(']') + 1));
  return texts;
}

// Standard input for the length of a scope.
class StandardInput {
 public:
  explicit StandardInput(int fd) : saved_(::dup(STDIN_FILENO)) { ::dup2(fd, STDIN_FILENO); }
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int saved_;
};

}  // namespace

TEST_CASE("file_source reads a file, a list, and a pattern in byte order") {
  const TempFolder folder;
  folder.file("b.log", "b1\nb2");
  folder.file("a.log", "a1\n");
  folder.file("Z.log", "z\n");
  folder.file("other.txt", "o\n");
  std::filesystem::create_directory(folder.path("d.log"));
  CHECK(rows({{"path", folder.path("b.log")}, {"format", "lines"}}) == Texts{"'b1'", "'b2'"});
  CHECK(rows({{"path", {folder.path("b.log"), folder.path("a.log")}}, {"format", "lines"}}) ==
        Texts{"'b1'", "'b2'", "'a1'"});
  CHECK(rows({{"path", folder.path("*.log")}, {"format", "lines"}}) == Texts{"'z'", "'a1'", "'b1'", "'b2'"});
  CHECK(rows({{"path", {folder.path("a*"), folder.path("a.log")}}, {"format", "lines"}}) == Texts{"'a1'"});
}

TEST_CASE("a file whose name looks like a pattern is that file") {
  const TempFolder folder;
  folder.file("a[1].log", "x\n");
  folder.file("a1.log", "y\n");
  CHECK(rows({{"path", folder.path("a[1].log")}, {"format", "lines"}}) == Texts{"'x'"});
}

TEST_CASE("paths are relative to the graph's folder, and places are told as written") {
  const TempFolder folder;
  folder.file("x.csv", "a\n1\noops\n");
  const Json config{{"path", "x.csv"}, {"format", "csv"}, {"schema", {{{"name", "a"}, {"type", "int64"}}}}};
  Problems found;
  const auto bound = file_source_type().bind(BindInput{config, {}, "op", folder.path("")}, found);
  REQUIRE(bound);
  const RunOutcome outcome = run_source(*bound);
  CHECK(row_texts(outcome.rows(0)) == Texts{"1"});
  CHECK(row_texts(outcome.rows(1)) ==
        Texts{"'oops' 'op' 'bad_field' 'x.csv:3: column \"a\": \"oops\" is not an int64'"});
  CHECK(outcome.bad.at("bad_field") == 1);
}

TEST_CASE("empty files and files of one byte") {
  const TempFolder folder;
  CHECK(rows({{"path", folder.file("e", "")}, {"format", "lines"}}).empty());
  CHECK(rows({{"path", folder.file("n", "\n")}, {"format", "lines"}}) == Texts{"''"});
  CHECK(rows({{"path", folder.file("x", "x")}, {"format", "lines"}}) == Texts{"'x'"});
  CHECK(rows({{"path", folder.file("g", "\x1f")}, {"format", "lines"}}) == Texts{"'\x1f'"});
}

TEST_CASE("compressed files are recognised, members and frames together") {
  const TempFolder folder;
  CHECK(rows({{"path", folder.file("a.gz", gzip("1\n2") + gzip("3\n4\n"))}, {"format", "lines"}}) ==
        Texts{"'1'", "'23'", "'4'"});
  CHECK(rows({{"path", folder.file("a.zst", zstd("1\n") + zstd("2\n"))}, {"format", "lines"}}) ==
        Texts{"'1'", "'2'"});
  CHECK(
      rows({{"path", folder.file("b.gz", gzip("x"))}, {"format", "lines"}, {"compression", "none"}}).size() >=
      1);
}

TEST_CASE("a truncated gzip file gives its good records, and then the job fails with the file's name") {
  const TempFolder folder;
  std::string text;
  for (unsigned i = 0; i < 20'000; ++i) text += std::to_string(i * 2654435761u) + "\n";
  const std::string whole = gzip(text);
  const RunOutcome outcome =
      read({{"path", folder.file("cut.gz", whole.substr(0, whole.size() - 20))}, {"format", "lines"}});
  REQUIRE(outcome.error);
  CHECK(outcome.error->code() == ErrorCode::corrupt_input);
  CHECK(outcome.error->message().find("cut.gz: the gzip stream is cut off") != std::string::npos);
  const auto got = outcome.rows(0);
  CHECK(got.size() > 19'000);
  CHECK(row_text(got.front()) == "'0'");
}

TEST_CASE("lines around the limit: limit and below pass, above is one bad record each, the next is read") {
  const TempFolder folder;
  std::string text;
  for (const std::size_t size : {1023u, 1024u, 1025u, 3'000'000u}) text += std::string(size, 'x') + "\n";
  const RunOutcome outcome =
      read({{"path", folder.file("l", text + "normal\n")}, {"format", "lines"}, {"max_record", "1KiB"}});
  CHECK(outcome.rows(0).size() == 3);
  CHECK(row_text(outcome.rows(0).back()) == "'normal'");
  CHECK(outcome.bad == std::map<std::string, std::uint64_t>{{"record_too_large", 2}});
  REQUIRE(outcome.rows(1).size() == 2);
  CHECK(std::get<std::string>(outcome.rows(1)[0][3]).find("l:3: the record is longer than max_record") !=
        std::string::npos);
  CHECK(std::get<std::string>(outcome.rows(1)[1][3]).find("l:4: ") != std::string::npos);
}

TEST_CASE("a row that no edge can carry is a bad record") {
  const TempFolder folder;
  RunOptions options;
  options.record_limit_bytes = 100;
  const RunOutcome outcome =
      read({{"path", folder.file("l", std::string(200, 'x') + "\nok\n")}, {"format", "lines"}}, options);
  CHECK(row_texts(outcome.rows(0)) == Texts{"'ok'"});
  CHECK(outcome.bad.at("record_too_large") == 1);
}

TEST_CASE("on_error decides about bad records") {
  const TempFolder folder;
  Json config{{"path", folder.file("x.jsonl", "{\"a\":1}\nbroken\n{\"a\":2}\n")},
              {"format", "jsonl"},
              {"schema", {{{"name", "a"}, {"type", "int64"}}}}};
  CHECK(read(config).rows(1).size() == 1);
  config["on_error"] = "skip";
  CHECK(read(config).rows(1).empty());
  CHECK(read(config).bad.at("malformed_record") == 1);
  config["on_error"] = "fail";
  const RunOutcome failed = read(config);
  REQUIRE(failed.error);
  CHECK(failed.error->code() == ErrorCode::bad_record_failed);
  CHECK(failed.error->message().find("x.jsonl:2: ") != std::string::npos);
  CHECK(row_texts(failed.rows(0)) == Texts{"1"});
}

TEST_CASE("bytes that are not UTF-8 in the middle of 1,000 lines change nothing for the others") {
  const TempFolder folder;
  for (const std::string& bad :
       {std::string("\xff"), std::string("\xc3\x28"), std::string("\xc0\xaf"), std::string("a\0b", 3)}) {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += (i == 500 ? bad : "line") + "\n";
    const auto got = rows({{"path", folder.file("l", text)}, {"format", "lines"}});
    REQUIRE(got.size() == 1000);
    CHECK(got[500] == "'" + bad + "'");
  }
}

TEST_CASE("a million records of which every second is bad come out in bounded batches") {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "{\"a\":1}\n{\"a\":\"x\"}\n";
  const Json config{{"path", folder.file("x", text)},
                    {"format", "jsonl"},
                    {"schema", {{{"name", "a"}, {"type", "int64"}}}}};
  const RunOutcome outcome = read(config);
  CHECK(!outcome.error);
  CHECK(outcome.rows(0).size() == 100'000);
  CHECK(outcome.rows(1).size() == 100'000);
  for (const Event& event : outcome.out) CHECK(event.rows.size() <= 1024);
}

TEST_CASE("tasks share the files, one file is read by one task") {
  const TempFolder folder;
  for (const char* name : {"1", "2", "3"}) folder.file(name, std::string(name) + "\n");
  const Json config{{"path", folder.path("*")}, {"format", "lines"}};
  const auto bound = bind_config(file_source_type(), config);
  CHECK(bound->traits().max_parallelism == 3);
  RunOptions options;
  options.parallelism = 2;
  CHECK(row_texts(run_source(*bound, options).rows(0)) == Texts{"'1'", "'3'"});
  options.task_index = 1;
  CHECK(row_texts(run_source(*bound, options).rows(0)) == Texts{"'2'"});
  CHECK(bind_config(file_source_type(), {{"path", folder.path("1")}, {"format", "lines"}})
            ->traits()
            .max_parallelism == 1);
}

TEST_CASE("each csv file of a list is read by its own header") {
  const TempFolder folder;
  folder.file("1.csv", "a,b\n1,2\n");
  folder.file("2.csv", "b,a\r\n3,4\r\n");
  CHECK(rows({{"path", folder.path("*.csv")}, {"format", "csv"}}) == Texts{"'1' '2'", "'4' '3'"});
  folder.file("3.csv", "b,c\n5,6\n");
  const RunOutcome outcome = read({{"path", folder.path("*.csv")}, {"format", "csv"}});
  REQUIRE(outcome.error);
  CHECK(outcome.error->message().find("3.csv:1: the header has no column \"a\"") != std::string::npos);
  CHECK(outcome.rows(0).size() == 2);
}

TEST_CASE("a csv header that cannot be read ends the job, and the row behind it is not taken for one") {
  const TempFolder folder;
  const std::string quoted = folder.file("quoted.csv", "\n\"a,b\n1,2\n3,4\n");
  const std::string longer = folder.file("longer.csv", "a,b,cccccccccccccccccccccc\n1,2\n3,4\n");
  folder.file("good.csv", "a,b\n1,2\n");
  for (const std::string& path : {quoted, longer}) {
    CAPTURE(path);
    // The columns may be asked for by name or by position.
    for (const char* schema : {R"([{"name":"a"}])", R"([{"name":"a","from":1}])"}) {
      const RunOutcome outcome = read({{"path", {folder.path("good.csv"), path}},
                                       {"format", "csv"},
                                       {"max_record", "16B"},
                                       {"schema", Json::parse(schema)}});
      REQUIRE(outcome.error);
      CHECK(outcome.error->message().find(path == quoted ? ":2: the header" : ":1: the header") !=
            std::string::npos);
      CHECK(row_texts(outcome.rows(0)) == Texts{"'1'"});
      const RunOutcome alone =
          read({{"path", path}, {"format", "csv"}, {"max_record", "16B"}, {"schema", Json::parse(schema)}});
      REQUIRE(alone.error);
      CHECK(alone.rows(0).empty());
    }
    const auto found =
        problems_of(file_source_type(), {{"path", path}, {"format", "csv"}, {"max_record", "16B"}});
    REQUIRE(found.size() == 1);
    CHECK(found[0].find("cannot be read") != std::string::npos);
  }
}

TEST_CASE("lines are counted over quoted line ends, comments and blank lines") {
  const TempFolder folder;
  const Json config{{"path", folder.file("x.csv", "# c\na,b\n1,\"x\ny\"\n\nbad,z\n2,\"q\n3,w\n")},
                    {"format", {{"type", "csv"}, {"comment", "#"}}},
                    {"schema", {{{"name", "a"}, {"type", "int64"}}, {{"name", "b"}}}}};
  const RunOutcome outcome = read(config);
  CHECK(row_texts(outcome.rows(0)) == Texts{"1 'x\ny'", "3 'w'"});
  REQUIRE(outcome.rows(1).size() == 2);
  CHECK(std::get<std::string>(outcome.rows(1)[0][3]).find("x.csv:6: column") != std::string::npos);
  CHECK(std::get<std::string>(outcome.rows(1)[1][3]).find("x.csv:7: a quote") != std::string::npos);
  CHECK(std::get<std::string>(outcome.rows(1)[1][0]) == "2,\"q");
}

TEST_CASE("standard input is read as it comes and never blocks") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const StandardInput input(ends[0]);
  const auto bound = bind_config(file_source_type(), {{"path", "-"}, {"format", "lines"}});
  Driver driver(*bound);
  CHECK(driver.poll_once().next == Step::Next::kWaits);
  REQUIRE(::write(ends[1], "a\nb\nc", 5) == 5);
  CHECK(driver.poll_once().next == Step::Next::kWaits);
  CHECK(row_texts(rows_of(driver.take())) == Texts{"'a'", "'b'"});
  ::close(ends[1]);
  while (driver.poll_once().next != Step::Next::kFinished) {
  }
  CHECK(row_texts(rows_of(driver.take())) == Texts{"'c'"});
  ::close(ends[0]);
}

TEST_CASE("what is wrong with a file_source is found while the graph is checked") {
  const TempFolder folder;
  folder.file("there.log", "x\n");
  const std::string there = folder.path("there.log");
  CHECK(problems({{"path", folder.path("no.log")}, {"format", "lines"}}) == Texts{"/path [file_unreadable]"});
  CHECK(problems({{"path", folder.path("no*.log")}, {"format", "lines"}}) == Texts{"/path [no_match]"});
  CHECK(problems({{"path", {there, folder.path("no.log")}}, {"format", "lines"}}) ==
        Texts{"/path/1 [file_unreadable]"});
  CHECK(problems({{"path", folder.path("")}, {"format", "lines"}}) == Texts{"/path [file_unreadable]"});
  CHECK(problems({{"path", ""}, {"format", "lines"}}) == Texts{"/path [bad_value]"});
  CHECK(problems({{"path", folder.path("no.csv")}, {"format", "csv"}}) == Texts{"/path [file_unreadable]"});
  CHECK(problems({{"path", "-"}, {"format", "jsonl"}}) == Texts{"/format [missing_field]"});
  CHECK(problems({{"path", there}, {"format", "lines"}, {"max_record", "15B"}}) ==
        Texts{"/max_record [out_of_range]"});
  CHECK(problems({{"path", there}, {"format", "lines"}, {"max_record", "1GiB"}}) ==
        Texts{"/max_record [out_of_range]"});
  CHECK(problems({{"path", there}, {"format", "lines"}, {"compression", "bz2"}}) ==
        Texts{"/compression [bad_value]"});
  CHECK(problems({{"path", there}, {"format", "lines"}, {"follow", "yes"}}) == Texts{"/follow [wrong_type]"});
  CHECK(problems({{"path", there}}) == Texts{" [missing_field]"});
  const auto hinted =
      problems_of(file_source_type(), {{"path", folder.path("thre.log")}, {"format", "lines"}});
  CHECK(hinted.at(0).find("did you mean \"there.log\"?") != std::string::npos);
  if (::geteuid() != 0) {
    ::chmod(there.c_str(), 0);
    CHECK(problems({{"path", there}, {"format", "lines"}}) == Texts{"/path [file_unreadable]"});
  }
}

TEST_CASE("a file that vanishes between check and start ends the job with its name") {
  const TempFolder folder;
  const std::string path = folder.file("x.log", "x\n");
  const auto bound = bind_config(file_source_type(), {{"path", path}, {"format", "lines"}});
  std::filesystem::remove(path);
  const RunOutcome outcome = run_source(*bound);
  REQUIRE(outcome.error);
  CHECK(outcome.error->code() == ErrorCode::file_unreadable);
  CHECK(outcome.error->message().find("x.log: No such file") != std::string::npos);
}

}  // namespace sluice::test
