#include "engine/graph/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <unordered_set>
#include <utility>

#include "engine/graph/environment.hpp"
#include "engine/graph/json_document.hpp"
#include "engine/graph/overrides.hpp"
#include "engine/graph/parser.hpp"
#include "engine/graph/validator.hpp"

namespace sluice {
namespace {

// One document on its way from text to graph.
class Loader {
 public:
  Loader(std::string text, std::string file_name, const Catalogue& catalogue, const LoadOptions& options)
      : catalogue_(catalogue), options_(options) {
    report_.file = file_name;
    Substitution substitution = substitute_environment(text, options.environment);
    environment_problems_ = std::move(substitution.problems);
    source_ = std::make_shared<SourceText>(std::move(file_name), std::move(text),
                                           std::move(substitution.text), std::move(substitution.pieces));
  }

  LoadedGraph load(std::string base_directory) {
    parse();
    if (!document_.complete) return refused();
    for (const std::string& assignment : options_.overrides) override_value(assignment);
    Draft draft = parse_graph(document_.root, problems_);
    for (const std::string& pointer : document_.unreliable) mark_unreliable(draft, pointer);
    if (options_.parallelism) {
      for (OperatorNode& node : draft.graph.operators) node.parallelism = *options_.parallelism;
    }
    draft.graph.base_directory = std::move(base_directory);
    check_graph(draft, catalogue_, problems_);
    drop_noise();
    if (!problems_.empty() || !report_.ok()) return refused();
    draft.graph.source = source_;
    return {std::move(draft.graph), std::move(report_)};
  }

 private:
  void parse() {
    std::vector<std::size_t> unset;
    for (const PlacedProblem& placed : environment_problems_) unset.push_back(placed.offset);
    document_ = parse_json_document(source_->scanned(), kMaxDocumentDepth, unset);
    for (std::size_t i = 0; i < unset.size(); ++i) {
      environment_problems_[i].problem.pointer = document_.unset_pointers[i];
      add_placed(std::move(environment_problems_[i]));
    }
    for (PlacedProblem& placed : document_.problems) add_placed(std::move(placed));
  }

  void add_placed(PlacedProblem placed) {
    report_.diagnostics.push_back({std::move(placed.problem), source_->position_at(placed.offset)});
  }

  void override_value(const std::string& assignment) {
    const std::string pointer = apply_override(document_.root, assignment, problems_);
    // What could not be read is no longer there.
    if (!pointer.empty()) document_.unreliable.erase(pointer);
  }

  // An operator is not judged by a value that only stands in for another.
  static void mark_unreliable(Draft& draft, const std::string& pointer) {
    constexpr std::string_view kOperators = "/operators/";
    if (!pointer.starts_with(kOperators)) return;
    const std::size_t index = std::strtoull(pointer.c_str() + kOperators.size(), nullptr, 10);
    if (index < draft.operators.size()) draft.operators[index].broken = true;
  }

  // Problems of values that have been reported as unreadable.
  void drop_noise() {
    if (document_.unreliable.empty()) return;
    std::erase_if(problems_, [&](const Problem& problem) {
      std::string pointer = problem.pointer;
      while (!document_.unreliable.contains(pointer)) {
        const std::size_t slash = pointer.rfind('/');
        if (slash == std::string::npos) return false;
        pointer.resize(slash);
      }
      return true;
    });
  }

  LoadedGraph refused() {
    Report found = make_report(*source_, std::move(problems_));
    std::move(found.diagnostics.begin(), found.diagnostics.end(), std::back_inserter(report_.diagnostics));
    sort_by_position(report_);
    return {std::nullopt, std::move(report_)};
  }

  const Catalogue& catalogue_;
  const LoadOptions& options_;
  std::shared_ptr<const SourceText> source_;
  std::vector<PlacedProblem> environment_problems_;
  JsonDocument document_;
  Problems problems_;
  Report report_;  // what has its place already
};

LoadedGraph refused(std::string file, ErrorCode code, std::string message, std::string hint = "") {
  Report report{std::move(file), {}};
  report.diagnostics.push_back({{"", code, std::move(message), std::move(hint)}, kNoPosition});
  return {std::nullopt, std::move(report)};
}

std::string too_large_message() {
  return fmt::format("the document is larger than {} MiB", kMaxDocumentBytes >> 20);
}

// At most one byte more than a document may have, so that an endless input ends here.
Result<std::string> read_all(std::FILE* file) {
  std::string text;
  char buffer[65536];
  while (text.size() <= kMaxDocumentBytes) {
    const std::size_t got = std::fread(buffer, 1, sizeof buffer, file);
    if (got == 0) break;
    text.append(buffer, got);
  }
  if (std::ferror(file) != 0) return error_from_errno(errno, "reading the graph");
  return text;
}

Result<std::string> read_file(const std::string& path) {
  if (path == "-") return read_all(stdin);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) return error_from_errno(errno, "opening the graph");
  return read_all(file.get());
}

std::string directory_of(const std::string& path) {
  const std::string directory = path == "-" ? "" : std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

}  // namespace

LoadedGraph load_graph_text(std::string text, std::string file_name, std::string base_directory,
                            const Catalogue& catalogue, const LoadOptions& options) {
  if (text.size() > kMaxDocumentBytes)
    return refused(std::move(file_name), ErrorCode::too_large, too_large_message());
  return Loader(std::move(text), std::move(file_name), catalogue, options).load(std::move(base_directory));
}

LoadedGraph load_graph(const std::string& path, const Catalogue& catalogue, const LoadOptions& options) {
  const std::string name = path == "-" ? "standard input" : path;
  Result<std::string> text = read_file(path);
  if (!text.ok()) return refused(name, ErrorCode::file_unreadable, text.error().message());
  return load_graph_text(std::move(text).value(), name, directory_of(path), catalogue, options);
}

}  // namespace sluice
