#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/operators/operator_harness.hpp"

// What the tests of all joins share: two random streams, a model that compares every left row with every
// right row, and the many ways in which the operator may meet the same input.
namespace sluice::test {

struct JoinTrial {
  std::uint64_t seed = 0;
  std::string type = "interval";
  bool left_kind = false;
  bool all_matches = false;
  std::int64_t lowest = 0, highest = 0;
  std::vector<Type> key_types;
  std::int64_t left_bound = 0, right_bound = 0;  // max_out_of_orderness
  std::size_t left_rows = 0, right_rows = 0;
  int keys = 3;             // how many values a key column takes, beside null
  std::int64_t jitter = 0;  // how far times are from rising
};

std::string trial_text(const JoinTrial& trial);

// t, k0, k1, …, v: the same on both sides, so that every right name clashes.
Schema raw_join_schema(const JoinTrial& trial);
Schema timed_join_schema(const JoinTrial& trial);
Json join_config(const JoinTrial& trial);

// Both inputs, as they come out of event_time: rows with their hidden columns, all in one list.
struct JoinRows {
  std::vector<Row> left, right;
};
struct JoinRandom {
  explicit JoinRandom(std::uint64_t seed) : engine(seed) {}
  // first … last, both included.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(first, last)(engine);
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  std::mt19937_64 engine;
};
std::vector<Row> random_rows(const JoinTrial& trial, std::size_t count, JoinRandom& random);
// As event_time gives them, cut into batches of at most `batch_rows`.
Stream timed_stream(const JoinTrial& trial, const std::vector<Row>& rows, std::int64_t bound,
                    std::size_t batch_rows);

struct JoinAnswer {
  std::vector<Row> out, late_left, late_right;
};
// The model: `rows` with hidden columns.
JoinAnswer join_model(const JoinTrial& trial, const std::vector<Row>& left, const std::vector<Row>& right);

// Every order in which a task may read the two inputs can be had.
ChoosePort random_ports(std::uint64_t seed);
ChoosePort left_first();
ChoosePort right_first();

// Rows on port 0 whose time is before an event-time watermark that was passed on earlier: there must be none.
std::vector<std::string> rows_in_closed_time(const Stream& out);

}  // namespace sluice::test
