// Graphs: the parser, every rule and every operator's own checks. Paths lead to one file of this fuzzer, made
// when it starts: whatever stands in a graph, nothing else of the machine is looked at. Required: a graph or
// problems, each with a sentence and a place inside the text.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "engine/graph/load.hpp"
#include "operators/builtin/builtin_catalogue.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using namespace sluice;

// A folder with one file that several formats can read; removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-fuzz-XXXXXX").string();
    fuzz::require(::mkdtemp(name.data()) != nullptr, "no temporary folder");
    path_ = name;
    std::ofstream(path_ + "/input") << "{\"a\":1,\"b\":\"x\",\"t\":\"2015-05-17T10:05:00Z\"}\n";
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const Folder& folder() {
  static const Folder made;
  return made;
}

// Any path but standard input's becomes the one file's.
std::unique_ptr<BoundOperator> bind_to_folder(const OperatorType& type, const BindInput& in,
                                              Problems& problems) {
  Json config = in.config;
  if (config.is_object() && config.contains("path") && config["path"] != "-") config["path"] = "input";
  return type.bind(BindInput{config, in.inputs, in.operator_id, folder().path()}, problems);
}

const Catalogue& catalogue() {
  static const Catalogue confined = [] {
    Catalogue made;
    for (const OperatorType& type : builtin_catalogue().types()) {
      OperatorType copy = type;
      copy.bind = [&type](const BindInput& in, Problems& problems) {
        return bind_to_folder(type, in, problems);
      };
      made.add(std::move(copy));
    }
    return made;
  }();
  return confined;
}

LoadOptions options() {
  LoadOptions made;
  made.environment = [](const std::string& name) {
    return name.size() == 1 ? std::optional<std::string>("\"a b}") : std::nullopt;
  };
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  const LoadedGraph loaded = load_graph_text(text, "x.json", folder().path(), catalogue(), options());
  fuzz::require(loaded.graph.has_value() == loaded.report.ok(), "a graph and problems, or neither");
  for (const Diagnostic& diagnostic : loaded.report.diagnostics) {
    fuzz::require(diagnostic.position.line >= 1 && diagnostic.position.line <= lines,
                  "a place outside the text: " + diagnostic.problem.message);
    fuzz::require(!diagnostic.problem.message.empty(), "a problem without a sentence");
  }
  fuzz::require(loaded.report.ok() || !report_as_text(loaded.report, false).empty(), "a report without text");
  return 0;
}
