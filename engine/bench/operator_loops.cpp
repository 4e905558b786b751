#include "engine/bench/operator_loops.hpp"

#include <bit>
#include <deque>
#include <vector>

#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

// Output columns of one batch, reused from batch to batch.
template <typename T>
using Out = std::vector<T>;

// Counts by key: open addressing, linear probing, a count of 0 is a free place. Grows at a load of one half.
class CountTable {
 public:
  void add(std::int64_t key, std::int64_t count) {
    if (2 * (used_ + 1) > entries_.size()) grow();
    Entry& entry = find(key);
    if (entry.count == 0) {
      entry.key = key;
      ++used_;
    }
    entry.count += count;
  }

  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Entry& entry : entries_) {
      if (entry.count > 0) visit(entry.key, entry.count);
    }
  }

  void clear() {
    std::fill(entries_.begin(), entries_.end(), Entry{});
    used_ = 0;
  }

 private:
  struct Entry {
    std::int64_t key = 0;
    std::int64_t count = 0;
  };

  Entry& find(std::int64_t key) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = hash_word(static_cast<std::uint64_t>(key)) & mask;
    while (entries_[at].count > 0 && entries_[at].key != key) at = (at + 1) & mask;
    return entries_[at];
  }

  void grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.count > 0) find(entry.key) = entry;
    }
  }

  std::vector<Entry> entries_ = std::vector<Entry>(64);
  std::size_t used_ = 0;
};

// Results of windows, as columns.
struct WindowResults {
  Out<std::int64_t> start, end, key, count;

  void add(std::int64_t window_start, std::int64_t window_end, std::int64_t k, std::int64_t n) {
    start.push_back(window_start);
    end.push_back(window_end);
    key.push_back(k);
    count.push_back(n);
  }
  std::uint64_t take() {
    const std::uint64_t rows = key.size();
    start.clear(), end.clear(), key.clear(), count.clear();
    return rows;
  }
};

}  // namespace

std::uint64_t loop_filter(const OperatorInput& input) {
  constexpr std::uint32_t kRows = OperatorInput::kBatchRows;
  Out<std::int64_t> k(kRows), v(kRows), t(kRows), w(kRows);
  Out<double> f(kRows);
  std::uint64_t kept = 0;
  for (std::size_t base = 0; base < input.rows(); base += kRows) {
    std::size_t n = 0;
    for (std::size_t i = base; i < base + kRows; ++i) {
      if (input.values()[i] <= 499) continue;
      k[n] = input.keys()[i];
      v[n] = input.values()[i];
      f[n] = input.floats()[i];
      t[n] = input.times()[i];
      w[n] = input.watermarks()[i];
      ++n;
    }
    kept += n + (n > 0 ? static_cast<std::uint64_t>(k[n - 1]) & 1 : 0);
  }
  return kept;
}

std::uint64_t loop_map(const OperatorInput& input) {
  constexpr std::uint32_t kRows = OperatorInput::kBatchRows;
  Out<std::int64_t> x(kRows);
  Out<double> y(kRows);
  std::uint64_t sum = 0;
  for (std::size_t base = 0; base < input.rows(); base += kRows) {
    for (std::size_t i = 0; i < kRows; ++i) x[i] = input.values()[base + i] * 3 + 7;
    for (std::size_t i = 0; i < kRows; ++i) y[i] = input.floats()[base + i] * 1.5;
    sum += static_cast<std::uint64_t>(x[base % kRows]) + std::bit_cast<std::uint64_t>(y[base % kRows]);
  }
  return sum;
}

std::uint64_t loop_tumbling(const OperatorInput& input, std::int64_t size_us) {
  CountTable counts;
  WindowResults results;
  std::uint64_t rows = 0;
  std::int64_t end = size_us;
  const auto close = [&] {
    counts.for_each([&](std::int64_t key, std::int64_t n) { results.add(end - size_us, end, key, n); });
    counts.clear();
    rows += results.take();
  };
  for (std::size_t i = 0; i < input.rows(); ++i) {
    if (input.times()[i] >= end) {
      close();
      end += size_us;
    }
    counts.add(input.keys()[i], 1);
  }
  close();
  return rows;
}

std::uint64_t loop_sliding(const OperatorInput& input, std::int64_t size_us, std::int64_t slide_us) {
  const auto slices_a_window = static_cast<std::size_t>(size_us / slide_us);
  std::deque<CountTable> slices(1);
  CountTable window;
  WindowResults results;
  std::uint64_t rows = 0;
  std::int64_t end = slide_us;
  const auto close = [&] {
    window.clear();
    for (const CountTable& slice : slices) {
      slice.for_each([&](std::int64_t key, std::int64_t n) { window.add(key, n); });
    }
    window.for_each([&](std::int64_t key, std::int64_t n) { results.add(end - size_us, end, key, n); });
    rows += results.take();
    slices.emplace_back();
    if (slices.size() > slices_a_window) slices.pop_front();
    end += slide_us;
  };
  for (std::size_t i = 0; i < input.rows(); ++i) {
    if (input.times()[i] >= end) close();
    slices.back().add(input.keys()[i], 1);
  }
  for (std::size_t i = 0; i < slices_a_window; ++i) close();
  return rows;
}

namespace {

// The rows of one side by key: the newest of each key, and from each row the one of its key before it.
class JoinSide {
 public:
  explicit JoinSide(const OperatorInput& input) : input_(input), before_(input.rows()) {}

  void add(std::uint32_t row) {
    if (2 * (used_ + 1) > newest_.size()) grow();
    std::uint32_t& newest = find(input_.keys()[row]);
    if (newest == kNone) ++used_;
    before_[row] = newest;
    newest = row;
  }

  // Calls visit(row) for those of the key that are not older than `since`, newest first.
  template <typename Visit>
  void for_each(std::int64_t key, std::int64_t since, Visit visit) {
    for (std::uint32_t row = find(key); row != kNone && input_.times()[row] >= since; row = before_[row])
      visit(row);
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t& find(std::int64_t key) {
    const std::size_t mask = newest_.size() - 1;
    std::size_t at = hash_word(static_cast<std::uint64_t>(key)) & mask;
    while (newest_[at] != kNone && input_.keys()[newest_[at]] != key) at = (at + 1) & mask;
    return newest_[at];
  }

  void grow() {
    std::vector<std::uint32_t> old(newest_.size() * 2, kNone);
    old.swap(newest_);
    for (const std::uint32_t row : old) {
      if (row != kNone) find(input_.keys()[row]) = row;
    }
  }

  const OperatorInput& input_;
  std::vector<std::uint32_t> newest_ = std::vector<std::uint32_t>(64, kNone);
  std::vector<std::uint32_t> before_;
  std::size_t used_ = 0;
};

struct JoinResults {
  Out<std::int64_t> k, v, right_k, right_v, t, w;
  Out<double> f, right_f;

  void add(const OperatorInput& left, std::size_t l, const OperatorInput& right, std::size_t r) {
    k.push_back(left.keys()[l]);
    v.push_back(left.values()[l]);
    f.push_back(left.floats()[l]);
    right_k.push_back(right.keys()[r]);
    right_v.push_back(right.values()[r]);
    right_f.push_back(right.floats()[r]);
    t.push_back(std::max(left.times()[l], right.times()[r]));
    w.push_back(std::min(left.watermarks()[l], right.watermarks()[r]));
  }
  std::uint64_t take() {
    const std::uint64_t rows = k.size();
    k.clear(), v.clear(), f.clear(), right_k.clear(), right_v.clear(), right_f.clear(), t.clear(), w.clear();
    return rows;
  }
};

}  // namespace

std::uint64_t loop_join(const OperatorInput& left, const OperatorInput& right, std::int64_t within_us) {
  JoinSide lefts(left), rights(right);
  JoinResults results;
  std::uint64_t rows = 0;
  for (std::uint32_t i = 0; i < left.rows(); ++i) {
    const std::int64_t since = left.times()[i] - within_us;
    rights.for_each(left.keys()[i], since, [&](std::uint32_t r) { results.add(left, i, right, r); });
    lefts.add(i);
    lefts.for_each(right.keys()[i], since, [&](std::uint32_t l) { results.add(left, l, right, i); });
    rights.add(i);
    if (i % OperatorInput::kBatchRows == OperatorInput::kBatchRows - 1) rows += results.take();
  }
  return rows + results.take();
}

}  // namespace sluice
