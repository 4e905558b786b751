#pragma once

#include <cstddef>

namespace sluice {

// Empties a container and frees what it had allocated. `container = {}` does not: it assigns an empty list,
// for which a vector keeps its room.
template <typename Container>
void give_memory_back(Container& container) {
  container = Container();
}

// For a list that is filled and emptied over and over: frees its room if it needs little of it now.
template <typename List>
void trim_room(List& list) {
  constexpr std::size_t kRoom = 1024;
  if (list.capacity() > kRoom && list.size() < list.capacity() / 4) list.shrink_to_fit();
}

}  // namespace sluice
