#include "operators/aggregate/distinct_set.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>

namespace sluice {
namespace {

TEST_CASE("A set of words counts what a plain set counts, merged or not") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::set<std::uint64_t> plain;
    WordSet set, other;
    for (int i = 0; i < 5000; ++i) {
      // Small numbers, multiples of 2^32, and anything.
      const std::uint64_t kind = random() % 3, number = random();
      const std::uint64_t word = kind == 0 ? number % 100 : kind == 1 ? number % 2000 << 32 : number;
      if (i % 2 == 0) {
        CHECK(set.insert(word) == plain.insert(word).second);
      } else {
        other.insert(word);
      }
      if (i % 2 == 0) CHECK(set.size() == plain.size());
    }
    other.for_each([&](std::uint64_t word) { plain.insert(word); });
    set.merge(other);
    CHECK(set.size() == plain.size());
    std::set<std::uint64_t> seen;
    set.for_each([&](std::uint64_t word) { seen.insert(word); });
    CHECK(seen == plain);
  }
}

TEST_CASE("A set of texts counts what a plain set counts, merged or not") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::set<std::string> plain;
    TextSet set, other;
    for (int i = 0; i < 3000; ++i) {
      // Also texts that are the beginning of another, or differ by a zero byte.
      std::string text(random() % 20, static_cast<char>(random() % 3));
      if (random() % 2 == 0) text += std::to_string(random() % 1000);
      plain.insert(text);
      (i % 3 == 0 ? other : set).insert(text);
    }
    set.merge(other);
    CHECK(set.size() == plain.size());
    std::set<std::string> seen;
    set.for_each([&](std::string_view text) { seen.emplace(text); });
    CHECK(seen == plain);
  }
}

TEST_CASE("What sets hold: nothing while empty, little for a value, and in proportion to many") {
  WordSet words;
  TextSet texts;
  CHECK(words.heap_bytes() == 0);
  CHECK(texts.heap_bytes() == 0);
  words.insert(0);
  CHECK(words.heap_bytes() == 0);
  words.insert(7);
  texts.insert("a text of some length");
  CHECK(words.heap_bytes() <= 32);
  CHECK(texts.heap_bytes() <= 96);
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    words.insert(i * 0x100000000u);
    texts.insert(std::to_string(1'000'000 + i));
  }
  CHECK(words.heap_bytes() >= 8 * 100'000);
  CHECK(words.heap_bytes() <= 24 * 100'000);
  CHECK(texts.heap_bytes() >= 19 * 100'000);
  CHECK(texts.heap_bytes() <= 46 * 100'000);
}

}  // namespace
}  // namespace sluice
