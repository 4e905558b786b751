#include <CLI/App.hpp>
#include <memory>

#include "engine/bench/channel_bench.hpp"
#include "engine/bench/operators_bench.hpp"
#include "engine/bench/scan_bench.hpp"
#include "engine/cli/verb.hpp"

namespace sluice {
namespace {

struct BenchArguments {
  std::string name;
  double seconds = 20;
  bool json = false;
};

void bench(const BenchArguments& arguments, VerbContext& context) {
  const BenchReport report = arguments.name == "channel"     ? bench_channel(arguments.seconds)
                             : arguments.name == "operators" ? bench_operators(arguments.seconds)
                                                             : bench_scan(arguments.seconds);
  context.terminal.write_out(arguments.json ? report.json().dump(2) + "\n" : report.text());
}

}  // namespace

void add_bench(CLI::App& root, VerbContext& context) {
  CLI::App* verb =
      root.add_subcommand("bench", "Measure on this machine: median, min and max of many samples");
  const auto arguments = std::make_shared<BenchArguments>();
  verb->add_option("name", arguments->name, "What to measure")
      ->required()
      ->check(CLI::IsMember({"channel", "operators", "scan"}))
      ->type_name("{channel,operators,scan}");
  verb->add_option("--seconds", arguments->seconds, "How long to go on taking samples; default: 20")
      ->check(CLI::Range(0.1, 3600.0))
      ->type_name("N");
  verb->add_flag("--json", arguments->json, "Print the result as JSON");
  verb->footer(example_footer(
      "  sluice bench channel             an edge between two threads beside a bare ring and memcpy\n"
      "  sluice bench operators           rows/s of filter, map, windows and joins beside hand-written "
      "loops\n"
      "  sluice bench scan --seconds 10   MB/s of file_source, format by format"));
  verb->callback([arguments, &context] { bench(*arguments, context); });
}

}  // namespace sluice
