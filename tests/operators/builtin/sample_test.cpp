#include "operators/builtin/sample.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kInput({{"k", Type::int64}, {"i", Type::int64}});

std::vector<Row> records(std::int64_t count, std::int64_t keys) {
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < count; ++i) rows.push_back({i % keys, i});
  return rows;
}

std::vector<Row> sample(const Json& config, const std::vector<Row>& rows, std::size_t batch = 1000) {
  return run(*bind_config(sample_type(), config, {kInput}), stream_of(rows, batch), kInput).rows();
}

// Within five standard deviations of `rate` of `count`.
bool near_rate(std::size_t kept, double rate, std::size_t count) {
  const double n = static_cast<double>(count);
  return std::abs(static_cast<double>(kept) - rate * n) <= 5 * std::sqrt(n * rate * (1 - rate)) + 1;
}

TEST_CASE("About the given share of the records is kept, as they came and in their order") {
  const auto rows = records(100'000, 7);
  for (const double rate : {0.0001, 0.01, 0.3, 0.5, 0.999}) {
    CAPTURE(rate);
    const auto kept = sample({{"rate", rate}}, rows);
    CHECK(near_rate(kept.size(), rate, rows.size()));
    CHECK(std::is_sorted(kept.begin(), kept.end(), [](const Row& a, const Row& b) { return a[1] < b[1]; }));
  }
  CHECK(sample({{"rate", 1}}, rows).size() == rows.size());
}

TEST_CASE("With \"by\" whole keys stay or go, and about the given share of them stays") {
  const auto rows = records(60'000, 20'000);
  const auto kept = sample({{"rate", 0.1}, {"by", {"k"}}}, rows);
  std::map<Value, int> of_key;
  for (const Row& row : kept) ++of_key[row[0]];
  CHECK(near_rate(of_key.size(), 0.1, 20'000));
  for (const auto& [key, count] : of_key) CHECK(count == 3);
}

TEST_CASE("Batches make no difference; the seed does, and half of two halves is a quarter") {
  const auto rows = records(20'000, 5'000);
  for (const Json& config : {Json{{"rate", 0.5}}, Json{{"rate", 0.5}, {"by", {"k"}}}}) {
    const auto once = row_texts(sample(config, rows));
    for (const std::size_t batch : {1, 7, 64, 20'000}) CHECK(row_texts(sample(config, rows, batch)) == once);
    Json other = config;
    other["seed"] = 1;
    const auto twice = sample(other, sample(config, rows));
    const std::size_t units = config.contains("by") ? 5'000 : 20'000;
    CHECK(near_rate(twice.size() * units / 20'000, 0.25, units));
  }
}

TEST_CASE("A key's coin is the same wherever it is thrown") {
  const auto rows = records(10'000, 1'000);
  auto backwards = rows;
  std::reverse(backwards.begin(), backwards.end());
  const Json config = {{"rate", 0.3}, {"by", {"k"}}, {"seed", 42}};
  CHECK(row_multiset(sample(config, rows)) == row_multiset(sample(config, backwards)));
  const auto traits = bind_config(sample_type(), config, {kInput})->traits();
  CHECK(traits.max_parallelism == 0);
  CHECK_FALSE(traits.order_sensitive);
  CHECK(traits.keys.empty());
}

TEST_CASE("Null is a key; -0.0 and 0.0 are the same one, and so are all NaNs") {
  const Schema input({{"x", Type::float64}});
  for (int seed = 0; seed < 32; ++seed) {
    const auto bound = bind_config(sample_type(), {{"rate", 0.5}, {"by", {"x"}}, {"seed", seed}}, {input});
    const auto kept = [&](const Value& x) { return run(*bound, stream_of({{x}}), input).rows().size(); };
    CHECK(kept(0.0) == kept(-0.0));
    CHECK(kept(std::nan("1")) == kept(-std::numeric_limits<double>::quiet_NaN()));
    CHECK(run(*bound, stream_of({{kNull}, {kNull}}), input).rows().size() % 2 == 0);
  }
}

TEST_CASE("Without \"by\" the records go through one task in their order") {
  const auto traits = bind_config(sample_type(), {{"rate", 0.3}}, {kInput})->traits();
  CHECK(traits.max_parallelism == 1);
  CHECK(traits.order_sensitive);
  CHECK(traits.max_parallelism_reason != "");
}

TEST_CASE("A rate that is no share, or a column that is not there, is refused") {
  const auto problem = [](const Json& config) { return problems_of(sample_type(), config, {kInput}).at(0); };
  CHECK(problem({{"rate", 0}}).starts_with("/rate [out_of_range]"));
  CHECK(problem({{"rate", -0.1}}).starts_with("/rate [out_of_range]"));
  CHECK(problem({{"rate", 1.5}}).starts_with("/rate [out_of_range]"));
  CHECK(problem({{"rate", 0.5}, {"by", {"nothing"}}}).starts_with("/by/0 [unknown_column]"));
  CHECK(problem({{"rate", "10%"}}).starts_with("/rate [wrong_type]"));
}

}  // namespace
}  // namespace sluice::test
