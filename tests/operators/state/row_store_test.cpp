#include "operators/state/row_store.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "operators/state/key_index.hpp"
#include "operators/state/time_queue.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kSchema({{"n", Type::int64}, {"x", Type::float64}, {"b", Type::boolean}, {"s", Type::string}},
                     true);

Row stored(std::int64_t n) {
  return {n % 5 == 0 ? Value(kNull) : Value(n),
          n % 7 == 0 ? Value(kNull) : Value(static_cast<double>(n) / 2),
          n % 3 == 0,
          n % 11 == 0 ? Value(kNull) : Value(std::string(static_cast<std::size_t>(n % 40), 'x')),
          n,
          n - 1};
}

std::vector<RowNumber> append(RowStore& store, const std::vector<Row>& rows) {
  BatchStaging staging(kSchema);
  for (const Row& row : rows) append_row(staging, row);
  std::vector<std::uint32_t> all(rows.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  std::vector<RowNumber> numbers(rows.size());
  REQUIRE(store.append(staging.view(), all, numbers.data()).ok());
  return numbers;
}

// The visible values of rows; nulls for kNoRow.
std::vector<Row> read(const RowStore& store, const std::vector<RowNumber>& numbers) {
  BatchStaging out{Schema(std::vector<Field>(kSchema.fields().begin(), kSchema.fields().begin() + 4))};
  for (std::size_t c = 0; c < 4; ++c) store.append_column(c, numbers, out.column(c));
  std::vector<Row> rows;
  const Batch batch = out.view();
  for (std::size_t r = 0; r < batch.rows; ++r) rows.push_back(read_row(batch, r));
  return rows;
}

Row visible(const Row& row) { return Row(row.begin(), row.begin() + 4); }

TEST_CASE("Stored rows are read back as they were, over many chunks, in any order, with null for no row") {
  RowStore store(kSchema);
  std::vector<Row> rows;
  for (std::int64_t n = 0; n < 5000; ++n) rows.push_back(stored(n));
  std::vector<RowNumber> numbers;
  for (std::size_t i = 0; i < rows.size(); i += 700) {
    const auto end = rows.begin() + static_cast<long>(std::min(rows.size(), i + 700));
    const auto part = append(store, std::vector<Row>(rows.begin() + static_cast<long>(i), end));
    numbers.insert(numbers.end(), part.begin(), part.end());
  }
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  std::vector<RowNumber> wanted = {kNoRow};
  std::vector<Row> expected = {Row(4, kNull)};
  for (const std::size_t i : order) {
    wanted.push_back(numbers[i]);
    expected.push_back(visible(rows[i]));
    REQUIRE(store.time(numbers[i]) == static_cast<std::int64_t>(i));
    REQUIRE(store.watermark(numbers[i]) == static_cast<std::int64_t>(i) - 1);
  }
  CHECK(row_texts(read(store, wanted)) == row_texts(expected));
}

TEST_CASE("Chunks are freed when all their rows are old enough, and their numbers are used again") {
  RowStore store(kSchema);
  std::vector<Row> rows;
  for (std::int64_t n = 0; n < 10 * RowStore::kChunkRows; ++n) rows.push_back(stored(n));
  const auto numbers = append(store, rows);
  const std::uint64_t full = store.bytes();
  std::uint64_t left = 0;
  const auto leave = [&](RowNumber, std::uint32_t count) { left += count; };
  store.free_before(RowStore::kChunkRows - 1, leave);
  CHECK(left == 0);
  store.free_before(RowStore::kChunkRows * 7 / 2, leave);
  CHECK(left == 3 * RowStore::kChunkRows);
  CHECK(store.rows() == 7 * RowStore::kChunkRows);
  CHECK(store.bytes() < full * 85 / 100);  // 7 and a spare one
  CHECK(row_text(read(store, {numbers[3 * RowStore::kChunkRows]})[0]) ==
        row_text(visible(rows[3 * RowStore::kChunkRows])));
  const auto again = append(store, rows);
  CHECK(*std::max_element(again.begin(), again.end()) < 18 * RowStore::kChunkRows);
  CHECK(row_texts(read(store, again)).back() == row_text(visible(rows.back())));
  store.clear();
  CHECK(store.rows() == 0);
  CHECK(store.bytes() == 0);
}

TEST_CASE("A chunk goes when its last row is released, and marks do not come back with it") {
  RowStore store(kSchema);
  std::vector<Row> rows;
  for (std::int64_t n = 0; n < 2 * RowStore::kChunkRows; ++n) rows.push_back(stored(n));
  const auto numbers = append(store, rows);
  const std::uint64_t both = store.bytes();
  for (std::uint32_t i = 0; i < RowStore::kChunkRows; ++i) {
    store.mark(numbers[i]);
    store.release(numbers[i]);
  }
  CHECK(store.rows() == RowStore::kChunkRows);
  CHECK(store.stored_rows() == RowStore::kChunkRows);
  const auto again = append(store, rows);
  CHECK(std::none_of(again.begin(), again.end(), [&](RowNumber row) { return store.marked(row); }));
  CHECK(store.bytes() <= both * 2);
}

TEST_CASE("Wide rows end a chunk early") {
  RowStore store(kSchema);
  Row wide = stored(1);
  wide[3] = std::string(RowStore::kChunkBytes / 4, 'x');
  const auto numbers = append(store, std::vector<Row>(16, wide));
  CHECK(numbers[15] / RowStore::kChunkRows >= 3);
  CHECK(store.row_bytes(numbers[3]) == RowStore::kChunkBytes / 4 + 32);
  const std::uint64_t full = store.bytes();
  for (int i = 0; i < 4; ++i) store.release(numbers[static_cast<std::size_t>(i)]);
  CHECK(store.bytes() <= full - RowStore::kChunkBytes);
}

// Hashes that collide on purpose: correctness must not rest on them.
TEST_CASE("The index finds each key's rows in order whatever comes and goes, also when all hashes collide") {
  for (const std::uint64_t hashes : {std::uint64_t{1}, std::uint64_t{7}, ~std::uint64_t{0}}) {
    CAPTURE(hashes);
    std::mt19937_64 random(hashes);
    RowStore store(kSchema);
    KeyIndex index(store);
    std::map<std::int64_t, std::vector<RowNumber>> model;  // by key
    std::vector<std::pair<std::int64_t, RowNumber>> rows;
    std::map<RowNumber, std::int64_t> key_of;
    const auto hash_of = [&](std::int64_t key) {
      return static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15u % hashes;
    };
    for (int step = 0; step < 6000; ++step) {
      const bool growing = step % 3000 < 2000;
      if (rows.empty() || random() % 4 < (growing ? 3u : 1u)) {
        const auto key = static_cast<std::int64_t>(random() % 300);
        const RowNumber number = append(store, {stored(key)})[0];
        key_of[number] = key;
        index.add(hash_of(key), number, [&](RowNumber first) { return key_of[first] == key; });
        model[key].push_back(number);
        rows.emplace_back(key, number);
      } else {
        const std::size_t i = random() % rows.size();
        const auto [key, number] = rows[i];
        index.remove(hash_of(key), number);
        std::erase(model[key], number);
        if (model[key].empty()) model.erase(key);
        key_of.erase(number);
        store.release(number);
        rows.erase(rows.begin() + static_cast<long>(i));
      }
      if (step % 100 != 0) continue;
      REQUIRE(index.size() == model.size());
      for (std::int64_t key = 0; key < 300; ++key) {
        std::vector<RowNumber> chain;
        for (RowNumber row =
                 index.find(hash_of(key), [&](RowNumber first) { return key_of.at(first) == key; });
             row != kNoRow; row = store.link(row).next) {
          chain.push_back(row);
        }
        REQUIRE(chain == (model.contains(key) ? model.at(key) : std::vector<RowNumber>()));
      }
    }
  }
}

TEST_CASE("The index shrinks as keys leave") {
  RowStore store(kSchema);
  KeyIndex index(store);
  const std::uint64_t empty = index.bytes();
  const auto numbers = append(store, std::vector<Row>(20'000, stored(1)));
  for (const RowNumber n : numbers) index.add(n * 0x9e3779b97f4a7c15u, n, [](RowNumber) { return false; });
  CHECK(index.bytes() > 20'000 * 32);
  for (const RowNumber n : numbers) index.remove(n * 0x9e3779b97f4a7c15u, n);
  CHECK(index.size() == 0);
  CHECK(index.bytes() <= empty * 4);
}

TEST_CASE("The queue gives rows by time, and those of equal time as they came") {
  std::mt19937_64 random(3);
  TimeQueue queue;
  std::multimap<std::int64_t, RowNumber> model;  // equal keys stay in order of insertion
  for (RowNumber row = 0; row < 20'000; ++row) {
    const auto time = static_cast<std::int64_t>(row / 8 + random() % 50);
    queue.push(time, row);
    model.emplace(time, row);
    while (random() % 2 == 0 && !queue.empty()) {
      REQUIRE(queue.latest() == model.rbegin()->first);
      REQUIRE(queue.time() == model.begin()->first);
      REQUIRE(queue.row() == model.begin()->second);
      queue.pop();
      model.erase(model.begin());
    }
    REQUIRE(queue.size() == model.size());
  }
}

}  // namespace
}  // namespace sluice::test
