#include "operators/window/range_states.hpp"

#include "operators/state/event_time_math.hpp"
#include "operators/state/give_memory_back.hpp"

namespace sluice {
namespace {

constexpr std::uint64_t kAllocationBytes = 16;  // what the allocator adds to a piece

std::uint64_t heap_bytes(const std::string& text) {
  return text.size() <= std::string().capacity() ? 0 : text.size() + kAllocationBytes;
}

}  // namespace

std::uint32_t RangeStates::add_record(const std::string& key, EventTimeUs time) {
  const auto [found, new_key] = keys_.try_emplace(key);
  if (new_key) key_bytes_ += heap_bytes(found->first);
  const auto [open, new_element] = open_.try_emplace({&*found, time}, 0);
  if (new_element) {
    if (free_elements_.empty()) {
      free_elements_.push_back(static_cast<std::uint32_t>(elements_.size()));
      elements_.emplace_back();
    }
    open->second = free_elements_.back();
    free_elements_.pop_back();
    elements_[open->second] = {&*found, states_.make(), kNoGroup, 0};
    ++found->second.open;
  }
  ++elements_[open->second].records;
  return open->second;
}

GroupId RangeStates::result(std::uint32_t number, EventTimeUs time) {
  Element& element = elements_[number];
  if (element.result == kNoGroup) close(element, time);
  return element.result;
}

void RangeStates::close(Element& element, EventTimeUs time) {
  expire(time);
  KeyState& key = element.key->second;
  const std::uint64_t before = key.queue.bytes();
  key.queue.push(element.own, states_);
  queue_bytes_ += key.queue.bytes() - before;
  element.result = states_.make();
  key.queue.merge_into(element.result, states_);
  closed_.push_back({time, element.key});
  open_.erase({element.key, time});
  --key.open;
}

void RangeStates::release_record(std::uint32_t number) {
  Element& element = elements_[number];
  if (--element.records > 0) return;
  states_.give_back(element.result);
  free_elements_.push_back(number);
}

void RangeStates::forget(EventTimeUs time) {
  expire(time);
  if (states_.sparse()) compact();
  if (open_.empty() && open_.capacity() > 1024) give_memory_back(open_);
  if (keys_.empty() && keys_.capacity() > 1024) give_memory_back(keys_);
  if (free_elements_.size() == elements_.size()) {
    give_memory_back(elements_);
    give_memory_back(free_elements_);
  }
}

// Takes the closed elements that lie `range` or more before `time` out of their queues.
void RangeStates::expire(EventTimeUs time) {
  const auto range = static_cast<std::uint64_t>(range_us_);
  while (!closed_.empty() && closed_.front().time < time &&
         time_distance(closed_.front().time, time) >= range) {
    forget_oldest(*closed_.front().key);
    closed_.pop_front();
  }
}

void RangeStates::forget_oldest(Key& key) {
  RangeQueue& queue = key.second.queue;
  const std::uint64_t before = queue.bytes();
  queue.pop(states_);
  queue_bytes_ += queue.bytes() - before;
  if (!queue.empty() || key.second.open > 0) return;
  key_bytes_ -= heap_bytes(key.first);
  keys_.erase(keys_.find(key.first));
}

void RangeStates::compact() {
  std::vector<GroupId*> live;
  for (auto& [key, state] : keys_) state.queue.list(live);
  for (auto& [place, number] : open_) live.push_back(&elements_[number].own);
  // Only between calls of result(): none is in use.
  states_.compact(live);
}

std::uint64_t RangeStates::bytes() const {
  return states_.bytes() + key_bytes_ + queue_bytes_ + keys_.size() * (sizeof(Key) + kAllocationBytes) +
         keys_.capacity() * (sizeof(void*) + 1) +
         open_.capacity() * (sizeof(std::pair<std::pair<Key*, EventTimeUs>, std::uint32_t>) + 1) +
         elements_.capacity() * sizeof(Element) + free_elements_.capacity() * sizeof(std::uint32_t) +
         closed_.size() * sizeof(Expiry);
}

}  // namespace sluice
