#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sluice {

// The most frequent values, by the counters of J. Misra, D. Gries, "Finding repeated elements", 1982, merged
// as in P. K. Agarwal et al., "Mergeable summaries", 2012, and shown as SpaceSaving shows them (A. Metwally,
// D. Agrawal, A. El Abbadi, "Efficient computation of frequent and top-k elements in data streams", 2005; the
// two keep the same, Agarwal et al., section 2): with an upper bound of the count and how much it may be
// above.
//
// Up to 2 m values have a counter. When there are more, the (m + 1)-th largest counter is taken from all of
// them and those that are used up go; `missed_` adds up what was taken. Each time at least m + 1 counters
// lose as much, so missed_ ≤ N / (m + 1) for N values. A value without a counter came at most missed_ times,
// and so did one before it got its counter; from then on its records are counted. So a value that had its
// counter from the start is exact, and up to 2 m different values all are. A value with more than N / (m + 1)
// is never lost.
//
// With more than 2 m different values what is kept depends on the order of the values and on how merged parts
// were cut; the bounds do not. Key: std::int64_t or std::string. One thread.
template <typename Key>
class FrequentItems {
 public:
  using View = std::conditional_t<std::is_same_v<Key, std::string>, std::string_view, Key>;

  struct Item {
    View value;
    std::uint64_t count = 0;  // the true one is from count − error to count
    std::uint64_t error = 0;
  };

  // Every call of one summary gets the same m.
  void add(View value, std::uint32_t m);
  void merge(const FrequentItems& other, std::uint32_t m);
  // The k largest counts, largest first, equal ones by value. The views are valid until the next change.
  std::vector<Item> top(std::uint32_t k) const;
  std::size_t heap_bytes() const;

 private:
  struct Counter {
    std::uint64_t counted = 0;
    std::uint64_t missed = 0;  // at most so many before it was made
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(View value) const;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(View a, View b) const { return a == b; }
  };

  Counter& counter_of(View value, std::uint64_t missed);
  // What Misra and Gries would hold.
  std::uint64_t remaining(const Counter& c) const { return c.counted + c.missed - missed_; }
  void limit(std::uint32_t m);

  absl::flat_hash_map<Key, Counter, Hash, Equal> counters_;
  std::uint64_t missed_ = 0;
  std::size_t text_bytes_ = 0;  // of the keys, on the heap
};

extern template class FrequentItems<std::int64_t>;
extern template class FrequentItems<std::string>;

}  // namespace sluice
