#include "tests/operators/join/join_trial.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>

#include "operators/builtin/event_time.hpp"

namespace sluice::test {
namespace {

Value random_key(Type type, int keys, JoinRandom& random) {
  if (random.one_in(12)) return kNull;
  const std::int64_t n = random.between(0, keys - 1);
  switch (type) {
    case Type::int64:
      return n == 1 ? std::numeric_limits<std::int64_t>::min() : n;
    case Type::timestamp:
      return n - 1;
    case Type::float64:
      if (n == 0) return random.one_in(2) ? 0.0 : -0.0;
      if (n == 1) return random.one_in(2) ? std::nan("1") : -std::nan("2");
      return static_cast<double>(n) / 2;
    case Type::boolean:
      return n % 2 == 1;
    case Type::string:
      return n == 0 ? std::string() : std::string(static_cast<std::size_t>(n * 7), 'x');
    case Type::json:
      return n == 0 ? std::string("{}") : "[" + std::to_string(n) + "]";
  }
  return kNull;
}

bool same_key_value(const Value& a, const Value& b) {
  if (a == Value(kNull) || b == Value(kNull)) return false;
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr && std::isnan(*x) && std::isnan(*y)) return true;
  return a == b;  // -0.0 == 0.0
}

bool same_key(const JoinTrial& trial, const Row& left, const Row& right) {
  for (std::size_t k = 0; k < trial.key_types.size(); ++k) {
    if (!same_key_value(left[1 + k], right[1 + k])) return false;
  }
  return true;
}

std::int64_t time_of(const Row& row) { return std::get<std::int64_t>(row[row.size() - 2]); }
std::int64_t watermark_of(const Row& row) { return std::get<std::int64_t>(row[row.size() - 1]); }

// `right` null: a left row without a match.
Row joined(const JoinTrial& trial, const Row& left, const Row* right) {
  Row row(left.begin(), left.end() - 2);
  if (right == nullptr) {
    row.resize(row.size() * 2, kNull);
  } else {
    row.insert(row.end(), right->begin(), right->end() - 2);
  }
  const bool both = right != nullptr;
  row.push_back(both ? std::max(time_of(left), time_of(*right)) : time_of(left));
  const bool of_left = !both || trial.type == "lookup";
  row.push_back(of_left ? watermark_of(left) : std::min(watermark_of(left), watermark_of(*right)));
  return row;
}

// The right rows that a left row is joined with.
std::vector<const Row*> matches(const JoinTrial& trial, const Row& left, const std::vector<Row>& right) {
  std::vector<const Row*> found;
  for (const Row& r : right) {
    if (!same_key(trial, left, r)) continue;
    if (trial.type == "interval") {
      const std::int64_t apart = time_of(r) - time_of(left);
      if (trial.lowest <= apart && apart <= trial.highest) found.push_back(&r);
    } else if (trial.type == "lookup") {
      if (found.empty() || trial.all_matches) found.push_back(&r);
    } else if (time_of(r) <= time_of(left)) {
      if (found.empty()) found.push_back(&r);
      if (time_of(r) >= time_of(*found.front())) found.front() = &r;
    }
  }
  return found;
}

}  // namespace

std::string trial_text(const JoinTrial& trial) {
  std::string keys;
  for (const Type type : trial.key_types) keys += std::string(type_name(type)) + " ";
  return fmt::format("seed {}: {}, {} rows left, {} right, {} keys of {}bounds {} and {}, jitter {}",
                     trial.seed, join_config(trial).dump(), trial.left_rows, trial.right_rows, trial.keys,
                     keys, trial.left_bound, trial.right_bound, trial.jitter);
}

Schema raw_join_schema(const JoinTrial& trial) {
  std::vector<Field> fields = {{"t", Type::timestamp}};
  for (const Type type : trial.key_types) fields.push_back({"k" + std::to_string(fields.size() - 1), type});
  fields.push_back({"v", Type::int64});
  return Schema(std::move(fields));
}

Schema timed_join_schema(const JoinTrial& trial) { return Schema(raw_join_schema(trial).fields(), true); }

Json join_config(const JoinTrial& trial) {
  Json config = {{"type", trial.type}, {"kind", trial.left_kind ? "left" : "inner"}, {"on", Json::array()}};
  for (std::size_t k = 0; k < trial.key_types.size(); ++k) {
    config["on"].push_back({"k" + std::to_string(k), "k" + std::to_string(k)});
  }
  if (trial.type == "interval") {
    config["within"] = {fmt::format("{}us", trial.lowest), fmt::format("{}us", trial.highest)};
  }
  if (trial.type == "lookup") config["matches"] = trial.all_matches ? "all" : "first";
  return config;
}

std::vector<Row> random_rows(const JoinTrial& trial, std::size_t count, JoinRandom& random) {
  std::vector<Row> rows;
  std::int64_t now = random.between(-200, 0);
  for (std::size_t i = 0; i < count; ++i) {
    now += random.between(0, 4);
    const std::int64_t t = now + random.between(-trial.jitter, trial.jitter);
    Row row = {t};
    for (const Type type : trial.key_types) row.push_back(random_key(type, trial.keys, random));
    row.push_back(random.one_in(9) ? Value(kNull) : Value(random.between(0, 3)));
    rows.push_back(row);
    if (random.one_in(10)) rows.push_back(row);  // the same twice
  }
  return rows;
}

Stream timed_stream(const JoinTrial& trial, const std::vector<Row>& rows, std::int64_t bound,
                    std::size_t batch_rows) {
  const Schema raw = raw_join_schema(trial);
  const auto time = bind_config(
      event_time_type(), {{"column", "t"}, {"max_out_of_orderness", fmt::format("{}us", bound)}}, {raw});
  return run(*time, stream_of(rows, batch_rows), raw).out;
}

JoinAnswer join_model(const JoinTrial& trial, const std::vector<Row>& left, const std::vector<Row>& right) {
  JoinAnswer answer;
  const auto split = [&](const std::vector<Row>& rows, std::vector<Row>& late) {
    std::vector<Row> on_time;
    for (const Row& row : rows) {
      const bool is_late = trial.type != "lookup" && time_of(row) < watermark_of(row);
      (is_late ? late : on_time).push_back(row);
    }
    return on_time;
  };
  const auto left_on_time = split(left, answer.late_left);
  const auto right_on_time = split(right, answer.late_right);
  for (const Row& l : left_on_time) {
    const auto found = matches(trial, l, right_on_time);
    for (const Row* r : found) answer.out.push_back(joined(trial, l, r));
    if (found.empty() && trial.left_kind) answer.out.push_back(joined(trial, l, nullptr));
  }
  return answer;
}

ChoosePort random_ports(std::uint64_t seed) {
  // Stays with a port for a while, so that one input may be far ahead.
  const auto random = std::make_shared<JoinRandom>(seed);
  const auto last = std::make_shared<std::uint32_t>(0);
  const std::int64_t stays = random->between(1, 12);
  return [random, last, stays](std::span<const std::uint32_t> ready) {
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (ready[i] == *last && !random->one_in(stays)) return i;
    }
    const auto i = static_cast<std::size_t>(random->between(0, static_cast<std::int64_t>(ready.size()) - 1));
    *last = ready[i];
    return i;
  };
}

ChoosePort left_first() {
  return [](std::span<const std::uint32_t>) { return std::size_t{0}; };
}

ChoosePort right_first() {
  return [](std::span<const std::uint32_t> ready) { return ready.size() - 1; };
}

std::vector<std::string> rows_in_closed_time(const Stream& out) {
  std::vector<std::string> found;
  EventTimeUs watermark = kWatermarkNone;
  for (const Event& event : out) {
    if (event.watermark) watermark = *event.watermark;
    if (event.port != 0) continue;
    for (const Row& row : event.rows) {
      if (time_of(row) < watermark || watermark_of(row) > time_of(row)) found.push_back(row_text(row));
    }
  }
  return found;
}

}  // namespace sluice::test
