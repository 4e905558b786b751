#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "operators/builtin/event_time.hpp"
#include "operators/window/window_aggregate.hpp"
#include "tests/operators/operator_harness.hpp"

// Every kind of window against a model that takes one record at a time, keeps all of them, and looks at all
// windows and sessions for each.
namespace sluice::test {
namespace {

const Schema kRaw({{"t", Type::timestamp}, {"k", Type::string}, {"v", Type::int64}, {"x", Type::float64}});
const Schema kTimed({{"t", Type::timestamp}, {"k", Type::string}, {"v", Type::int64}, {"x", Type::float64}},
                    true);

struct Record {
  std::int64_t t;
  std::int64_t watermark;  // that it carries
  Row row;
};
using Records = std::vector<Record>;

// What the operator should give: results, and the late records.
struct Expected {
  std::vector<Row> out, late;
};

Row aggregate(const Records& records) {
  std::int64_t values = 0, sum = 0, large = 0;
  double sum_x = 0, count_x = 0;
  Value first, last, smallest, largest_k;
  for (const Record& record : records) {
    const Row& r = record.row;
    if (const auto* v = std::get_if<std::int64_t>(&r[2])) {
      ++values;
      sum += *v;
      large += *v > 3;
      if (first == Value(kNull)) first = *v;
      last = *v;
      if (smallest == Value(kNull) || *v < std::get<std::int64_t>(smallest)) smallest = *v;
    }
    if (const auto* x = std::get_if<double>(&r[3])) sum_x += *x, ++count_x;
    if (r[1] != Value(kNull) && (largest_k == Value(kNull) || r[1] > largest_k)) largest_k = r[1];
  }
  return {static_cast<std::int64_t>(records.size()),
          values,
          values > 0 ? Value(sum) : kNull,
          values > 0 ? Value(static_cast<double>(sum) / static_cast<double>(values)) : kNull,
          large,
          first,
          last,
          smallest,
          largest_k,
          count_x > 0 ? Value(sum_x) : kNull,
          count_x > 0 ? Value(sum_x / count_x) : kNull};
}

const Json kAggregates =
    Json::parse(R"([{"name": "n", "fn": "count"}, {"name": "c", "fn": "count", "expr": "v"},
    {"name": "s", "fn": "sum", "expr": "v"}, {"name": "a", "fn": "avg", "expr": "v"},
    {"name": "large", "fn": "count", "where": "v > 3"}, {"name": "f", "fn": "first", "expr": "v"},
    {"name": "l", "fn": "last", "expr": "v"}, {"name": "lo", "fn": "min", "expr": "v"},
    {"name": "hi", "fn": "max", "expr": "k"}, {"name": "sx", "fn": "sum", "expr": "x"},
    {"name": "ax", "fn": "avg", "expr": "x"}])");

Row result(std::int64_t start, std::int64_t end, const Value& key, const Records& records) {
  Row out = {start, end, key};
  for (const Value& v : aggregate(records)) out.push_back(v);
  out.push_back(end - 1);
  out.push_back(end - 1);
  return out;
}

Row as_it_came(const Record& r) {
  Row row = r.row;
  row.push_back(r.t);
  row.push_back(r.watermark);
  return row;
}

// Each record with the watermark as it stands before it.
Records arrivals(const std::vector<Row>& rows, std::int64_t bound) {
  Records records;
  std::int64_t watermark = kWatermarkNone;
  for (const Row& r : rows) {
    const auto t = std::get<std::int64_t>(r[0]);
    records.push_back({t, watermark, r});
    watermark = std::max(watermark, t - bound);
  }
  return records;
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

Expected model_of_time(const Records& records, std::int64_t size, std::int64_t slide, std::int64_t offset,
                       std::int64_t lateness) {
  Expected expected;
  std::map<std::pair<std::int64_t, Value>, Records> groups;
  for (const Record& r : records) {
    bool in_any = false, in_one = false;
    for (std::int64_t k = floor_divide(r.t - offset - size, slide); k * slide + offset <= r.t; ++k) {
      const std::int64_t end = k * slide + offset + size;
      if (end <= r.t) continue;
      in_any = true;
      if (end + lateness <= r.watermark) continue;
      in_one = true;
      groups[{end, r.row[1]}].push_back(r);
    }
    if (in_any && !in_one) expected.late.push_back(as_it_came(r));
  }
  for (const auto& [group, members] : groups)
    expected.out.push_back(result(group.first - size, group.first, group.second, members));
  return expected;
}

struct ModelSession {
  std::int64_t first, last;
  std::map<std::size_t, Record> records;  // by arrival
};

Expected model_of_sessions(const Records& records, std::int64_t gap, std::int64_t longest,
                           std::int64_t lateness) {
  Expected expected;
  std::map<Value, std::vector<ModelSession>> all;
  const auto end = [&](std::int64_t first, std::int64_t last) {
    return std::min(last + gap, first + longest);
  };
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& r = records[i];
    auto& sessions = all[r.row[1]];
    std::sort(sessions.begin(), sessions.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::size_t> near;
    for (std::size_t s = 0; s < sessions.size(); ++s) {
      const ModelSession& x = sessions[s];
      if (end(x.first, x.last) + lateness <= r.watermark) continue;
      if (r.t <= x.last + gap && r.t >= x.first - gap) near.push_back(s);
    }
    const auto fits = [&](const ModelSession& x) {
      const std::int64_t first = std::min(x.first, r.t), last = std::max(x.last, r.t);
      return last - first < longest && end(first, last) + lateness > r.watermark;
    };
    auto host = std::find_if(near.begin(), near.end(), [&](std::size_t s) {
      return sessions[s].first <= r.t && r.t <= sessions[s].last;
    });
    if (host == near.end()) {
      host = std::find_if(near.begin(), near.end(), [&](std::size_t s) { return fits(sessions[s]); });
    }
    if (host == near.end()) {
      if (end(r.t, r.t) + lateness <= r.watermark) {
        expected.late.push_back(as_it_came(r));
      } else {
        sessions.push_back({r.t, r.t, {{i, r}}});
      }
      continue;
    }
    ModelSession merged = sessions[*host];
    merged.first = std::min(merged.first, r.t);
    merged.last = std::max(merged.last, r.t);
    merged.records.emplace(i, r);
    std::vector<std::size_t> gone = {*host};
    for (const std::size_t s : near) {
      const std::int64_t first = std::min(merged.first, sessions[s].first);
      const std::int64_t last = std::max(merged.last, sessions[s].last);
      if (s == *host || last - first >= longest) continue;
      merged.first = first;
      merged.last = last;
      merged.records.insert(sessions[s].records.begin(), sessions[s].records.end());
      gone.push_back(s);
    }
    std::sort(gone.rbegin(), gone.rend());
    for (const std::size_t s : gone) sessions.erase(sessions.begin() + static_cast<long>(s));
    sessions.push_back(std::move(merged));
  }
  for (const auto& [key, sessions] : all) {
    for (const ModelSession& s : sessions) {
      Records members;
      for (const auto& [i, r] : s.records) members.push_back(r);
      expected.out.push_back(result(s.first, end(s.first, s.last), key, members));
    }
  }
  return expected;
}

Expected model_of_counts(const Records& records, std::size_t size) {
  Expected expected;
  std::map<Value, Records> filling;
  const auto give = [&](const Value& key, Records& members) {
    const auto by_time = [](const Record& a, const Record& b) { return a.t < b.t; };
    Row row = result(std::min_element(members.begin(), members.end(), by_time)->t,
                     std::max_element(members.begin(), members.end(), by_time)->t, key, members);
    row.resize(row.size() - 2);
    expected.out.push_back(std::move(row));
    members.clear();
  };
  for (const Record& r : records) {
    Records& members = filling[r.row[1]];
    members.push_back(r);
    if (members.size() == size) give(r.row[1], members);
  }
  for (auto& [key, members] : filling) {
    if (!members.empty()) give(key, members);
  }
  return expected;
}

Expected model_of_global(const Records& records, std::int64_t every) {
  Expected expected;
  std::map<std::pair<std::int64_t, Value>, std::size_t> changed;  // a key in a slice
  const auto slice_of = [&](const Record& r) { return floor_divide(std::max(r.t, r.watermark), every); };
  for (const Record& r : records) ++changed[{slice_of(r), r.row[1]}];
  for (const auto& [slice_and_key, n] : changed) {
    Records members;
    for (const Record& r : records) {
      if (r.row[1] == slice_and_key.second && slice_of(r) <= slice_and_key.first) members.push_back(r);
    }
    Row row = {slice_and_key.second};
    for (const Value& v : aggregate(members)) row.push_back(v);
    expected.out.push_back(std::move(row));
  }
  return expected;
}

// ---- trials ----

std::string us(std::int64_t n) { return fmt::format("{}us", n); }

// Halves, so that every sum is exact and the model may add in any order.
Value random_value(int kind, int number) {
  if (kind == 0) return kNull;
  return static_cast<double>(number) / 2;
}

struct Input {
  std::int64_t bound;
  std::vector<Row> rows;
};

Input random_input() {
  Input input;
  input.bound = *rc::gen::element(0, 0, 1, 5, 20, 60);
  // The epoch, year 1, year 9999.
  const std::int64_t origin =
      *rc::gen::element<std::int64_t>(-100, 0, -62'135'596'800'000'000, 253'402'300'799'000'000);
  const std::int64_t step = *rc::gen::element(0, 1, 2, 9);
  const int jitter_range = *rc::gen::element(1, 10, 60);
  const auto seeds = *rc::gen::container<std::vector<std::tuple<int, int, int, int>>>(
      rc::gen::tuple(rc::gen::inRange(-jitter_range, jitter_range), rc::gen::inRange(0, 4),
                     rc::gen::inRange(-9, 10), rc::gen::inRange(0, 3)));
  std::int64_t base = origin;
  for (const auto& [jitter, k, v, kind] : seeds) {
    base += step;
    if (jitter == 7) base += 500;  // a stretch of time without records
    input.rows.push_back({base + jitter, k == 0 ? Value(kNull) : Value("k" + std::to_string(k)),
                          v == 9 ? Value(kNull) : Value(static_cast<std::int64_t>(v)),
                          random_value(kind, v * 3 + k)});
  }
  return input;
}

// The rows in batches of a random size, through event_time; some of its watermarks are lost on the way, which
// may delay results and change none.
Stream random_stream(const Input& input) {
  const auto time =
      bind_config(event_time_type(), {{"column", "t"}, {"max_out_of_orderness", us(input.bound)}}, {kRaw});
  const auto batch_rows = static_cast<std::size_t>(*rc::gen::element(1, 2, 3, 7, 100, 1000));
  Stream stream = run(*time, stream_of(input.rows, batch_rows), kRaw).out;
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const unsigned lost_of_8 = *rc::gen::element(0u, 4u, 8u);
  std::erase_if(stream, [&](const Event& e) { return e.watermark && random() % 8 < lost_of_8; });
  return stream;
}

std::unique_ptr<BoundOperator> bind_window(Json window, std::int64_t lateness = 0) {
  Json config = {{"keys", {"k"}}, {"window", std::move(window)}, {"aggregates", kAggregates}};
  if (lateness > 0) config["allowed_lateness"] = us(lateness);
  return bind_config(window_aggregate_type(), config, {kTimed});
}

void compare(const RunOutcome& outcome, const Expected& expected) {
  RC_ASSERT(!outcome.error);
  RC_ASSERT(row_multiset(outcome.rows()) == row_multiset(expected.out));
  RC_ASSERT(row_texts(outcome.rows(1)) == row_texts(expected.late));
  RC_ASSERT(outcome.late == expected.late.size());
  RC_ASSERT(outcome.bad.empty());
}

bool in_order_of_end(const std::vector<Row>& rows) {
  return std::is_sorted(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::get<std::int64_t>(a[1]) < std::get<std::int64_t>(b[1]);
  });
}

// A row must not come after an event-time watermark that has passed its time.
bool keeps_its_promise(const Stream& out) {
  EventTimeUs promised = kWatermarkNone;
  for (const Event& event : out) {
    if (event.watermark) promised = *event.watermark;
    for (const Row& row : event.rows) {
      if (event.port == 0 && std::get<std::int64_t>(row[row.size() - 2]) < promised) return false;
    }
  }
  return true;
}

TEST_CASE(
    "Tumbling windows give what the model gives, whatever the times, keys, nulls, batches and watermarks") {
  CHECK(rc::check("tumbling windows against the model", [] {
    const auto size = *rc::gen::inRange<std::int64_t>(1, 40);
    const auto offset = *rc::gen::inRange<std::int64_t>(0, size);
    const auto lateness = *rc::gen::element<std::int64_t>(0, 0, 1, 7, 100);
    const Input input = random_input();
    const auto window =
        bind_window({{"type", "tumbling"}, {"size", us(size)}, {"offset", us(offset)}}, lateness);
    const auto outcome = run(*window, random_stream(input), kTimed);
    compare(outcome, model_of_time(arrivals(input.rows, input.bound), size, size, offset, lateness));
    RC_ASSERT(in_order_of_end(outcome.rows()));
    RC_ASSERT(keeps_its_promise(outcome.out));
  }));
}

TEST_CASE(
    "Sliding windows give what the model gives, whatever size and slide, and no window holds a record that "
    "was late for it") {
  CHECK(rc::check("sliding windows against the model", [] {
    const auto size = *rc::gen::inRange<std::int64_t>(1, 60);
    const auto slide = *rc::gen::inRange<std::int64_t>(1, 40);
    const auto lateness = *rc::gen::element<std::int64_t>(0, 0, 1, 7, 100);
    const Input input = random_input();
    const auto window =
        bind_window({{"type", "sliding"}, {"size", us(size)}, {"slide", us(slide)}}, lateness);
    const auto outcome = run(*window, random_stream(input), kTimed);
    compare(outcome, model_of_time(arrivals(input.rows, input.bound), size, slide, 0, lateness));
    RC_ASSERT(in_order_of_end(outcome.rows()));
    RC_ASSERT(keeps_its_promise(outcome.out));
  }));
}

TEST_CASE("Sessions are those of the model, which takes one record after the other") {
  CHECK(rc::check("sessions against the model", [] {
    const auto gap = *rc::gen::inRange<std::int64_t>(1, 30);
    const auto longest = *rc::gen::element<std::int64_t>(0, 0, 1, 12, 40);
    const auto lateness = *rc::gen::element<std::int64_t>(0, 0, 1, 7, 100);
    const Input input = random_input();
    Json config = {{"type", "session"}, {"gap", us(gap)}};
    if (longest > 0) config["max_length"] = us(longest);
    const auto outcome = run(*bind_window(config, lateness), random_stream(input), kTimed);
    compare(outcome, model_of_sessions(arrivals(input.rows, input.bound), gap,
                                       longest > 0 ? longest : std::int64_t{1} << 50, lateness));
    RC_ASSERT(in_order_of_end(outcome.rows()));
    RC_ASSERT(keeps_its_promise(outcome.out));
  }));
}

TEST_CASE("Count windows hold the records of a key in the order in which they came") {
  CHECK(rc::check("count windows against the model", [] {
    const auto size = *rc::gen::inRange(1, 12);
    const Input input = random_input();
    const auto window = bind_window({{"type", "count"}, {"size", size}});
    compare(run(*window, random_stream(input), kTimed),
            model_of_counts(arrivals(input.rows, input.bound), static_cast<std::size_t>(size)));
  }));
}

TEST_CASE("A global window with emit_every gives each key that a slice has changed, and nothing is late") {
  CHECK(rc::check("global windows against the model", [] {
    const auto every = *rc::gen::inRange<std::int64_t>(1, 60);
    const Input input = random_input();
    const auto window = bind_window({{"type", "global"}, {"emit_every", us(every)}});
    compare(run(*window, random_stream(input), kTimed),
            model_of_global(arrivals(input.rows, input.bound), every));
  }));
}

TEST_CASE("Sums and averages of doubles are the same to the last bit in any order") {
  const auto window =
      bind_config(window_aggregate_type(), Json::parse(R"({"window": {"type": "global"}, "aggregates": [
      {"name": "s", "fn": "sum", "expr": "x"}, {"name": "a", "fn": "avg", "expr": "x"}]})"),
                  {kRaw});
  CHECK(rc::check("shuffled sums", [&] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::vector<Row> rows;
    for (int i = 0; i < 500; ++i) {
      const double x = std::ldexp(static_cast<double>(random()) - 0x1p63, -static_cast<int>(random() % 60));
      rows.push_back({std::int64_t{0}, kNull, kNull, x});
    }
    const auto once = row_texts(run(*window, stream_of(rows), kRaw).rows());
    std::shuffle(rows.begin(), rows.end(), random);
    RC_ASSERT(row_texts(run(*window, stream_of(rows, 64), kRaw).rows()) == once);
  }));
}

}  // namespace
}  // namespace sluice::test
