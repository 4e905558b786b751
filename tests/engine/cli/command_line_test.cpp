#include "engine/cli/command_line.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/graph/report.hpp"
#include "operators/builtin/builtin_catalogue.hpp"
#include "operators/config/catalogue.hpp"
#include "tests/engine/cli/command_line_run.hpp"
#include "tests/source_root.hpp"

namespace sluice {
namespace {

const std::filesystem::path kGraphs = test::source_root() / "graphs";
const std::string kBad = (kGraphs / "invalid" / "cycle.json").string();
const std::string kGood = (kGraphs / "generated-top-users.json").string();

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("sluice alone prints its help") {
  const CommandLineResult result = run_sluice({});
  CHECK(result.exit_code == 0);
  CHECK(contains(result.out, "validate"));
  CHECK(result.out == run_sluice({"--help"}).out);
  CHECK(result.err.empty());
}

TEST_CASE("every verb has help with an example") {
  for (const std::string& verb :
       std::vector<std::string>{"run", "validate", "plan", "operators", "bench", "completion", "version"}) {
    CAPTURE(verb);
    const CommandLineResult result = run_sluice({verb, "--help"});
    CHECK(result.exit_code == 0);
    CHECK(contains(result.out, "Example"));
    CHECK(contains(result.out, "  sluice " + verb));
    CHECK(result.out.back() == '\n');
  }
}

TEST_CASE("wrong usage is exit code 2 with a sentence and a hint on standard error") {
  struct Row {
    std::vector<std::string> arguments;
    std::string sentence;
  };
  const std::vector<Row> table = {{{"vlidate"}, "did you mean \"validate\"?"},
                                  {{"validate"}, "graph is required"},
                                  {{"validate", "--jsno", "x.json"}, "did you mean \"--json\"?"},
                                  {{"validate", "--jsno"}, "did you mean \"--json\"?"},
                                  {{"--verison"}, "did you mean \"--version\"?"},
                                  {{"operators", "generator", "more"}, "one too many"},
                                  {{"operators", "generatr"}, "did you mean \"generator\"?"},
                                  {{"operators", "--json", "--schema"}, "excludes"},
                                  {{"completion", "tcsh"}, "bash, zsh and fish"},
                                  {{"version", "now"}, "one too many"}};
  for (const Row& row : table) {
    CAPTURE(row.arguments.back());
    const CommandLineResult result = run_sluice(row.arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CAPTURE(result.err);
    CHECK(contains(result.err, row.sentence));
  }
}

TEST_CASE("validate says ok on standard output and errors on standard error, for each file") {
  const CommandLineResult result = run_sluice({"validate", kGood, kBad, kGood});
  CHECK(result.exit_code == 2);
  CHECK(contains(result.out, kGood + ": ok ("));
  CHECK(contains(result.err,
                 kBad + ":16:5: error[cycle] at /edges/3: the graph has a cycle: a → b → c → a\n  hint: "));
  CHECK(contains(result.err, kBad + ": 1 error\n"));
  CHECK(run_sluice({"validate", kGood}).exit_code == 0);
}

TEST_CASE("validate --json prints one array of problems, empty if all is well") {
  CHECK(Json::parse(run_sluice({"validate", kGood, "--json"}).out) == Json::array());
  const CommandLineResult result = run_sluice({"validate", "--json", kBad, "no-such-file.json"});
  CHECK(result.exit_code == 2);
  CHECK(result.err.empty());
  const Json problems = Json::parse(result.out);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0]["code"] == "cycle");
  CHECK(problems[0]["line"] == 16);
  CHECK(problems[0]["pointer"] == "/edges/3");
  CHECK(problems[1]["code"] == "file_unreadable");
}

TEST_CASE("validate --set changes the document that is checked") {
  CHECK(run_sluice({"validate", "--set", "/name=Bad Name", kGood}).exit_code == 2);
  CHECK(run_sluice({"validate", "--set", "/name=good-name", kGood}).exit_code == 0);
  CHECK(contains(run_sluice({"validate", kGood, "--set", "/nmae/x=1"}).err, "error[usage]"));
}

TEST_CASE("operators lists every type, explains one, and prints schemas") {
  const CommandLineResult list = run_sluice({"operators"});
  const Json json = Json::parse(run_sluice({"operators", "--json"}).out);
  CHECK(json.size() == builtin_catalogue().types().size());
  for (const OperatorType& type : builtin_catalogue().types()) {
    CAPTURE(type.type);
    CHECK(contains(list.out, "  " + type.type + " "));
    const CommandLineResult one = run_sluice({"operators", type.type});
    CHECK(one.exit_code == 0);
    for (const FieldSpec& field : type.fields) CHECK(contains(one.out, "  " + field.name + " "));
    for (const PortSpec& port : type.outputs) CHECK(contains(one.out, port.name));
    const Json schema = Json::parse(run_sluice({"operators", type.type, "--json"}).out);
    CHECK(schema["properties"].size() == type.fields.size());
  }
}

TEST_CASE("version names version and compiler") {
  const std::string text = run_sluice({"version"}).out;
  CHECK(text.starts_with("sluice 0."));
  CHECK(text == run_sluice({"--version"}).out);
  CHECK(Json::parse(run_sluice({"version", "--json"}).out).contains("compiler"));
}

TEST_CASE("colours are written only where they are asked for") {
  Report report;
  report.file = "f.json";
  report.diagnostics.push_back({{"/a", ErrorCode::cycle, "message", "hint"}, {1, 2}});
  CHECK(report_as_text(report, false) == "f.json:1:2: error[cycle] at /a: message\n  hint: hint\n");
  CHECK(contains(report_as_text(report, true), "\x1b["));
}

TEST_CASE("an output that cannot be written is an error") {
  std::FILE* const full = std::fopen("/dev/full", "w");
  REQUIRE(full != nullptr);
  Terminal terminal;
  terminal.out = full;
  terminal.err = std::fopen("/dev/null", "w");
  VerbContext context{terminal, builtin_catalogue(), {}};
  CHECK(run_command_line({"operators"}, context) == kJobFailed);
  std::fclose(full);
  std::fclose(terminal.err);
}

}  // namespace sluice
