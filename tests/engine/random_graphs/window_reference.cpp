#include "tests/engine/random_graphs/row_reference.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace sluice::reference {
namespace {

double as_number(const Cell& cell) {
  const auto* integer = std::get_if<std::int64_t>(&cell);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(cell);
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// ---- aggregates ----

// ---- aggregates ----

std::vector<Cell> values_of(const Aggregate& aggregate, const Records& records) {
  std::vector<Cell> values;
  for (const Record& record : records) {
    if (aggregate.where && aggregate.where->holds(record) != Truth::yes) continue;
    if (!aggregate.column) {
      values.emplace_back(std::int64_t{0});
    } else if (!is_null(record.cells[*aggregate.column])) {
      values.push_back(record.cells[*aggregate.column]);
    }
  }
  return values;
}

Cell sum_of(const std::vector<Cell>& values) {
  if (std::holds_alternative<std::int64_t>(values.front())) {
    std::int64_t sum = 0;
    for (const Cell& v : values) sum += std::get<std::int64_t>(v);
    return sum;
  }
  long double sum = 0;
  for (const Cell& v : values) sum += std::get<double>(v);
  return static_cast<double>(sum);
}

Cell variance_of(const std::vector<Cell>& values) {
  if (values.size() < 2) return {};
  const auto n = static_cast<long double>(values.size());
  long double sum = 0, squares = 0;
  for (const Cell& v : values) sum += as_number(v);
  const long double mean = sum / n;
  for (const Cell& v : values) squares += (as_number(v) - mean) * (as_number(v) - mean);
  return static_cast<double>(squares / (n - 1));
}

// `records` in the order in which they came.
Cell aggregate(const Aggregate& a, const Records& records) {
  std::vector<Cell> values = values_of(a, records);
  if (a.function == "count") return static_cast<std::int64_t>(values.size());
  if (a.function == "count_distinct") {
    return static_cast<std::int64_t>(std::set<Cell>(values.begin(), values.end()).size());
  }
  if (values.empty()) return {};
  if (a.function == "first") return values.front();
  if (a.function == "last") return values.back();
  if (a.function == "sum") return sum_of(values);
  if (a.function == "avg") return as_number(sum_of(values)) / static_cast<double>(values.size());
  if (a.function == "var") return variance_of(values);
  if (a.function == "stddev") {
    const Cell variance = variance_of(values);
    return is_null(variance) ? Cell{} : std::sqrt(std::get<double>(variance));
  }
  std::sort(values.begin(), values.end());
  if (a.function == "min") return values.front();
  if (a.function == "max") return values.back();
  // quantile: the value of rank ⌈p·n⌉
  const auto rank = static_cast<std::size_t>(std::ceil(a.p * static_cast<double>(values.size())));
  return values[rank == 0 ? 0 : rank - 1];
}

void append_aggregates(const std::vector<Aggregate>& aggregates, const Records& records,
                       std::vector<Cell>& cells) {
  for (const Aggregate& a : aggregates) cells.push_back(aggregate(a, records));
}

// ---- windows ----

// ---- windows ----

struct Window {
  std::int64_t start = 0, end = 0;
  Key key;
  Records records;
};

Record result(const Window& window, const WindowSpec& spec) {
  Record out;
  if (spec.kind != Windows::global) {
    out.cells.push_back(spec.timed ? Cell(window.start) : Cell{});
    out.cells.push_back(spec.timed ? Cell(window.end) : Cell{});
  }
  out.cells.insert(out.cells.end(), window.key.begin(), window.key.end());
  append_aggregates(spec.aggregates, window.records, out.cells);
  out.time = out.watermark = window.end - 1;
  return out;
}

std::vector<Window> time_windows(const Table& in, const WindowSpec& spec, Records& late) {
  const std::int64_t slide = spec.kind == Windows::tumbling ? spec.size : spec.slide;
  std::map<std::pair<std::int64_t, Key>, Window> open;
  for (const Record& record : in.records) {
    bool in_any = false, taken = false;
    std::int64_t k = floor_divide(record.time - spec.offset - spec.size, slide);
    for (; k * slide + spec.offset <= record.time; ++k) {
      const std::int64_t start = k * slide + spec.offset, end = start + spec.size;
      if (end <= record.time) continue;
      in_any = true;
      if (end + spec.lateness <= record.watermark) continue;
      taken = true;
      Window& window = open[{start, key_of(record, spec.keys)}];
      window.start = start;
      window.end = end;
      window.key = key_of(record, spec.keys);
      window.records.push_back(record);
    }
    if (in_any && !taken) late.push_back(record);
  }
  std::vector<Window> all;
  for (auto& [at, window] : open) all.push_back(std::move(window));
  return all;
}

// The records of a session with their places in the input.
struct Session {
  std::int64_t first = 0, last = 0;
  Key key;
  std::map<std::size_t, Record> records;
};

std::vector<Window> session_windows(const Table& in, const WindowSpec& spec, Records& late) {
  std::vector<Session> sessions;
  const auto complete = [&](std::int64_t last, const Record& record) {
    return last + spec.size + spec.lateness <= record.watermark;
  };
  for (std::size_t i = 0; i < in.records.size(); ++i) {
    const Record& record = in.records[i];
    Session joined{record.time, record.time, key_of(record, spec.keys), {{i, record}}};
    std::vector<Session> others;
    bool joins = false;
    for (Session& s : sessions) {
      const bool near = record.time <= s.last + spec.size && record.time >= s.first - spec.size;
      if (s.key != joined.key || !near || complete(s.last, record)) {
        others.push_back(std::move(s));
        continue;
      }
      joins = true;
      joined.first = std::min(joined.first, s.first);
      joined.last = std::max(joined.last, s.last);
      joined.records.merge(s.records);
    }
    if (joins || !complete(record.time, record)) {
      others.push_back(std::move(joined));
    } else {
      late.push_back(record);
    }
    sessions = std::move(others);
  }
  std::vector<Window> all;
  for (const Session& s : sessions) {
    Window window{s.first, s.last + spec.size, s.key, {}};
    for (const auto& [i, record] : s.records) window.records.push_back(record);
    all.push_back(std::move(window));
  }
  return all;
}

std::vector<Window> count_windows(const Table& in, const WindowSpec& spec) {
  std::vector<Window> all;
  std::map<Key, Window> filling;
  const auto close = [&](const Key& key, Window& window) {
    window.key = key;
    window.start = std::numeric_limits<std::int64_t>::max();
    window.end = std::numeric_limits<std::int64_t>::min();
    for (const Record& r : window.records) {
      window.start = std::min(window.start, r.time);
      window.end = std::max(window.end, r.time);
    }
    all.push_back(std::exchange(window, {}));
  };
  for (const Record& record : in.records) {
    Window& window = filling[key_of(record, spec.keys)];
    window.records.push_back(record);
    if (static_cast<std::int64_t>(window.records.size()) == spec.size)
      close(key_of(record, spec.keys), window);
  }
  for (auto& [key, window] : filling) {
    if (!window.records.empty()) close(key, window);
  }
  return all;
}

// Without emit_every one window; with it a key's result so far for each slice that has changed it. A record
// counts from the slice on in which it comes to light: that of its time, or of the watermark if that is
// later.
std::vector<Window> global_windows(const Table& in, const WindowSpec& spec) {
  std::map<std::pair<std::int64_t, Key>, Window> all;
  const auto slice_of = [&](const Record& r) {
    return spec.size == 0 ? 0 : floor_divide(std::max(r.time, r.watermark), spec.size);
  };
  for (const Record& r : in.records) all[{slice_of(r), key_of(r, spec.keys)}].key = key_of(r, spec.keys);
  std::vector<Window> windows;
  for (auto& [at, window] : all) {
    for (const Record& r : in.records) {
      if (slice_of(r) <= at.first && key_of(r, spec.keys) == at.second) window.records.push_back(r);
    }
    windows.push_back(std::move(window));
  }
  if (windows.empty() && spec.keys.empty()) windows.emplace_back();
  return windows;
}

}  // namespace

Kind aggregate_kind(const Aggregate& a, const std::vector<Column>& columns) {
  if (a.function == "count" || a.function == "count_distinct") return Kind::integer;
  if (a.function == "avg" || a.function == "var" || a.function == "stddev") return Kind::number;
  return columns[*a.column].kind;
}

OnTimeAndLate window(const Table& in, const WindowSpec& spec) {
  OnTimeAndLate split{{}, {in.columns, {}}};
  if (spec.kind != Windows::global) {
    split.out.columns = {{"window_start", Kind::time}, {"window_end", Kind::time}};
  }
  for (const std::size_t c : spec.keys) split.out.columns.push_back(in.columns[c]);
  for (const Aggregate& a : spec.aggregates) {
    split.out.columns.push_back({a.name, aggregate_kind(a, in.columns)});
  }
  const std::vector<Window> windows =
      spec.kind == Windows::session  ? session_windows(in, spec, split.late.records)
      : spec.kind == Windows::count  ? count_windows(in, spec)
      : spec.kind == Windows::global ? global_windows(in, spec)
                                     : time_windows(in, spec, split.late.records);
  for (const Window& w : windows) split.out.records.push_back(result(w, spec));
  return split;
}

OnTimeAndLate over(const Table& in, const std::vector<std::size_t>& keys, std::int64_t range,
                   const std::vector<Aggregate>& aggregates) {
  OnTimeAndLate split{{in.columns, {}}, {in.columns, {}}};
  Records on_time;
  for (const Record& record : in.records) {
    (record.time < record.watermark ? split.late.records : on_time).push_back(record);
  }
  for (const Aggregate& a : aggregates) {
    split.out.columns.push_back({a.name, aggregate_kind(a, in.columns)});
  }
  for (const Record& record : on_time) {
    Records members;
    for (const Record& r : on_time) {
      const bool near = r.time <= record.time && r.time > record.time - range;
      if (near && key_of(r, keys) == key_of(record, keys)) members.push_back(r);
    }
    Record out = record;
    append_aggregates(aggregates, members, out.cells);
    out.watermark = out.time;
    split.out.records.push_back(std::move(out));
  }
  // Given in the order of time, then of arrival.
  std::stable_sort(split.out.records.begin(), split.out.records.end(),
                   [](const Record& a, const Record& b) { return a.time < b.time; });
  return split;
}

}  // namespace sluice::reference
