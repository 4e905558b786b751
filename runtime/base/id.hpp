#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace sluice {

// A number that names one kind of thing and cannot be mixed up with another. Ids are dense, from 0, within
// one node plan, so that they index vectors.
template <typename Tag>
struct Id {
  std::uint32_t value = 0;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t v) : value(v) {}
  auto operator<=>(const Id&) const = default;
};

using OperatorId = Id<struct OperatorIdTag>;
using EdgeId = Id<struct EdgeIdTag>;
using TaskId = Id<struct TaskIdTag>;
using ChannelId = Id<struct ChannelIdTag>;

}  // namespace sluice

template <typename Tag>
struct std::hash<sluice::Id<Tag>> {
  std::size_t operator()(sluice::Id<Tag> id) const { return std::hash<std::uint32_t>{}(id.value); }
};
