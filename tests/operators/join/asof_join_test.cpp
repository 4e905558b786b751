#include <doctest/doctest.h>

#include "operators/join/join.hpp"
#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kSide({{"k", Type::string}, {"v", Type::int64}}, true);
const Json kOnKey = Json::array({Json::array({"k", "k"})});
constexpr EventTimeUs kNone = kWatermarkNone;

Row at(std::int64_t t, Value k, std::int64_t v, EventTimeUs watermark = kNone) {
  return {std::move(k), v, t, watermark};
}
Row pair(const Row& l, const Row& r, EventTimeUs watermark = kNone) {
  return {l[0], l[1], r[0], r[1], l[2], watermark};
}
Row alone(const Row& l) { return {l[0], l[1], kNull, kNull, l[2], l[3]}; }

std::unique_ptr<BoundOperator> bind_asof(const std::string& kind = "inner") {
  return bind_config(join_type(), {{"type", "asof"}, {"on", kOnKey}, {"kind", kind}}, {kSide, kSide});
}

TEST_CASE("A left row is joined with the latest right row of its key that is not after it") {
  const auto bound = bind_asof("left");
  Driver driver(*bound);
  const std::vector<Row> left = {at(10, "a", 1, 4), at(9, "a", 2, 4), at(1, "a", 3, 0), at(10, "b", 4),
                                 at(10, kNull, 5)};
  const std::vector<Row> right = {at(11, "a", 1), at(10, "a", 2, 6), at(5, "a", 3, 2), at(4, "a", 4),
                                  at(1, kNull, 5)};
  driver.rows(kSide, left, 0);
  driver.rows(kSide, right, 1);
  driver.finish();
  CHECK(row_texts(driver.outcome().rows()) ==
        row_texts({alone(left[2]), pair(left[1], right[2], 2), pair(left[0], right[1], 4), alone(left[3]),
                   alone(left[4])}));
}

TEST_CASE("Of right rows of equal time the last to come holds, also if it comes after the left row") {
  const auto bound = bind_asof();
  Driver driver(*bound);
  const Row left = at(10, "a", 1);
  driver.rows(kSide, {at(10, "a", 1), at(10, "a", 2)}, 1);
  driver.rows(kSide, {left}, 0);
  driver.rows(kSide, {at(10, "a", 3), at(9, "a", 4)}, 1);
  driver.watermark(10);
  CHECK(rows_of(driver.take()).empty());
  driver.watermark(11);
  CHECK(row_texts(rows_of(driver.take())) == row_texts({pair(left, at(10, "a", 3))}));
}

TEST_CASE("What holds for a key goes on holding however far event time goes") {
  const auto bound = bind_asof();
  Driver driver(*bound);
  driver.rows(kSide, {at(1, "a", 1), at(2, "a", 2)}, 1);
  driver.watermark(1'000'000);
  const Row left = at(2'000'000, "a", 9);
  driver.rows(kSide, {left}, 0);
  driver.watermark(3'000'000);
  CHECK(row_texts(rows_of(driver.take())) == row_texts({pair(left, at(2, "a", 2))}));
}

TEST_CASE("Rows before the watermark are late and go to their side's port") {
  const auto bound = bind_asof("left");
  Driver driver(*bound);
  const Row late_left = at(9, "a", 1, 10), late_right = at(8, "a", 2, 10);
  driver.rows(kSide, {late_left}, 0);
  driver.rows(kSide, {late_right}, 1);
  driver.finish();
  CHECK(driver.outcome().rows(0).empty());
  CHECK(row_texts(driver.outcome().rows(1)) == row_texts({late_left}));
  CHECK(row_texts(driver.outcome().rows(2)) == row_texts({late_right}));
  CHECK(driver.outcome().late == 2);
}

TEST_CASE("While the inputs are idle no left row waits, and what comes up to then is late") {
  const auto bound = bind_asof("left");
  Driver driver(*bound);
  const Row known = at(10, "a", 1), unknown = at(20, "b", 2);
  driver.rows(kSide, {unknown, known}, 0);
  driver.rows(kSide, {at(7, "a", 3), at(30, "a", 4)}, 1);
  driver.idle();
  CHECK(row_texts(rows_of(driver.take())) == row_texts({pair(known, at(7, "a", 3)), alone(unknown)}));
  driver.rows(kSide, {at(20, "b", 5), at(21, "b", 6)}, 1);
  const Row after = at(21, "b", 7);
  driver.rows(kSide, {after}, 0);
  driver.finish();
  CHECK(row_texts(rows_of(driver.take(), 0)) == row_texts({pair(after, at(21, "b", 6))}));
  CHECK(driver.outcome().late == 1);
}

TEST_CASE("Results come in bounded batches") {
  const auto bound = bind_asof();
  std::vector<Row> left;
  for (int i = 0; i < 10'000; ++i) left.push_back(at(i, "a", i));
  Driver driver(*bound);
  driver.rows(kSide, {at(0, "a", 1)}, 1);
  driver.rows(kSide, left, 0);
  driver.finish();
  std::size_t rows = 0;
  for (const Event& event : driver.outcome().out) {
    REQUIRE(event.rows.size() <= kTargetBatchRows);
    rows += event.rows.size();
  }
  CHECK(rows == 10'000);
}

TEST_CASE("One right row a key is kept, though the rows of rare keys lie among many of a frequent one") {
  const auto bound = bind_asof();
  Driver driver(*bound);
  for (int batch = 0; batch < 200; ++batch) {
    std::vector<Row> right;
    for (int i = 0; i < 1000; ++i)
      right.push_back(at(batch * 1000 + i, i == 0 ? "rare" + std::to_string(batch) : "hot", i));
    driver.rows(kSide, right, 1);
    driver.watermark(batch * 1000 + 1000);
  }
  CHECK(driver.outcome().state_keys == 201);
  CHECK(driver.outcome().state_bytes_peak < 4'000'000);  // 200,000 rows would be 10 MB
  std::vector<Row> left, expected;
  for (int batch = 0; batch < 200; ++batch) {
    left.push_back(at(1'000'000, "rare" + std::to_string(batch), batch));
    expected.push_back(pair(left.back(), at(batch * 1000, left.back()[0], 0)));
  }
  driver.take();
  driver.rows(kSide, left, 0);
  driver.finish();
  CHECK(row_texts(driver.outcome().rows()) == row_texts(expected));
}

TEST_CASE("Once the left input has ended and no row of it waits, right rows are not kept") {
  const auto bound = bind_asof();
  Driver driver(*bound);
  std::vector<Row> right;
  for (int i = 0; i < 5000; ++i) right.push_back(at(i, "k" + std::to_string(i), i));
  driver.rows(kSide, right, 1);
  driver.rows(kSide, {at(10, "k3", 1)}, 0);
  driver.input_ended(0);
  CHECK(driver.outcome().state_bytes > 250'000);
  driver.watermark(11);
  CHECK(driver.take()[0].rows.size() == 1);
  CHECK(driver.outcome().state_bytes < 100'000);
  driver.rows(kSide, {at(6000, "a", 1)}, 1);
  driver.watermark(7000);
  CHECK(driver.outcome().state_keys == 0);
}

}  // namespace
}  // namespace sluice::test
