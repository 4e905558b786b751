#include "operators/aggregate/group_states.hpp"

#include <algorithm>

namespace sluice {
namespace {

// The column from a row on that is a multiple of 64, where a word of its bitmaps starts.
Column from_row(const Column& column, std::uint32_t row) {
  Column rest = column;
  if (column.validity != nullptr) rest.validity += row / 64;
  switch (physical(column.type)) {
    case Physical::int64:
      rest.values = column.int64s() + row;
      break;
    case Physical::float64:
      rest.values = column.float64s() + row;
      break;
    case Physical::bits:
      rest.values = column.bits() + row / 64;
      break;
    case Physical::bytes:
      rest.values = column.offsets() + row;
      break;
  }
  return rest;
}

}  // namespace

GroupStates::GroupStates(std::span<const AggregatePlan> plans) {
  for (const AggregatePlan& plan : plans) aggregates_.push_back(make_aggregate(plan.spec));
}

void GroupStates::grow(std::size_t groups) {
  for (auto& aggregate : aggregates_) aggregate->grow(groups);
}

void GroupStates::update(AggregateInputs& inputs, std::span<const GroupId> groups, std::uint32_t begin,
                         std::uint32_t end, std::uint64_t first_arrival) {
  if (begin == end) return;
  const std::uint32_t first = begin / 64 * 64;
  const auto rows = static_cast<std::uint32_t>(end - first);
  for (std::size_t i = 0; i < aggregates_.size(); ++i) {
    const GroupId* of_rows = groups.data() + first;
    const Column* where = inputs.where(i);
    if (begin > first || where != nullptr) {
      some_.assign(of_rows, of_rows + rows);
      std::fill(some_.begin(), some_.begin() + (begin - first), kNoGroup);
      for (std::uint32_t r = begin; where != nullptr && r < end; ++r) {
        if (!AggregateInputs::is_true(*where, r)) some_[r - first] = kNoGroup;
      }
      of_rows = some_.data();
    }
    const Column* value = inputs.value(i);
    Column rest;
    if (value != nullptr) rest = from_row(*value, first);
    aggregates_[i]->update(value != nullptr ? &rest : nullptr, of_rows, rows, first_arrival + first);
  }
}

void GroupStates::merge(std::span<const GroupId> from, std::span<const GroupId> into) {
  if (from.empty()) return;
  for (auto& aggregate : aggregates_) aggregate->merge(from, into);
}

void GroupStates::clear(std::span<const GroupId> groups) {
  if (groups.empty()) return;
  for (auto& aggregate : aggregates_) aggregate->clear(groups);
}

void GroupStates::compact(std::span<const GroupId> old) {
  for (auto& aggregate : aggregates_) aggregate->compact(old);
}

std::size_t GroupStates::result_bytes(GroupId group) const {
  std::size_t bytes = 0;
  for (const auto& aggregate : aggregates_) bytes += aggregate->result_bytes(group);
  return bytes;
}

std::size_t GroupStates::bytes() const {
  std::size_t bytes = 0;
  for (const auto& aggregate : aggregates_) bytes += aggregate->state_bytes();
  return bytes;
}

}  // namespace sluice
