#include "tests/engine/graph/graph_texts.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "tests/engine/graph/stand_in_catalogue.hpp"

namespace sluice {
namespace {

std::string operator_text(const std::string& short_form) {
  const std::size_t first = short_form.find(':');
  const std::size_t second = short_form.find(':', first + 1);
  std::string text = fmt::format(R"(    {{"id": "{}", "type": "{}")", short_form.substr(0, first),
                                 short_form.substr(first + 1, second - first - 1));
  if (second != std::string::npos) text += ", \"parallelism\": " + short_form.substr(second + 1);
  return text + "}";
}

std::string edge_text(const std::string& short_form) {
  const std::size_t arrow = short_form.find('>');
  return fmt::format(R"(    {{"from": "{}", "to": "{}"}})", short_form.substr(0, arrow),
                     short_form.substr(arrow + 1));
}

std::optional<std::string> test_environment(const std::string& name) {
  static const std::map<std::string, std::string> values = {
      {"NAME", "Zoë"}, {"QUOTED", "a \"b\" \\c\n"}, {"COUNT", "7"}, {"EMPTY", ""}};
  const auto it = values.find(name);
  return it == values.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace

std::string graph_text(const std::vector<std::string>& operators, const std::vector<std::string>& edges) {
  std::string text = "{\n  \"name\": \"test\",\n  \"operators\": [\n";
  for (std::size_t i = 0; i < operators.size(); ++i) {
    text += operator_text(operators[i]) + (i + 1 < operators.size() ? ",\n" : "\n");
  }
  text += "  ],\n  \"edges\": [\n";
  for (std::size_t i = 0; i < edges.size(); ++i)
    text += edge_text(edges[i]) + (i + 1 < edges.size() ? ",\n" : "\n");
  return text + "  ]\n}\n";
}

LoadedGraph load_text(std::string text, std::vector<std::string> overrides) {
  LoadOptions options;
  options.environment = test_environment;
  options.overrides = std::move(overrides);
  return load_graph_text(std::move(text), "test.json", "/folder", stand_in_catalogue(), options);
}

std::vector<std::string> found(const LoadedGraph& loaded) {
  std::vector<std::string> list;
  for (const Diagnostic& diagnostic : loaded.report.diagnostics) {
    list.push_back(std::string(error_name(diagnostic.problem.code)) + " " + diagnostic.problem.pointer);
  }
  return list;
}

}  // namespace sluice
