// file_source on published files, where they are at hand. The numbers were counted with other programs (wc,
// Python's csv module).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "operators/builtin/file_source.hpp"
#include "tests/operators/operator_harness.hpp"
#include "tests/source_root.hpp"

namespace sluice::test {
namespace {

// The file's path, or "" after saying that the test is skipped.
std::string data(const std::string& name) {
  const char* shared = std::getenv("SLUICE_SHARED");
  const std::filesystem::path root = shared != nullptr ? shared : source_root() / ".." / "shared";
  const auto path = root / "cases" / "data" / name;
  if (std::filesystem::exists(path)) return path.string();
  MESSAGE("skipped: there is no " << path.string() << " (SLUICE_SHARED names the folder that holds cases/)");
  return "";
}

RunOutcome read(const Json& config) {
  const auto bound = bind_config(file_source_type(), config);
  return run_source(*bound);
}

struct Sum {
  std::size_t values = 0;
  double sum = 0;
};

Sum sum_of(const RunOutcome& outcome, std::size_t column) {
  Sum sum;
  for (const Row& row : outcome.rows(0)) {
    if (std::holds_alternative<std::monostate>(row[column])) continue;
    ++sum.values;
    sum.sum += std::get<double>(row[column]);
  }
  return sum;
}

}  // namespace

TEST_CASE("logs without a line end at their end: every line once") {
  for (const char* name :
       {"loghub/BGL_2k.log", "loghub/HDFS_2k.log", "loghub/OpenSSH_2k.log", "loghub/Thunderbird_2k.log"}) {
    const std::string path = data(name);
    if (path.empty()) return;
    CHECK(read({{"path", path}, {"format", "lines"}}).rows(0).size() == 2000);
  }
}

TEST_CASE("ticks without a header or a line end at their end: every row once") {
  const struct {
    const char* name;
    std::size_t rows;
  } table[] = {{"ticks/ibm_quote.csv", 109067}, {"ticks/ibm_trade.csv", 24293}};
  for (const auto& file : table) {
    const std::string path = data(file.name);
    if (path.empty()) return;
    const RunOutcome outcome = read({{"path", path},
                                     {"format", {{"type", "csv"}, {"header", false}}},
                                     {"schema", {{{"name", "ms"}, {"from", 1}, {"type", "int64"}}}}});
    CHECK(outcome.bad.empty());
    CHECK(outcome.rows(0).size() == file.rows);
  }
}

TEST_CASE("block numbers beyond 2^53 keep every digit") {
  const std::string path = data("loghub/HDFS_2k.log");
  if (path.empty()) return;
  const RunOutcome outcome = read({{"path", path},
                                   {"format", {{"type", "regex"}, {"pattern", ".*?blk_(?P<block>-?\\d+).*"}}},
                                   {"schema", {{{"name", "block"}, {"type", "int64"}}}}});
  CHECK(outcome.bad.empty());
  REQUIRE(outcome.rows(0).size() == 2000);
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  std::int64_t all = 0;
  for (const Row& row : outcome.rows(0)) {
    const auto block = std::get<std::int64_t>(row[0]);
    least = std::min(least, block);
    greatest = std::max(greatest, block);
    all ^= block;
  }
  CHECK(least == -9220604860626391374);
  CHECK(greatest == 9216955386716663841);
  CHECK(all == 7610046903977006140);
}

TEST_CASE("an Apache log with one bad line") {
  const std::string path = data("apache-access/access.log");
  if (path.empty()) return;
  const RunOutcome outcome = read({{"path", path}, {"format", "apache_combined"}});
  CHECK(outcome.rows(0).size() == 9999);
  CHECK(outcome.bad == std::map<std::string, std::uint64_t>{{"malformed_record", 1}});
  REQUIRE(outcome.rows(1).size() == 1);
  CHECK(std::get<std::string>(outcome.rows(1)[0][3]).find("access.log:8899: the line has no quoted agent") !=
        std::string::npos);
}

TEST_CASE("European decimals, semicolons, CR LF, nulls written as -200") {
  const struct {
    const char* name;
    std::size_t rows;
    Sum wanted;
  } table[] = {{"air-quality/AirQualityUCI.csv", 9471, {7765, -1679.8}},
               {"air-quality/AirQualityUCI_noeol.csv", 9357, {7674, 16520.2}}};
  for (const auto& file : table) {
    const std::string path = data(file.name);
    if (path.empty()) return;
    const RunOutcome outcome = read(
        {{"path", path},
         {"format", {{"type", "csv"}, {"delimiter", ";"}, {"decimal", ","}, {"null_values", {"", "-200"}}}},
         {"schema", {{{"name", "co"}, {"from", "CO(GT)"}, {"type", "float64"}}}}});
    CHECK(outcome.bad.empty());
    CHECK(outcome.rows(0).size() == file.rows);
    const Sum got = sum_of(outcome, 0);
    CHECK(got.values == file.wanted.values);
    CHECK(got.sum == doctest::Approx(file.wanted.sum));
  }
}

TEST_CASE("csv with quoted delimiters") {
  const std::string path = data("fraud/transaction_data_2K_coldstart.csv");
  if (path.empty()) return;
  const RunOutcome outcome =
      read({{"path", path},
            {"format", "csv"},
            {"schema", {{{"name", "price"}, {"from", "order_price"}, {"type", "float64"}}}}});
  CHECK(outcome.bad.empty());
  CHECK(sum_of(outcome, 0).values == 1611);
  CHECK(sum_of(outcome, 0).sum == doctest::Approx(179901.15));
}

TEST_CASE("an array of objects as one document, and one inside a GeoJSON document") {
  const std::string flights = data("flights/flights-20k.json");
  const std::string quakes = data("earthquakes/earthquakes.json");
  if (flights.empty() || quakes.empty()) return;
  const RunOutcome flown =
      read({{"path", flights},
            {"format", "json_array"},
            {"schema", {{{"name", "delay"}, {"type", "float64"}}, {{"name", "origin"}}}}});
  CHECK(flown.bad.empty());
  CHECK(flown.rows(0).size() == 20000);
  CHECK(sum_of(flown, 0).sum == 154078);
  const RunOutcome shaken =
      read({{"path", quakes},
            {"format", {{"type", "json_array"}, {"records", "/features"}}},
            {"schema", {{{"name", "mag"}, {"from", "/properties/mag"}, {"type", "float64"}}}}});
  CHECK(shaken.bad.empty());
  CHECK(shaken.rows(0).size() == 1707);
  CHECK(sum_of(shaken, 0).values == 1707);
  CHECK(sum_of(shaken, 0).sum == doctest::Approx(2616.39));
  CHECK(read({{"path", quakes}, {"format", "json_array"}, {"schema", {{{"name", "mag"}}}}})
            .error->message()
            .find("earthquakes.json:1: the document is an object and no array") != std::string::npos);
}

TEST_CASE("gzipped JSON whose keys hold dots, with columns inferred") {
  const std::string path = data("zeek/dns.json.gz");
  if (path.empty()) return;
  const auto bound = bind_config(file_source_type(), {{"path", path}, {"format", "jsonl"}});
  CHECK(bound->output_schemas()[0].field(*bound->output_schemas()[0].find("id.orig_p")).type == Type::int64);
  const RunOutcome outcome = run_source(*bound);
  CHECK(outcome.bad.empty());
  CHECK(outcome.rows(0).size() == 53615);
}

}  // namespace sluice::test
