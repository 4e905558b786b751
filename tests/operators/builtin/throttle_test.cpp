#include "operators/builtin/throttle.hpp"

#include <doctest/doctest.h>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kInput({{"n", Type::int64}, {"s", Type::string}});

std::vector<Row> numbers(std::int64_t count) {
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < count; ++i) rows.push_back({i, "s" + std::to_string(i)});
  return rows;
}

std::unique_ptr<BoundOperator> bind_throttle(const char* field, const char* value) {
  return bind_config(throttle_type(), {{field, value}}, {kInput});
}

TEST_CASE("A slow rate lets one record through at a time, in order, and nothing is lost") {
  const auto rows = numbers(20);
  const auto outcome = run(*bind_throttle("rate", "1/s"), stream_of(rows, 7), kInput);
  CHECK(row_texts(outcome.rows()) == row_texts(rows));
  CHECK(outcome.out.size() == 20);
  CHECK(outcome.now_ns / kNsPerMs == 19'000);
}

TEST_CASE("A delay is the time between two records") {
  const auto outcome = run(*bind_throttle("delay", "10ms"), stream_of(numbers(101)), kInput);
  CHECK(outcome.now_ns / kNsPerMs == 1'000);
}

TEST_CASE("The rate is that of all tasks together") {
  const auto outcome =
      run(*bind_throttle("rate", "100/s"), stream_of(numbers(51)), kInput, {.parallelism = 2});
  CHECK(outcome.now_ns / kNsPerMs == 1'000);
}

TEST_CASE("No wait is longer than 50 ms, and a run that drains is let through at once") {
  const auto bound = bind_throttle("delay", "1h");
  Driver driver(*bound);
  Step step = driver.process_once(kInput, numbers(1000));
  CHECK(rows_of(driver.out()).size() == 1);
  REQUIRE(step.next == Step::Next::kWaits);
  CHECK(step.until_ns <= 50 * kNsPerMs);
  driver.advance(step.until_ns);
  driver.drain();
  step = driver.resume_once();
  CHECK(step.next == Step::Next::kNeedsInput);
  CHECK(row_texts(rows_of(driver.out())) == row_texts(numbers(1000)));
}

TEST_CASE("Without a limit batches pass whole") {
  const auto outcome = run(*bind_throttle("rate", "max"), stream_of(numbers(2000), 1000), kInput);
  CHECK(outcome.out.size() == 2);
  CHECK(outcome.now_ns == 0);
}

TEST_CASE("A throttle needs a rate or a delay above nothing, and starts its chain") {
  CHECK(problems_of(throttle_type(), Json::object(), {kInput}).at(0).starts_with(" [missing_field]"));
  CHECK(problems_of(throttle_type(), {{"rate", "1/s"}, {"delay", "1s"}}, {kInput})
            .at(0)
            .starts_with("/delay [bad_value]"));
  CHECK(problems_of(throttle_type(), {{"delay", "0s"}}, {kInput}).at(0).starts_with("/delay [out_of_range]"));
  CHECK_FALSE(problems_of(throttle_type(), {{"rate", "0/s"}}, {kInput}).empty());
  CHECK(bind_throttle("rate", "1/s")->traits().starts_chain);
}

}  // namespace
}  // namespace sluice::test
