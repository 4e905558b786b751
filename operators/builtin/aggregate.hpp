#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "operators/builtin/group_table.hpp"
#include "runtime/data/column.hpp"
#include "runtime/data/column_builder.hpp"

namespace sluice {

enum class AggregateFunction : std::uint8_t { count, sum, avg, min, max, first, last };

std::optional<AggregateFunction> parse_aggregate_function(std::string_view name);

// The state of one aggregate for all groups, one entry a group, contiguous. Values come a column at a time.
// What count, sum, avg, min and max give is a function of the values alone, not of their order. All of them
// pass over nulls.
class Aggregate {
 public:
  virtual ~Aggregate() = default;
  // Makes room for groups 0 … groups − 1; new ones start empty.
  virtual void grow(std::size_t groups) = 0;
  // Adds value[r] to groups[r]; rows with kNoGroup are left out. `value` is null for a count of records.
  virtual void update(const Column* value, const GroupId* groups, std::uint32_t rows) = 0;
  // Appends the groups' results. Where one does not fit its type, null is appended and the index into
  // `groups` noted.
  virtual void append_results(std::span<const GroupId> groups, ColumnBuilder& out,
                              std::vector<std::uint32_t>& unfit) const = 0;
  // About how long a result is.
  virtual std::size_t result_bytes(GroupId) const { return sizeof(std::uint64_t); }
  // Empties groups: their numbers will be used again.
  virtual void clear(std::span<const GroupId> groups) = 0;
  // Renumbers: group i was old[i]; gives memory back.
  virtual void compact(std::span<const GroupId> old) = 0;
};

// The type of the result for values of a type (nullopt: count of records); nullopt if the function does not
// take them.
std::optional<Type> aggregate_type(AggregateFunction function, std::optional<Type> value);
// For a pair that aggregate_type accepts.
std::unique_ptr<Aggregate> make_aggregate(AggregateFunction function, std::optional<Type> value);

}  // namespace sluice
