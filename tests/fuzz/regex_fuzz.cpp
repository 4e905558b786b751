// regex: the input's first line is the pattern, if it is one that can be bound. See check_format for what is
// required.
#include <nlohmann/json.hpp>

#include "operators/format/record_format.hpp"
#include "tests/fuzz/format_property.hpp"

namespace {

using namespace sluice;

const std::vector<std::string> kConfigs = {
    R"json({"format": {"type": "regex", "pattern": "(?P<a>\\S+) (?P<b>[^ ]*)(?: \\[(?P<c>.*)\\])?"}, "schema": [{"name": "a"}, {"name": "n", "from": "b", "type": "int64"}, {"name": "c", "type": "timestamp", "format": "%d/%b/%Y:%H:%M:%S %z"}]})json",
    R"json({"format": {"type": "regex", "pattern": "(?P<t>.+?): (?P<rest>(?P<word>\\w+).*)"}, "schema": [{"name": "t", "type": "timestamp", "format": "%b %d %H:%M:%S", "default_year": 2000}, {"name": "word"}, {"name": "rest", "type": "float64"}]})json"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzInput input(data, size);
  if (input.byte() % 4 != 0) {
    fuzz::check_format(kConfigs, input);
    return 0;
  }
  // Patterns of any kind, so short that compiling them is most of the time but not all.
  const std::string_view pattern = input.until('\n').substr(0, 80);
  const Json config = {{"format", {{"type", "regex"}, {"pattern", std::string(pattern)}}}};
  Problems problems;
  const auto format = bind_format(
      config, [](const Framing&, std::size_t) { return std::vector<std::string>(); }, problems);
  fuzz::require((format == nullptr) == !problems.empty(),
                "a pattern without problems, or the other way round");
  for (const Problem& problem : problems)
    fuzz::require(!problem.message.empty(), "a problem without a sentence");
  // As text the config must hold no byte that is not UTF-8.
  const std::string text = config.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (format != nullptr && Json::parse(text) == config) fuzz::check_format({text}, input);
  return 0;
}
