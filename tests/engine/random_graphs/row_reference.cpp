#include "tests/engine/random_graphs/row_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace sluice::reference {
namespace {

using Key = std::vector<Cell>;

Key key_of(const Record& record, const std::vector<std::size_t>& columns) {
  Key key;
  for (const std::size_t c : columns) key.push_back(record.cells[c]);
  return key;
}

bool is_null(const Cell& cell) { return cell.index() == 0; }

double as_number(const Cell& cell) {
  const auto* integer = std::get_if<std::int64_t>(&cell);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(cell);
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

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

// ---- joins ----

bool same_key(const Record& l, const Record& r, const JoinSpec& spec) {
  return std::all_of(spec.on.begin(), spec.on.end(), [&](const auto& pair) {
    return !is_null(l.cells[pair.first]) && l.cells[pair.first] == r.cells[pair.second];
  });
}

std::vector<const Record*> matches(const Record& left, const Records& right, const JoinSpec& spec) {
  std::vector<const Record*> found;
  for (const Record& r : right) {
    if (!same_key(left, r, spec)) continue;
    const std::int64_t after = r.time - left.time;
    switch (spec.kind) {
      case Join::interval:
        if (spec.lowest <= after && after <= spec.highest) found.push_back(&r);
        break;
      case Join::lookup_first:
        if (found.empty()) found.push_back(&r);
        break;
      case Join::lookup_all:
        found.push_back(&r);
        break;
      case Join::asof:
        if (after > 0) break;
        if (found.empty()) found.push_back(&r);
        if (r.time >= found.front()->time) found.front() = &r;
        break;
    }
  }
  return found;
}

Record joined(const Record& left, const Record* right, std::size_t right_columns, const JoinSpec& spec) {
  Record out = left;
  if (right == nullptr) {
    out.cells.resize(out.cells.size() + right_columns);
    return out;
  }
  out.cells.insert(out.cells.end(), right->cells.begin(), right->cells.end());
  out.time = std::max(left.time, right->time);
  const bool lookup = spec.kind == Join::lookup_first || spec.kind == Join::lookup_all;
  if (!lookup) out.watermark = std::min(left.watermark, right->watermark);
  return out;
}

// The time as the output formats write it: a fraction only if it is not zero, without zeros at its end.
std::string iso8601(std::int64_t time_us) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::microseconds> time{std::chrono::microseconds(time_us)};
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::int64_t us = (time - day).count();
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 us / 3'600'000'000, us / 60'000'000 % 60, us / 1'000'000 % 60);
  if (us % 1'000'000 != 0) {
    std::string fraction = fmt::format(".{:06}", us % 1'000'000);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += fraction;
  }
  return text + "Z";
}

}  // namespace

std::size_t Table::column(const std::string& name) const {
  const auto it =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return static_cast<std::size_t>(it - columns.begin());
}

Table with_event_time(Table in, std::size_t column, std::int64_t bound) {
  std::int64_t watermark = kNoWatermark;
  std::erase_if(in.records, [&](const Record& r) { return is_null(r.cells[column]); });
  for (Record& record : in.records) {
    record.time = std::get<std::int64_t>(record.cells[column]);
    record.watermark = watermark;
    watermark = std::max(watermark, record.time - bound);
  }
  return in;
}

Table filter(const Table& in, const Condition& where) {
  Table out{in.columns, {}};
  for (const Record& record : in.records) {
    if (where.holds(record) == Truth::yes) out.records.push_back(record);
  }
  return out;
}

Table map(Table in, const std::vector<Computed>& computed) {
  for (const Computed& c : computed) in.columns.push_back(c.column);
  for (Record& record : in.records) {
    std::vector<Cell> added;
    for (const Computed& c : computed) added.push_back(c.value(record));
    record.cells.insert(record.cells.end(), added.begin(), added.end());
  }
  return in;
}

std::vector<Table> route(const Table& in, const std::vector<Condition>& routes) {
  std::vector<Table> out(routes.size() + 1, Table{in.columns, {}});
  for (const Record& record : in.records) {
    std::size_t port = 0;
    Truth truth = Truth::no;
    for (; port < routes.size(); ++port) {
      truth = routes[port].holds(record);
      if (truth == Truth::yes || truth == Truth::failed) break;
    }
    if (truth != Truth::failed) out[port].records.push_back(record);
  }
  return out;
}

OnTimeAndLate dedup(const Table& in, const std::vector<std::size_t>& keys, std::int64_t within) {
  OnTimeAndLate split{{in.columns, {}}, {in.columns, {}}};
  for (const Record& record : in.records) {
    if (record.watermark != kNoWatermark && record.time + within <= record.watermark) {
      split.late.records.push_back(record);
      continue;
    }
    const bool seen = std::any_of(split.out.records.begin(), split.out.records.end(), [&](const Record& r) {
      return key_of(r, keys) == key_of(record, keys) && std::abs(r.time - record.time) < within;
    });
    if (!seen) split.out.records.push_back(record);
  }
  return split;
}

Table unnest(const Table& in, std::size_t column, const std::string& key, const std::string& value) {
  Table out{in.columns, {}};
  out.columns.erase(out.columns.begin() + static_cast<std::ptrdiff_t>(column));
  if (!key.empty()) out.columns.push_back({key, Kind::text});
  out.columns.push_back({value, Kind::json});
  for (const Record& record : in.records) {
    if (is_null(record.cells[column])) continue;
    const std::string& array = std::get<std::string>(record.cells[column]);
    std::int64_t index = 0;
    for (std::size_t begin = 1; begin + 1 < array.size() && array.front() == '[';) {
      const std::size_t end = std::min(array.find(',', begin), array.size() - 1);
      Record item = record;
      item.cells.erase(item.cells.begin() + static_cast<std::ptrdiff_t>(column));
      if (!key.empty()) item.cells.emplace_back(std::to_string(index++));
      item.cells.emplace_back(array.substr(begin, end - begin));
      out.records.push_back(std::move(item));
      begin = end + 1;
    }
  }
  return out;
}

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

Joined join(const Table& left, const Table& right, const JoinSpec& spec) {
  Joined all{{left.columns, {}}, {left.columns, {}}, {right.columns, {}}};
  for (Column column : right.columns) {
    if (left.column(column.name) < left.columns.size()) column.name.insert(0, "right_");
    all.out.columns.push_back(column);
  }
  const bool lookup = spec.kind == Join::lookup_first || spec.kind == Join::lookup_all;
  const auto split = [&](const Table& in, Table& late) {
    Records on_time;
    for (const Record& r : in.records) {
      (!lookup && r.time < r.watermark ? late.records : on_time).push_back(r);
    }
    return on_time;
  };
  const Records right_on_time = split(right, all.late_right);
  for (const Record& l : split(left, all.late_left)) {
    const auto found = matches(l, right_on_time, spec);
    for (const Record* r : found) {
      all.out.records.push_back(joined(l, r, right.columns.size(), spec));
    }
    if (found.empty() && spec.left) {
      all.out.records.push_back(joined(l, nullptr, right.columns.size(), spec));
    }
  }
  return all;
}

Table top(const Table& in, std::size_t n, const std::vector<Order>& by, const std::vector<std::size_t>& per) {
  // Nulls last, whatever the order.
  const auto before = [](const Cell& a, const Cell& b, bool descending) {
    if (is_null(a) || is_null(b)) return !is_null(a) && is_null(b);
    return descending ? b < a : a < b;
  };
  const auto comes_first = [&](const Record& a, const Record& b) {
    for (const Order& order : by) {
      const Cell &x = a.cells[order.column], &y = b.cells[order.column];
      if (before(x, y, order.descending) || before(y, x, order.descending))
        return before(x, y, order.descending);
    }
    for (std::size_t c = 0; c < a.cells.size(); ++c) {
      if (before(a.cells[c], b.cells[c], false) || before(b.cells[c], a.cells[c], false))
        return before(a.cells[c], b.cells[c], false);
    }
    return false;
  };
  std::map<Key, Records> groups;
  for (const Record& record : in.records) groups[key_of(record, per)].push_back(record);
  Table out{in.columns, {}};
  for (auto& [key, records] : groups) {
    std::stable_sort(records.begin(), records.end(), comes_first);
    records.resize(std::min(records.size(), n));
    out.records.insert(out.records.end(), records.begin(), records.end());
  }
  return out;
}

std::string comparable(double value) { return fmt::format("{:.11g}", value == 0 ? 0.0 : value); }

std::string csv_cell(const Cell& cell, Kind kind) {
  if (is_null(cell)) return "";
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    return kind == Kind::time ? iso8601(*integer) : std::to_string(*integer);
  }
  if (const auto* number = std::get_if<double>(&cell)) return comparable(*number);
  const std::string& text = std::get<std::string>(cell);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::vector<std::string> csv_lines(const Table& table) {
  std::vector<std::string> lines;
  for (const Record& record : table.records) {
    std::string line;
    for (std::size_t c = 0; c < record.cells.size(); ++c) {
      if (c > 0) line += ',';
      line += csv_cell(record.cells[c], table.columns[c].kind);
    }
    lines.push_back(std::move(line));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace sluice::reference
