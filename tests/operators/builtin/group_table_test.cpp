#include "operators/builtin/group_table.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

// The table beside a map from (window, key as text) to group number.
class Both {
 public:
  explicit Both(const Schema& schema) : schema_(schema), table_(schema, all_columns(schema)) {}

  // Rows of one batch, each in a window.
  void add(const std::vector<std::pair<std::int64_t, Row>>& rows) {
    if (rows.empty()) return;
    BatchStaging staging(schema_);
    std::vector<OpenWindow*> windows;
    for (const auto& [start, row] : rows) {
      append_row(staging, row);
      windows_[start].start = start;
      windows.push_back(&windows_[start]);
    }
    windows.front() = nullptr;
    std::vector<GroupId> groups(rows.size());
    RC_ASSERT(table_.assign(staging.view(), windows, groups.data()).ok());
    RC_ASSERT(groups.front() == kNoGroup);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const auto [entry, fresh] = expected_.try_emplace({rows[i].first, row_text(rows[i].second)}, groups[i]);
      RC_ASSERT(entry->second == groups[i]);
    }
    check();
  }

  void close_first() {
    if (windows_.empty()) return;
    const auto first = windows_.begin();
    table_.erase(first->second.groups);
    std::erase_if(expected_, [&](const auto& entry) { return entry.first.first == first->first; });
    windows_.erase(first);
    check();
  }

  void compact() {
    const auto old = table_.compact();
    std::map<GroupId, GroupId> fresh;
    for (GroupId i = 0; i < old.size(); ++i) fresh[old[i]] = i;
    for (auto& [start, window] : windows_) {
      for (GroupId& group : window.groups) group = fresh.at(group);
    }
    for (auto& [key, group] : expected_) group = fresh.at(group);
    RC_ASSERT(table_.id_limit() == expected_.size());
    check();
  }

 private:
  static std::vector<std::size_t> all_columns(const Schema& schema) {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < schema.size(); ++i) columns.push_back(i);
    return columns;
  }

  void check() {
    RC_ASSERT(table_.live() == expected_.size());
    std::set<GroupId> distinct;
    for (const auto& [key, group] : expected_) {
      RC_ASSERT(distinct.insert(group).second);
      BatchStaging out(schema_);
      table_.append_key(group, out, 0);
      RC_ASSERT(row_text(read_row(out.view(), 0)) == key.second);
    }
    std::size_t in_windows = 0;
    for (const auto& [start, window] : windows_) in_windows += window.groups.size();
    RC_ASSERT(in_windows == expected_.size());
  }

  Schema schema_;
  GroupTable table_;
  std::map<std::int64_t, OpenWindow> windows_;
  std::map<std::pair<std::int64_t, std::string>, GroupId> expected_;
};

Value small_value(Type type, int n) {
  if (n == 0) return kNull;
  switch (physical(type)) {
    case Physical::int64:
      return static_cast<std::int64_t>(n) << 32;
    case Physical::float64:
      return n / 4.0;
    case Physical::bits:
      return n % 2 == 0;
    case Physical::bytes:
      return std::string(static_cast<std::size_t>(n % 23), static_cast<char>('a' + n % 5));
  }
  return kNull;
}

TEST_CASE("Groups found, added, closed and renumbered are those of a map, for every form of key") {
  const std::vector<std::vector<Field>> forms = {
      {{"i", Type::int64}},
      {{"s", Type::string}},
      {{"b", Type::boolean}},
      {{"x", Type::float64}},
      {{"s", Type::string}, {"i", Type::int64}, {"t", Type::string}}};
  for (const auto& fields : forms) {
    const Schema schema(fields);
    CHECK(rc::check("the table against a map, " + schema.to_string(), [&] {
      Both both(schema);
      const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 8));
      for (const int step : steps) {
        if (step == 0) {
          both.close_first();
        } else if (step == 1) {
          both.compact();
        } else {
          std::vector<std::pair<std::int64_t, Row>> rows;
          const auto seeds = *rc::gen::container<std::vector<std::pair<int, int>>>(
              rc::gen::pair(rc::gen::inRange(-3, 3), rc::gen::inRange(0, 60)));
          for (const auto& [window, n] : seeds) {
            Row row;
            for (std::size_t c = 0; c < fields.size(); ++c)
              row.push_back(small_value(fields[c].type, n * static_cast<int>(c * 7 + 1) % 60));
            rows.emplace_back(window, row);
          }
          both.add(rows);
        }
      }
    }));
  }
}

}  // namespace
}  // namespace sluice::test
