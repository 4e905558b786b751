#include "engine/graph/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace sluice {
namespace {

struct Paint {
  std::string_view bold;
  std::string_view red;
  std::string_view cyan;
  std::string_view off;
};

std::string place(const Report& report, const Position& position) {
  if (position == kNoPosition) return report.file;
  return fmt::format("{}:{}:{}", report.file, position.line, position.column);
}

constexpr Paint kPlain = {"", "", "", ""};
constexpr Paint kColoured = {"\x1b[1m", "\x1b[1;31m", "\x1b[36m", "\x1b[0m"};

}  // namespace

std::string report_as_text(const Report& report, bool colour) {
  const Paint& paint = colour ? kColoured : kPlain;
  std::string text;
  for (const Diagnostic& diagnostic : report.diagnostics) {
    const Problem& problem = diagnostic.problem;
    const std::string at = problem.pointer.empty() ? std::string() : " at " + problem.pointer;
    text += fmt::format("{}{}:{} {}error[{}]{}{}: {}\n", paint.bold, place(report, diagnostic.position),
                        paint.off, paint.red, error_name(problem.code), paint.off, at, problem.message);
    if (!problem.hint.empty()) text += fmt::format("  {}hint:{} {}\n", paint.cyan, paint.off, problem.hint);
  }
  return text;
}

Json report_as_json(const Report& report) {
  Json list = Json::array();
  for (const auto& [problem, position] : report.diagnostics) {
    list.push_back({{"file", report.file},
                    {"line", position.line},
                    {"column", position.column},
                    {"code", error_name(problem.code)},
                    {"pointer", problem.pointer},
                    {"message", problem.message},
                    {"hint", problem.hint}});
  }
  return list;
}

Report make_report(const SourceText& source, Problems problems) {
  Report report{source.file(), {}};
  const std::vector<Position> positions = source.positions_of(problems);
  for (std::size_t i = 0; i < problems.size(); ++i)
    report.diagnostics.push_back({std::move(problems[i]), positions[i]});
  sort_by_position(report);
  return report;
}

void sort_by_position(Report& report) {
  std::stable_sort(
      report.diagnostics.begin(), report.diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::tie(a.position.line, a.position.column) < std::tie(b.position.line, b.position.column);
      });
}

}  // namespace sluice
