#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/engine/cli/command_line_run.hpp"

namespace sluice {
namespace {

namespace fs = std::filesystem;

// A folder of its own with a few files to complete, gone when the test is over.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "sluice-completion-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    for (const char* name : {"graph.json", "other graph.json", "notes.txt"})
      std::ofstream(path_ / name) << "{}";
    fs::create_directory(path_ / "more.d");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool has_shell(const char* name) {
  return std::system(fmt::format("command -v {} >/dev/null", name).c_str()) == 0;
}

std::vector<std::string> lines_of(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  CHECK(pclose(pipe) == 0);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

// What a real bash offers for the last of `words`.
std::vector<std::string> complete_in_bash(const Folder& folder, const std::vector<std::string>& words) {
  const fs::path script = folder.path() / "more.d" / "completion.bash";
  std::ofstream(script) << run_sluice({"completion", "bash"}).out;
  std::string list;
  for (const std::string& word : words) list += fmt::format(" '{}'", word);
  return lines_of(
      fmt::format("cd '{}' && bash --norc --noprofile -c 'source \"{}\"; COMP_WORDS=(\"$@\"); "
                  "COMP_CWORD=$(($# - 1)); _sluice 2>/dev/null; "
                  "((${{#COMPREPLY[@]}})) && printf \"%s\\n\" \"${{COMPREPLY[@]}}\"; true' bash{}",
                  folder.path().string(), script.string(), list));
}

using Words = std::vector<std::string>;

bool holds(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("bash completes verbs, options, operator types, graphs and shells") {
  if (!has_shell("bash")) {
    MESSAGE("skipped: no bash here");
    return;
  }
  const Folder folder;
  CHECK(complete_in_bash(folder, {"sluice", "va"}) == Words{"validate"});
  CHECK(holds(complete_in_bash(folder, {"sluice", ""}), "operators"));
  CHECK(complete_in_bash(folder, {"sluice", "validate", "--js"}) == Words{"--json"});
  CHECK(complete_in_bash(folder, {"sluice", "operators", "gen"}) == Words{"generator"});
  CHECK(complete_in_bash(folder, {"sluice", "validate", ""}) ==
        Words{"graph.json", "more.d", "other graph.json"});
  CHECK(complete_in_bash(folder, {"sluice", "validate", "graph.json", "o"}) == Words{"other graph.json"});
  CHECK(complete_in_bash(folder, {"sluice", "completion", ""}) == Words{"bash", "fish", "zsh"});
  CHECK(complete_in_bash(folder, {"sluice", "run", "--profile", "lat"}) == Words{"latency"});
  CHECK(complete_in_bash(folder, {"sluice", "version", ""}).empty());
}

TEST_CASE("the scripts of the other shells are accepted by them") {
  const Folder folder;
  for (const std::string& shell : Words{"zsh", "fish"}) {
    const std::string script = run_sluice({"completion", shell}).out;
    CHECK(script.find("validate") != std::string::npos);
    if (!has_shell(shell.c_str())) {
      MESSAGE("not run: no ", shell, " here");
      continue;
    }
    const fs::path file = folder.path() / "script";
    std::ofstream(file) << script;
    CHECK(std::system(fmt::format("{} -n '{}'", shell, file.string()).c_str()) == 0);
  }
}

}  // namespace sluice
