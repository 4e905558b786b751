#include "operators/aggregate/frequent_items.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace sluice {
namespace {

using Numbers = FrequentItems<std::int64_t>;

std::map<std::int64_t, std::uint64_t> counts_of(const std::vector<std::int64_t>& values) {
  std::map<std::int64_t, std::uint64_t> counts;
  for (const std::int64_t v : values) ++counts[v];
  return counts;
}

Numbers summary_of(const std::vector<std::int64_t>& values, std::uint32_t m) {
  Numbers summary;
  for (const std::int64_t v : values) summary.add(v, m);
  return summary;
}

// What holds for every summary of these values: each count's bounds, and that none that is frequent is
// missed.
void check_bounds(const Numbers& summary, const std::vector<std::int64_t>& values, std::uint32_t m) {
  const auto truth = counts_of(values);
  const std::uint64_t most_missed = values.size() / (m + 1);
  std::map<std::int64_t, std::uint64_t> given;
  std::uint64_t before = UINT64_MAX;
  for (const Numbers::Item& item : summary.top(2 * m)) {
    REQUIRE(truth.contains(item.value));
    const std::uint64_t count = truth.at(item.value);
    CHECK(item.count >= count);
    CHECK(item.count - item.error <= count);
    CHECK(item.error <= most_missed);
    CHECK(item.count <= before);
    before = item.count;
    given[item.value] = item.count;
  }
  for (const auto& [value, count] : truth) {
    if (count > most_missed) CHECK(given.contains(value));
  }
}

struct Input {
  std::string name;
  std::vector<std::int64_t> values;
};

std::vector<std::int64_t> made(std::size_t count, const std::function<std::int64_t(std::size_t)>& next) {
  std::vector<std::int64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = next(i);
  return values;
}

std::vector<Input> inputs() {
  std::mt19937_64 random(2005);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto zipf = [&](double s) {  // by the inverse of a power law's distribution
    return static_cast<std::int64_t>(std::pow(1 - uniform(random), -1 / s));
  };
  std::vector<Input> all;
  all.push_back({"all equal", std::vector<std::int64_t>(10'000, 42)});
  all.push_back({"all distinct", made(10'000, [](std::size_t i) { return static_cast<std::int64_t>(i); })});
  all.push_back({"Zipf, 1.0", made(30'000, [&](std::size_t) { return zipf(1.0); })});
  all.push_back({"Zipf, 0.5", made(30'000, [&](std::size_t) { return zipf(0.5); })});
  all.push_back(
      {"uniform", made(30'000, [&](std::size_t) { return static_cast<std::int64_t>(random() % 3000); })});
  all.push_back({"the frequent one comes last",
                 made(10'000, [](std::size_t i) { return i < 9000 ? static_cast<std::int64_t>(i) : -1; })});
  all.push_back({"the frequent one comes first",
                 made(10'000, [](std::size_t i) { return i < 1000 ? -1 : static_cast<std::int64_t>(i); })});
  all.push_back({"one in m is the same, just below what must be kept", made(20'000, [](std::size_t i) {
                   return i % 52 == 0 ? -1 : static_cast<std::int64_t>(i);
                 })});
  all.push_back({"rounds over a few more values than counters",
                 made(20'000, [](std::size_t i) { return static_cast<std::int64_t>(i % 101); })});
  return all;
}

TEST_CASE("Counts are within their bounds, and no frequent value is missed, whatever the input") {
  for (const Input& input : inputs()) {
    CAPTURE(input.name);
    for (const std::uint32_t m : {4, 50, 1000}) {
      CAPTURE(m);
      check_bounds(summary_of(input.values, m), input.values, m);
    }
  }
}

TEST_CASE("Merged summaries keep the bounds, however the values were split") {
  for (const Input& input : inputs()) {
    CAPTURE(input.name);
    for (const std::uint64_t seed : {1, 2}) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      for (const std::size_t parts_count : {2, 7, 100}) {
        std::vector<Numbers> parts(parts_count);
        const bool by_runs = seed == 1;
        for (std::size_t i = 0; i < input.values.size(); ++i) {
          const std::size_t part = by_runs ? i * parts_count / input.values.size() : random() % parts_count;
          parts[part].add(input.values[i], 50);
        }
        // One after the other, and as a tree.
        Numbers all;
        for (const Numbers& part : parts) all.merge(part, 50);
        check_bounds(all, input.values, 50);
        for (std::size_t step = 1; step < parts_count; step *= 2) {
          for (std::size_t i = 0; i + step < parts_count; i += 2 * step) parts[i].merge(parts[i + step], 50);
        }
        check_bounds(parts[0], input.values, 50);
      }
    }
  }
}

TEST_CASE("Up to 2 m different values are exact, in any order and however merged") {
  std::mt19937_64 random(3);
  std::vector<std::int64_t> values =
      made(5000, [&](std::size_t) { return static_cast<std::int64_t>(random() % 100); });
  const auto truth = counts_of(values);
  Numbers parts[3], all;
  for (const std::int64_t v : values) parts[random() % 3].add(v, 50);
  for (const Numbers& part : parts) all.merge(part, 50);
  const auto top = all.top(100);
  CHECK(top.size() == truth.size());
  for (const Numbers::Item& item : top) {
    CHECK(item.count == truth.at(item.value));
    CHECK(item.error == 0);
  }
}

TEST_CASE("Most first, equal counts by value") {
  FrequentItems<std::string> texts;
  for (const char* text : {"b", "a", "c", "b", "d", "", "d"}) texts.add(text, 10);
  std::string order;
  for (const auto& item : texts.top(5)) order += std::string(item.value) + std::to_string(item.count) + " ";
  CHECK(order == "b2 d2 1 a1 c1 ");
  CHECK(texts.top(1).size() == 1);
  CHECK(FrequentItems<std::string>().top(5).empty());
  Numbers numbers;
  for (const std::int64_t v : {5, -7, 3}) numbers.add(v, 10);
  CHECK(numbers.top(3)[0].value == -7);
}

TEST_CASE("The same values in the same order give the same summary") {
  for (const Input& input : inputs()) {
    CAPTURE(input.name);
    const auto a = summary_of(input.values, 20).top(40), b = summary_of(input.values, 20).top(40);
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      CHECK(a[i].value == b[i].value);
      CHECK(a[i].count == b[i].count);
      CHECK(a[i].error == b[i].error);
    }
  }
}

TEST_CASE("Memory is bounded by the counters, and the texts' bytes count") {
  FrequentItems<std::string> texts;
  CHECK(texts.heap_bytes() == 0);
  texts.add("x", 50);
  CHECK(texts.heap_bytes() <= 256);
  std::size_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    texts.add(std::string(1000, 'x') + std::to_string(i), 50);
    most = std::max(most, texts.heap_bytes());
  }
  CHECK(most >= 50 * 1000);
  CHECK(most <= 101 * 1100 + 127 * 64 + 100);
  FrequentItems<std::string> merged;
  merged.merge(texts, 50);
  CHECK(merged.heap_bytes() <= most);
}

}  // namespace
}  // namespace sluice
