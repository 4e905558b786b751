#include "operators/builtin/generator.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

Json config_of(const std::string& columns, const std::string& end = R"("count": 1000)") {
  return Json::parse(fmt::format(R"({{{}, "columns": [{}]}})", end, columns));
}

std::vector<Row> generate(const std::string& columns, const std::string& end = R"("count": 1000)") {
  const auto outcome = run_source(*bind_config(generator_type(), config_of(columns, end)));
  CHECK_FALSE(outcome.error);
  return outcome.rows();
}

constexpr const char* kAllKinds = R"(
  {"name": "a", "type": "int64", "gen": "sequence", "start": 5, "step": -3},
  {"name": "b", "type": "string", "gen": "constant", "value": "x"},
  {"name": "c", "type": "int64", "gen": "uniform", "min": -10, "max": 10},
  {"name": "d", "type": "float64", "gen": "uniform", "min": 0.5, "max": 1.5},
  {"name": "e", "type": "float64", "gen": "normal", "mean": 100, "stddev": 2},
  {"name": "f", "type": "int64", "gen": "zipf", "n": 1000, "s": 1.0},
  {"name": "g", "type": "bool", "gen": "choice", "values": [true, false, null], "weights": [6, 3, 1]},
  {"name": "h", "type": "string", "gen": "text", "min_length": 0, "max_length": 30},
  {"name": "i", "type": "timestamp", "gen": "timestamp", "start": "1969-12-31T23:59:59Z", "step": "250ms"})";

TEST_CASE("Tasks that share the rows of a generator make together what one makes alone") {
  const auto bound = bind_config(generator_type(), config_of(kAllKinds, R"("count": 2999, "seed": 7)"));
  const auto alone = row_multiset(run_source(*bound).rows());
  CHECK(alone.size() == 2999);
  for (const std::uint32_t parallelism : {2u, 3u, 7u}) {
    std::vector<Row> rows;
    for (std::uint32_t task = 0; task < parallelism; ++task) {
      const auto part = run_source(*bound, {.task_index = task, .parallelism = parallelism}).rows();
      rows.insert(rows.end(), part.begin(), part.end());
    }
    CHECK(row_multiset(rows) == alone);
  }
}

TEST_CASE(
    "The same seed makes the same rows, another seed others, and a column does not depend on its "
    "neighbours") {
  const auto one = row_texts(generate(kAllKinds, R"("count": 100, "seed": 1)"));
  CHECK(one == row_texts(generate(kAllKinds, R"("count": 100, "seed": 1)")));
  CHECK(one != row_texts(generate(kAllKinds, R"("count": 100, "seed": 2)")));
  const std::string lone = R"({"name": "c", "type": "int64", "gen": "uniform", "min": -10, "max": 10})";
  const auto all = generate(kAllKinds);
  const auto only = generate(lone);
  for (std::size_t i = 0; i < only.size(); ++i) CHECK(only[i][0] == all[i][2]);
}

TEST_CASE("A pace changes when rows come and nothing else") {
  const auto fast = row_texts(generate(kAllKinds, R"("count": 500)"));
  const auto paced =
      run_source(*bind_config(generator_type(), config_of(kAllKinds, R"("count": 500, "rate": "100/s")")));
  CHECK(row_texts(paced.rows()) == fast);
  // Row 500 of 100 a second comes 4.99 s after the first.
  CHECK(std::abs(static_cast<double>(paced.now_ns - 4'990 * kNsPerMs)) < 1'000);
  for (const Event& event : paced.out) CHECK(event.rows.size() == 1);
}

TEST_CASE("A fast pace is handed out in even portions") {
  const auto bound =
      bind_config(generator_type(), config_of(kAllKinds, R"("count": 20000, "rate": "1000000/s")"));
  const auto outcome = run_source(*bound);
  CHECK(outcome.rows().size() == 20000);
  CHECK(std::abs(static_cast<double>(outcome.now_ns - 20 * kNsPerMs)) < 1.1 * kNsPerMs);
  for (const Event& event : outcome.out) CHECK(event.rows.size() <= kTargetBatchRows);
}

TEST_CASE("Time in which the generator could not run is not made up for by a flood") {
  const auto bound =
      bind_config(generator_type(), config_of(kAllKinds, R"("count": 100000, "rate": "100/s")"));
  Driver driver(*bound);
  driver.poll_once();
  driver.advance(3600 * kNsPerSecond);
  Step step = driver.poll_once();
  while (step.next == Step::Next::kHasMore) step = driver.poll_once();
  CHECK(rows_of(driver.out()).size() <= 1 + 10);
}

TEST_CASE("A generator with a duration ends by the clock") {
  const auto bound =
      bind_config(generator_type(), config_of(kAllKinds, R"("duration": "2s", "rate": "50/s")"));
  const auto outcome = run_source(*bound);
  CHECK(outcome.now_ns == 2 * kNsPerSecond);
  CHECK(outcome.rows().size() == 100);
}

TEST_CASE("A count of 0 ends at once and a count is shared to the last row") {
  CHECK(generate(kAllKinds, R"("count": 0)").empty());
  const auto bound = bind_config(generator_type(), config_of(kAllKinds, R"("count": 1)"));
  CHECK(run_source(*bound, {.task_index = 0, .parallelism = 3}).rows().size() == 1);
  CHECK(run_source(*bound, {.task_index = 1, .parallelism = 3}).rows().empty());
}

TEST_CASE("Sequences and timestamps step from their start") {
  const auto rows = generate(kAllKinds, R"("count": 3)");
  CHECK(rows[0][0] == Value(std::int64_t{5}));
  CHECK(rows[2][0] == Value(std::int64_t{-1}));
  CHECK(rows[0][8] == Value(std::int64_t{-1'000'000}));
  CHECK(rows[2][8] == Value(std::int64_t{-500'000}));
}

TEST_CASE("Distributions have their shape") {
  const auto rows = generate(kAllKinds, R"("count": 100000)");
  double uniform = 0, normal = 0, square = 0;
  std::map<std::int64_t, double> zipf;
  std::map<std::string, double> choice;
  std::set<std::int64_t> integers;
  std::set<std::size_t> lengths;
  int outside = 0;
  for (const Row& row : rows) {
    integers.insert(std::get<std::int64_t>(row[2]));
    const double d = std::get<double>(row[3]);
    outside += d < 0.5 || d >= 1.5;
    uniform += d / 1e5;
    const double e = std::get<double>(row[4]);
    normal += e / 1e5;
    square += (e - 100) * (e - 100) / 1e5;
    zipf[std::get<std::int64_t>(row[5])] += 1;
    choice[row_text({row[6]})] += 1;
    const auto& text = std::get<std::string>(row[7]);
    lengths.insert(text.size());
    outside += text.find_first_not_of("abcdefghijklmnopqrstuvwxyz234567") != std::string::npos;
  }
  CHECK(outside == 0);
  CHECK(integers.size() == 21);
  CHECK(*integers.begin() == -10);
  CHECK(*integers.rbegin() == 10);
  CHECK(lengths.size() == 31);
  CHECK(uniform == doctest::Approx(1.0).epsilon(0.01));
  CHECK(normal == doctest::Approx(100).epsilon(0.001));
  CHECK(square == doctest::Approx(4).epsilon(0.03));
  CHECK(choice["true"] == doctest::Approx(60000).epsilon(0.02));
  CHECK(choice["null"] == doctest::Approx(10000).epsilon(0.05));
  CHECK(zipf.begin()->first == 1);
  CHECK(zipf.rbegin()->first <= 1000);
  // With s = 1 the k-th value is k times as rare; the first has the share 1 / H(1000) = 0.1336.
  CHECK(zipf[1] == doctest::Approx(13360).epsilon(0.03));
  CHECK(zipf[1] / zipf[2] == doctest::Approx(2).epsilon(0.06));
  CHECK(zipf[1] / zipf[10] == doctest::Approx(10).epsilon(0.12));
}

TEST_CASE("The widest ranges and odd shapes are legal") {
  const auto rows = generate(R"(
    {"name": "w", "type": "int64", "gen": "uniform", "min": -9223372036854775808, "max": 9223372036854775807},
    {"name": "one", "type": "int64", "gen": "uniform", "min": 3, "max": 3},
    {"name": "flat", "type": "int64", "gen": "zipf", "n": 3, "s": 0},
    {"name": "lone", "type": "int64", "gen": "zipf", "n": 1},
    {"name": "none", "type": "timestamp", "gen": "constant", "value": null},
    {"name": "j", "type": "json", "gen": "constant", "value": {"k": [1]}},
    {"name": "digits", "type": "string", "gen": "text", "length": 5, "alphabet": "01"},
    {"name": "empty", "type": "string", "gen": "text", "length": 0})");
  std::int64_t below = 0;
  for (const Row& row : rows) below += std::get<std::int64_t>(row[0]) < 0;
  CHECK((below > 400 && below < 600));
  CHECK(row_text({rows[0].begin() + 3, rows[0].begin() + 6}) == R"(1 null '{"k":[1]}')");
  CHECK(std::get<std::string>(rows[9][6]).find_first_not_of("01") == std::string::npos);
  CHECK(row_text({rows[0][1], rows[0][7]}) == "3 ''");
}

TEST_CASE("A sequence that leaves 64 bits ends the job with a sentence and never wraps") {
  const auto outcome = run_source(*bind_config(generator_type(), config_of(R"(
    {"name": "n", "type": "int64", "gen": "sequence", "start": 9223372036854775000})")));
  REQUIRE(outcome.error);
  CHECK(outcome.error->code() == ErrorCode::integer_overflow);
  CHECK(outcome.error->message().find("\"n\"") != std::string::npos);
}

TEST_CASE("Configurations that make no sense are refused at the right place") {
  struct Bad {
    const char* end;
    const char* columns;
    const char* problem;
  };
  const char* fine = R"({"name": "n", "type": "int64", "gen": "sequence"})";
  const Bad bad[] = {
      {R"("seed": 1)", fine, " [missing_field]"},
      {R"("count": 1, "duration": "1s")", fine, "/duration [bad_value]"},
      {R"("count": -1)", fine, "/count [out_of_range]"},
      {R"("count": 1, "rate": "0/s")", fine, "/rate ["},
      {R"("count": 1)", R"({"name": "n", "type": "string", "gen": "sequence"})",
       "/columns/0/type [type_mismatch]"},
      {R"("count": 1)", R"({"name": "n", "type": "int64", "gen": "sequenze"})", "/columns/0/gen [bad_value]"},
      {R"("count": 1)", R"({"name": "n", "type": "int64", "gen": "sequence", "n": 3})",
       "/columns/0/n [unknown_field]"},
      {R"("count": 1)", R"({"name": "n", "type": "int64", "gen": "sequence", "step": 1.5})",
       "/columns/0/step [wrong_type]"},
      {R"("count": 1)", R"({"name": "n", "type": "int64", "gen": "uniform", "min": 2, "max": 1})",
       "/columns/0/min [out_of_range]"},
      {R"("count": 1)", R"({"name": "n", "type": "int64", "gen": "uniform", "min": 2})",
       "/columns/0 [missing_field]"},
      {R"("count": 1)", R"({"name": "n", "type": "int64", "gen": "constant", "value": "x"})",
       "/columns/0/value [wrong_type]"},
      {R"("count": 1)", R"({"name": "n", "type": "int64", "gen": "choice", "values": [1, "x"]})",
       "/columns/0/values/1 [wrong_type]"},
      {R"("count": 1)",
       R"({"name": "n", "type": "int64", "gen": "choice", "values": [1, 2], "weights": [1]})",
       "/columns/0/weights [bad_value]"},
      {R"("count": 1)", R"({"name": "n", "type": "int64", "gen": "choice", "values": [1], "weights": [0]})",
       "/columns/0/weights [out_of_range]"},
      {R"("count": 1)", R"({"name": "n", "type": "string", "gen": "text", "length": 1, "max_length": 2})",
       "/columns/0/length [bad_value]"},
      {R"("count": 1)", R"({"name": "n", "type": "string", "gen": "text", "min_length": 3, "max_length": 2})",
       "/columns/0/min_length [out_of_range]"},
      {R"("count": 1)", R"({"name": "n", "type": "string", "gen": "text", "alphabet": "é"})",
       "/columns/0/alphabet [bad_value]"},
      {R"("count": 1)", R"({"name": "n", "type": "timestamp", "gen": "timestamp", "start": "yesterday"})",
       "/columns/0/start [bad_value]"},
      {R"("count": 1)", R"({"name": "n", "type": "timestamp", "gen": "timestamp", "step": 5})",
       "/columns/0/step [wrong_type]"},
      {R"("count": 1)", R"({"name": "$n", "type": "int64", "gen": "sequence"})",
       "/columns/0/name [bad_name]"},
      {R"("count": 1)",
       R"({"name": "n", "type": "int64", "gen": "sequence"}, {"name": "n", "type": "int64", "gen": "sequence"})",
       "/columns/1/name [duplicate_name]"},
  };
  for (const Bad& b : bad) {
    CAPTURE(b.problem);
    const auto problems = problems_of(generator_type(), config_of(b.columns, b.end));
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].substr(0, std::string(b.problem).size()) == b.problem);
  }
}

}  // namespace
}  // namespace sluice::test
