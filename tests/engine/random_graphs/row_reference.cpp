#include "tests/engine/random_graphs/row_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace sluice::reference {
namespace {

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

Key key_of(const Record& record, const std::vector<std::size_t>& columns) {
  Key key;
  for (const std::size_t c : columns) key.push_back(record.cells[c]);
  return key;
}

bool is_null(const Cell& cell) { return cell.index() == 0; }

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
