#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operators/state/group_table.hpp"
#include "runtime/data/column.hpp"
#include "runtime/data/column_builder.hpp"

namespace sluice {

enum class AggregateFunction : std::uint8_t {
  count,
  sum,
  avg,
  min,
  max,
  first,
  last,
  var,
  stddev,
  count_distinct,
  quantile,
  approx_distinct,
  approx_quantile,
  approx_top,
};

// In the order of the enumeration.
const std::vector<std::string>& aggregate_function_names();
std::optional<AggregateFunction> parse_aggregate_function(std::string_view name);

// Which function, and of what.
struct AggregateSpec {
  AggregateFunction function = AggregateFunction::count;
  std::optional<Type> value_type;  // none: a count of records
  double p = 0;                    // quantile, approx_quantile: 0 … 1
  std::uint32_t k = 0;             // approx_top: how many values
  double accuracy = 0;             // approx_…: the relative error, see each
};

// The state of one aggregate for all groups, one entry a group, contiguous. Values come a column at a time.
// All aggregates pass over nulls. What they give is a function of the values alone, not of their order, nor
// of how they were spread over groups that were merged; but for first and last, which go by arrival, and
// approx_top, whose counts depend on both within their bounds. One thread.
class Aggregate {
 public:
  virtual ~Aggregate() = default;
  // Makes room for groups 0 … groups − 1; new ones start empty.
  virtual void grow(std::size_t groups) = 0;
  // Adds value[r] to groups[r]; rows with kNoGroup are left out. `value` is null for a count of records.
  // `first_arrival`: how many records had come before this batch's first, so that first and last know the
  // order of records that were merged.
  virtual void update(const Column* value, const GroupId* groups, std::uint32_t rows,
                      std::uint64_t first_arrival) = 0;
  // Adds the state of from[i] to into[i], for i = 0, 1, …; from[i] stays as it is. from[i] != into[i].
  virtual void merge(std::span<const GroupId> from, std::span<const GroupId> into) = 0;
  // Appends the groups' results. Where one does not fit its type, null is appended and the index into
  // `groups` noted.
  virtual void append_results(std::span<const GroupId> groups, ColumnBuilder& out,
                              std::vector<std::uint32_t>& unfit) const = 0;
  // About how long a result is.
  virtual std::size_t result_bytes(GroupId) const { return sizeof(std::uint64_t); }
  // Bytes held on the heap for all groups: known at any time, without a look at the groups.
  virtual std::size_t state_bytes() const = 0;
  // Empties groups: their numbers will be used again. What they held on the heap is given back.
  virtual void clear(std::span<const GroupId> groups) = 0;
  // Renumbers: group i was old[i]; the others are forgotten. Gives memory back.
  virtual void compact(std::span<const GroupId> old) = 0;
};

// The type of the result; nullopt if the function does not take such values.
std::optional<Type> aggregate_type(const AggregateSpec& spec);
// For a spec that aggregate_type accepts.
std::unique_ptr<Aggregate> make_aggregate(const AggregateSpec& spec);

}  // namespace sluice
