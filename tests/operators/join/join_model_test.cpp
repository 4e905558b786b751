#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "operators/join/join.hpp"
#include "tests/operators/join/join_trial.hpp"

// All joins against a model that takes every pair of rows; seeds are fixed and printed with what fails.
namespace sluice::test {
namespace {

constexpr std::uint64_t kFirstSeed = 20'260'101;
constexpr Type kTypes[] = {Type::int64,  Type::float64,   Type::boolean,
                           Type::string, Type::timestamp, Type::json};

JoinTrial random_trial(std::uint64_t seed, const std::string& type, JoinRandom& random) {
  JoinTrial trial;
  trial.seed = seed;
  trial.type = type;
  trial.left_kind = random.one_in(2);
  trial.all_matches = random.one_in(2);
  switch (random.between(0, 4)) {
    case 0:  // after
      trial.lowest = random.between(1, 10);
      trial.highest = trial.lowest + random.between(0, 20);
      break;
    case 1:  // before
      trial.highest = -random.between(1, 10);
      trial.lowest = trial.highest - random.between(0, 20);
      break;
    case 2:  // a point
      trial.lowest = trial.highest = random.between(-5, 5);
      break;
    default:
      trial.lowest = -random.between(0, 30);
      trial.highest = random.between(0, 30);
  }
  const std::int64_t columns = random.one_in(3) ? random.between(2, 3) : 1;
  for (std::int64_t i = 0; i < columns; ++i) trial.key_types.push_back(kTypes[random.between(0, 5)]);
  trial.keys = static_cast<int>(random.one_in(4) ? random.between(10, 40) : random.between(1, 4));
  trial.jitter = random.one_in(3) ? 0 : random.between(0, 40);
  trial.left_bound = random.between(0, 40);
  trial.right_bound = random.between(0, 40);
  trial.left_rows = static_cast<std::size_t>(random.one_in(8) ? 0 : random.between(1, 150));
  trial.right_rows = static_cast<std::size_t>(random.one_in(8) ? 0 : random.between(1, 150));
  return trial;
}

// The same input met in many ways gives the model's answer in each.
void check_trial(const JoinTrial& trial, JoinRandom& random) {
  const std::string text = trial_text(trial);
  CAPTURE(text);
  const auto left = random_rows(trial, trial.left_rows, random);
  const auto right = random_rows(trial, trial.right_rows, random);
  const JoinAnswer expected = join_model(trial, rows_of(timed_stream(trial, left, trial.left_bound, 1000)),
                                         rows_of(timed_stream(trial, right, trial.right_bound, 1000)));
  const Schema schema = timed_join_schema(trial);
  const auto bound = bind_config(join_type(), join_config(trial), {schema, schema});
  for (int way = 0; way < 6; ++way) {
    CAPTURE(way);
    const auto batch_rows = [&] {
      return static_cast<std::size_t>(random.one_in(3) ? 1000 : random.between(1, 9));
    };
    const std::vector<InputStream> inputs = {
        {schema, timed_stream(trial, left, trial.left_bound, batch_rows())},
        {schema, timed_stream(trial, right, trial.right_bound, batch_rows())}};
    const ChoosePort choose = way == 0   ? left_first()
                              : way == 1 ? right_first()
                                         : random_ports(trial.seed * 10 + static_cast<std::uint64_t>(way));
    const RunOutcome outcome = run_inputs(*bound, inputs, choose);
    REQUIRE(!outcome.error.has_value());
    REQUIRE(row_multiset(outcome.rows(0)) == row_multiset(expected.out));
    REQUIRE(row_texts(outcome.rows(1)) == row_texts(expected.late_left));
    REQUIRE(row_texts(outcome.rows(2)) == row_texts(expected.late_right));
    REQUIRE(outcome.late == expected.late_left.size() + expected.late_right.size());
    REQUIRE(outcome.bad.empty());
    if (trial.type != "lookup") REQUIRE(rows_in_closed_time(outcome.out) == std::vector<std::string>());
  }
}

void check_trials(const std::string& type, std::uint64_t count) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + count; ++seed) {
    JoinRandom random(seed);
    check_trial(random_trial(seed, type, random), random);
  }
}

TEST_CASE("Interval joins give what the model gives, however the two inputs interleave and are cut") {
  check_trials("interval", 150);
}

TEST_CASE("Lookup joins give what the model gives, however the two inputs interleave and are cut") {
  check_trials("lookup", 100);
}

TEST_CASE("As-of joins give what the model gives, however the two inputs interleave and are cut") {
  check_trials("asof", 150);
}

// A stream that says now and then that it is idle.
Stream with_idleness(const Stream& stream, JoinRandom& random) {
  Stream out;
  for (const Event& event : stream) {
    out.push_back(event);
    if (random.one_in(4)) out.push_back({.idle = true});
  }
  return out;
}

// Left rows by their visible columns and times. (A joined row begins with its left row's visible columns.)
std::map<std::string, std::size_t> count_left(const JoinTrial& trial, const std::vector<Row>& rows) {
  std::map<std::string, std::size_t> counts;
  for (const Row& row : rows) {
    ++counts[row_text(Row(row.begin(), row.begin() + static_cast<long>(trial.key_types.size() + 2)))];
  }
  return counts;
}

TEST_CASE(
    "However idleness comes in between, each left row is given once at least and matched at most as "
    "without") {
  for (const char* type : {"interval", "asof"}) {
    for (std::uint64_t seed = kFirstSeed + 2000; seed < kFirstSeed + 2060; ++seed) {
      JoinRandom random(seed);
      JoinTrial trial = random_trial(seed, type, random);
      trial.left_kind = true;
      const std::string text = trial_text(trial);
      CAPTURE(text);
      const Schema schema = timed_join_schema(trial);
      const auto bound = bind_config(join_type(), join_config(trial), {schema, schema});
      const std::vector<InputStream> inputs = {
          {schema, with_idleness(
                       timed_stream(trial, random_rows(trial, trial.left_rows, random), trial.left_bound, 3),
                       random)},
          {schema, with_idleness(timed_stream(trial, random_rows(trial, trial.right_rows, random),
                                              trial.right_bound, 3),
                                 random)}};
      const RunOutcome outcome = run_inputs(*bound, inputs, random_ports(seed));
      REQUIRE(!outcome.error.has_value());
      REQUIRE(rows_in_closed_time(outcome.out) == std::vector<std::string>());
      const auto left = rows_of(inputs[0].stream);
      auto given = outcome.rows(0);
      const auto late = outcome.rows(1);
      // Nothing is lost: every left row is late or given.
      auto seen = count_left(trial, given);
      for (const auto& [row, count] : count_left(trial, late)) seen[row] += count;
      for (const auto& [row, count] : count_left(trial, left)) REQUIRE(seen[row] >= count);
      // No pair is made that the rows without lateness do not give, or given twice.
      JoinTrial inner = trial;
      inner.left_kind = false;
      const auto forget_lateness = [](std::vector<Row> rows) {
        for (Row& row : rows) row.back() = kWatermarkNone;
        return rows;
      };
      if (std::string(type) == "asof") continue;  // another right row may be the latest that is not late
      auto all = row_multiset(
          join_model(inner, forget_lateness(left), forget_lateness(rows_of(inputs[1].stream))).out);
      const std::size_t visible = trial.key_types.size() + 2;
      std::erase_if(given, [&](const Row& row) { return row[visible] == Value(kNull); });  // no match
      const auto pairs = row_multiset(forget_lateness(given));
      REQUIRE(std::includes(all.begin(), all.end(), pairs.begin(), pairs.end()));
    }
  }
}

TEST_CASE("Joins of thousands of rows, many chunks of them, give what the model gives") {
  for (const char* type : {"interval", "lookup", "asof"}) {
    for (std::uint64_t seed = kFirstSeed + 1000; seed < kFirstSeed + 1002; ++seed) {
      JoinRandom random(seed);
      JoinTrial trial = random_trial(seed, type, random);
      trial.left_rows = trial.right_rows = 3000;
      trial.keys = 400;
      check_trial(trial, random);
    }
  }
}

}  // namespace
}  // namespace sluice::test
