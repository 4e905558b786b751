#include "operators/aggregate/frequent_items.hpp"

#include <algorithm>
#include <functional>

#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

std::size_t heap_of(std::int64_t) { return 0; }
std::size_t heap_of(const std::string& text) {
  static const std::size_t kInPlace = std::string().capacity();
  return text.capacity() > kInPlace ? text.capacity() + 1 : 0;
}

std::uint64_t hash_of(std::int64_t word) { return hash_word(static_cast<std::uint64_t>(word)); }
std::uint64_t hash_of(std::string_view text) { return hash_bytes(text); }

}  // namespace

template <typename Key>
std::size_t FrequentItems<Key>::Hash::operator()(View value) const {
  return hash_of(value);
}

template <typename Key>
typename FrequentItems<Key>::Counter& FrequentItems<Key>::counter_of(View value, std::uint64_t missed) {
  const auto found = counters_.find(value);
  if (found != counters_.end()) return found->second;
  const auto made = counters_.try_emplace(Key(value), Counter{0, missed}).first;
  text_bytes_ += heap_of(made->first);
  return made->second;
}

template <typename Key>
void FrequentItems<Key>::add(View value, std::uint32_t m) {
  ++counter_of(value, missed_).counted;
  limit(m);
}

template <typename Key>
void FrequentItems<Key>::limit(std::uint32_t m) {
  if (counters_.size() <= 2 * std::size_t{m}) return;
  std::vector<std::uint64_t> counts;
  counts.reserve(counters_.size());
  for (const auto& [value, counter] : counters_) counts.push_back(remaining(counter));
  const auto next = counts.begin() + m;
  std::nth_element(counts.begin(), next, counts.end(), std::greater<>());
  missed_ += *next;
  // Now `remaining` would be below 0 for some, so compare what it is made of.
  absl::erase_if(counters_, [&](const auto& entry) {
    if (entry.second.counted + entry.second.missed > missed_) return false;
    text_bytes_ -= heap_of(entry.first);
    return true;
  });
}

template <typename Key>
void FrequentItems<Key>::merge(const FrequentItems& other, std::uint32_t m) {
  // A value that one of the two has no counter for may have come there as often as that one has missed.
  for (auto& [value, counter] : counters_) {
    if (!other.counters_.contains(value)) counter.missed += other.missed_;
  }
  for (const auto& [value, theirs] : other.counters_) {
    Counter& ours = counter_of(value, missed_);
    ours.counted += theirs.counted;
    ours.missed += theirs.missed;
  }
  missed_ += other.missed_;
  limit(m);
}

template <typename Key>
std::vector<typename FrequentItems<Key>::Item> FrequentItems<Key>::top(std::uint32_t k) const {
  std::vector<Item> items;
  items.reserve(counters_.size());
  for (const auto& [value, counter] : counters_) {
    items.push_back({value, counter.counted + counter.missed, counter.missed});
  }
  const auto before = [](const Item& a, const Item& b) {
    return a.count != b.count ? a.count > b.count : a.value < b.value;
  };
  const auto end = items.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(k, items.size()));
  std::partial_sort(items.begin(), end, items.end(), before);
  items.erase(end, items.end());
  return items;
}

template <typename Key>
std::size_t FrequentItems<Key>::heap_bytes() const {
  // A slot and a byte of control each, and what a table needs besides.
  constexpr std::size_t kTableBytes = 32;
  const std::size_t slots = counters_.capacity();
  const std::size_t slot_bytes = sizeof(typename decltype(counters_)::value_type) + 1;
  return slots == 0 ? 0 : slots * slot_bytes + kTableBytes + text_bytes_;
}

template class FrequentItems<std::int64_t>;
template class FrequentItems<std::string>;

}  // namespace sluice
