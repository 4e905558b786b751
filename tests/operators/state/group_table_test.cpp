#include "operators/state/group_table.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

// The table beside a map from (space, key as text) to group number.
class Both {
 public:
  explicit Both(const Schema& schema) : schema_(schema), table_(schema, all_columns(schema)) {}

  // Rows of one batch, each in a space; the first row in none.
  void add(const std::vector<std::pair<KeySpace, Row>>& rows) {
    if (rows.empty()) return;
    BatchStaging staging(schema_);
    std::vector<KeySpace> spaces;
    for (const auto& [space, row] : rows) {
      append_row(staging, row);
      spaces.push_back(space);
    }
    spaces.front() = kNoSpace;
    std::vector<GroupId> groups(rows.size()), fresh, expected_fresh;
    RC_ASSERT(table_.assign(staging.view(), spaces.data(), groups.data(), fresh).ok());
    RC_ASSERT(groups.front() == kNoGroup);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const auto [entry, added] = expected_.try_emplace({rows[i].first, row_text(rows[i].second)}, groups[i]);
      RC_ASSERT(entry->second == groups[i]);
      if (added) expected_fresh.push_back(groups[i]);
    }
    RC_ASSERT(fresh == expected_fresh);
    check();
  }

  // The keys of one space into another, of the same table.
  void adopt(KeySpace from, KeySpace to) {
    const std::vector<GroupId> groups = groups_of(from);
    std::vector<GroupId> adopted(groups.size()), fresh;
    RC_ASSERT(table_.adopt(table_, groups, to, adopted.data(), fresh).ok());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const auto entry = expected_.try_emplace({to, key_of(groups[i])}, adopted[i]).first;
      RC_ASSERT(entry->second == adopted[i]);
    }
    check();
  }

  void close(KeySpace space) {
    table_.erase(groups_of(space));
    std::erase_if(expected_, [&](const auto& entry) { return entry.first.first == space; });
    check();
  }

  void compact() {
    const auto old = table_.compact();
    const auto new_of = new_numbers(old);
    for (auto& [key, group] : expected_) group = new_of.at(group);
    RC_ASSERT(table_.numbers().limit() == expected_.size());
    check();
  }

 private:
  static std::vector<std::size_t> all_columns(const Schema& schema) {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < schema.size(); ++i) columns.push_back(i);
    return columns;
  }

  std::vector<GroupId> groups_of(KeySpace space) const {
    std::vector<GroupId> groups;
    for (const auto& [key, group] : expected_) {
      if (key.first == space) groups.push_back(group);
    }
    return groups;
  }

  std::string key_of(GroupId group) const {
    BatchStaging out(schema_);
    table_.append_keys({&group, 1}, out, 0);
    return row_text(read_row(out.view(), 0));
  }

  void check() {
    RC_ASSERT(table_.size() == expected_.size());
    RC_ASSERT(table_.numbers().live() == expected_.size());
    std::set<GroupId> distinct;
    for (const auto& [key, group] : expected_) {
      RC_ASSERT(distinct.insert(group).second);
      RC_ASSERT(table_.space_of(group) == key.first);
      RC_ASSERT(key_of(group) == key.second);
    }
  }

  Schema schema_;
  GroupTable table_;
  std::map<std::pair<KeySpace, std::string>, GroupId> expected_;
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
      const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 9));
      for (const int step : steps) {
        if (step == 0) {
          both.close(*rc::gen::inRange<KeySpace>(0, 5));
        } else if (step == 1) {
          both.compact();
        } else if (step == 2) {
          both.adopt(*rc::gen::inRange<KeySpace>(0, 5), *rc::gen::inRange<KeySpace>(0, 5));
        } else {
          std::vector<std::pair<KeySpace, Row>> rows;
          const auto seeds = *rc::gen::container<std::vector<std::pair<KeySpace, int>>>(
              rc::gen::pair(rc::gen::inRange<KeySpace>(0, 5), rc::gen::inRange(0, 60)));
          for (const auto& [space, n] : seeds) {
            Row row;
            for (std::size_t c = 0; c < fields.size(); ++c)
              row.push_back(small_value(fields[c].type, n * static_cast<int>(c * 7 + 1) % 60));
            rows.emplace_back(space, row);
          }
          both.add(rows);
        }
      }
    }));
  }
}

}  // namespace
}  // namespace sluice::test
