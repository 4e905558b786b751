#include "runtime/data/hash.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "runtime/data/column_builder.hpp"

namespace sluice {
namespace {

std::vector<std::uint64_t> hashes(BatchStaging& rows, std::vector<std::size_t> columns) {
  const Batch batch = rows.view();
  std::vector<std::uint64_t> out(batch.rows);
  hash_columns(batch, columns, out.data());
  return out;
}

TEST_CASE("The hash of a row does not depend on the batch or the place in it") {
  CHECK(rc::check("one row alone and among others",
                  [](const std::vector<std::pair<std::int64_t, std::string>>& values) {
                    const Schema schema({{"n", Type::int64}, {"s", Type::string}});
                    BatchStaging all(schema);
                    for (const auto& [n, s] : values) {
                      all.column(0).append_int64(n);
                      s.size() % 5 == 4 ? all.column(1).append_null() : all.column(1).append_string(s);
                    }
                    const auto together = hashes(all, {0, 1});
                    for (std::size_t i = 0; i < values.size(); ++i) {
                      BatchStaging one(schema);
                      one.append(all.view(), i);
                      RC_ASSERT(hashes(one, {0, 1}).front() == together[i]);
                    }
                  }));
}

TEST_CASE("Doubles that are the same key have the same hash") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BatchStaging rows(Schema({{"x", Type::float64}}));
  for (const double x : {0.0, -0.0, nan, -nan, std::nan("7"), 1.0}) rows.column(0).append_float64(x);
  const auto h = hashes(rows, {0});
  CHECK(h[0] == h[1]);
  CHECK(h[2] == h[3]);
  CHECK(h[2] == h[4]);
  CHECK(h[0] != h[2]);
  CHECK(h[0] != h[5]);
}

TEST_CASE(
    "Null, zero, false and the empty string hash differently from one another where a column can hold both") {
  BatchStaging rows(Schema({{"n", Type::int64}, {"b", Type::boolean}, {"s", Type::string}}));
  rows.column(0).append_int64(0);
  rows.column(1).append_bool(false);
  rows.column(2).append_string("");
  for (std::size_t c = 0; c < 3; ++c) rows.column(c).append_null();
  for (std::size_t c = 0; c < 3; ++c) {
    const auto h = hashes(rows, {c});
    CHECK(h[0] != h[1]);
  }
}

TEST_CASE("The order of the columns counts and every byte of a string does") {
  BatchStaging rows(Schema({{"a", Type::int64}, {"b", Type::int64}}));
  rows.column(0).append_int64(1);
  rows.column(1).append_int64(2);
  CHECK(hashes(rows, {0, 1}) != hashes(rows, {1, 0}));

  std::set<std::uint64_t> seen;
  std::size_t made = 0;
  for (std::size_t length = 0; length <= 70; ++length) {
    std::string text(length, 'x');
    seen.insert(hash_bytes(text));
    ++made;
    for (std::size_t i = 0; i < length; ++i) {
      text[i] = 'y';
      seen.insert(hash_bytes(text));
      text[i] = 'x';
      ++made;
    }
  }
  CHECK(seen.size() == made);
}

TEST_CASE("Both halves of the hash spread a million consecutive integers evenly") {
  BatchStaging rows(Schema({{"n", Type::int64}}));
  constexpr std::size_t kRows = 1'000'000, kBuckets = 64;
  for (std::size_t i = 0; i < kRows; ++i) rows.column(0).append_int64(static_cast<std::int64_t>(i) * 1024);
  std::vector<double> low(kBuckets), high(kBuckets);
  for (const std::uint64_t h : hashes(rows, {0})) {
    ++low[h % kBuckets];
    ++high[h >> 58];
  }
  // Chi-square with 63 degrees of freedom: above 120 has a probability under 1e-5.
  for (const auto& counts : {low, high}) {
    double chi = 0;
    for (const double count : counts) chi += std::pow(count - kRows / kBuckets, 2) / (kRows / kBuckets);
    CHECK(chi < 120);
  }
}

}  // namespace
}  // namespace sluice
