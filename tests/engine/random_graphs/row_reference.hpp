#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// What operators are to give, computed a record at a time over all records by the plainest code: for
// comparison, and with nothing of the engine in it.
namespace sluice::reference {

using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;  // monostate: null
enum class Kind : std::uint8_t { time, integer, number, text, json };

struct Column {
  std::string name;
  Kind kind;
};

inline constexpr std::int64_t kNoWatermark = std::numeric_limits<std::int64_t>::min();

// Times are microseconds. `watermark`: the event-time watermark as it stood before the record.
struct Record {
  std::vector<Cell> cells;
  std::int64_t time = 0;
  std::int64_t watermark = kNoWatermark;
};
using Records = std::vector<Record>;
using Key = std::vector<Cell>;

bool is_null(const Cell& cell);
Key key_of(const Record& record, const std::vector<std::size_t>& columns);

struct Table {
  std::vector<Column> columns;
  Records records;

  std::size_t column(const std::string& name) const;
};

enum class Truth : std::uint8_t { no, yes, unknown, failed };

struct Condition {
  std::string text;
  std::function<Truth(const Record&)> holds;
};

struct Computed {
  Column column;
  std::string text;
  std::function<Cell(const Record&)> value;
};

struct Aggregate {
  std::string name;
  std::string function;
  std::optional<std::size_t> column;  // none: count records
  std::optional<Condition> where;
  double p = 0;  // of quantile
};

enum class Windows : std::uint8_t { tumbling, sliding, session, count, global };

struct WindowSpec {
  Windows kind = Windows::tumbling;
  bool timed = true;  // the records have event times
  std::vector<std::size_t> keys;
  std::vector<Aggregate> aggregates;
  std::int64_t size = 1;  // tumbling, sliding: us; session: the gap; count: records; global: emit_every or 0
  std::int64_t slide = 1;
  std::int64_t offset = 0;
  std::int64_t lateness = 0;
};

enum class Join : std::uint8_t { interval, lookup_first, lookup_all, asof };

struct JoinSpec {
  Join kind = Join::interval;
  bool left = false;  // left rows without a match too
  std::vector<std::pair<std::size_t, std::size_t>> on;
  std::int64_t lowest = 0, highest = 0;
};

// Records that an operator gives, and those that were late, as they came.
struct OnTimeAndLate {
  Table out;
  Table late;
};
struct Joined {
  Table out;
  Table late_left;
  Table late_right;
};

Table with_event_time(Table in, std::size_t column, std::int64_t bound);
Table filter(const Table& in, const Condition& where);
// The input's columns, then those computed.
Table map(Table in, const std::vector<Computed>& computed);
// One table a condition: the first that is true takes the record; then those that none took.
std::vector<Table> route(const Table& in, const std::vector<Condition>& routes);
OnTimeAndLate dedup(const Table& in, const std::vector<std::size_t>& keys, std::int64_t within);
Table unnest(const Table& in, std::size_t column, const std::string& key, const std::string& value);
OnTimeAndLate window(const Table& in, const WindowSpec& spec);
OnTimeAndLate over(const Table& in, const std::vector<std::size_t>& keys, std::int64_t range,
                   const std::vector<Aggregate>& aggregates);
Joined join(const Table& left, const Table& right, const JoinSpec& spec);
struct Order {
  std::size_t column;
  bool descending;
};
Table top(const Table& in, std::size_t n, const std::vector<Order>& by, const std::vector<std::size_t>& per);

Kind aggregate_kind(const Aggregate& aggregate, const std::vector<Column>& columns);

// Lines of CSV, sorted, without a header; see comparable() for numbers.
std::vector<std::string> csv_lines(const Table& table);
std::string csv_cell(const Cell& cell, Kind kind);
// A number in digits that survive another order of rounding.
std::string comparable(double value);

}  // namespace sluice::reference
