#pragma once

#include <atomic>
#include <cstdint>

namespace sluice {

// A count that one thread writes and any thread reads. It only goes up; gauges are differences of counters,
// computed by the reader. Relaxed: a reader learns the number and nothing else from it.
class Counter {
 public:
  void add(std::uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  std::uint64_t read_relaxed() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// A value that one thread sets and any thread reads; relaxed like a Counter.
class Gauge {
 public:
  void set(std::uint64_t value) {
    value_.store(value, std::memory_order_relaxed);
    if (value > peak_.load(std::memory_order_relaxed)) peak_.store(value, std::memory_order_relaxed);
  }
  std::uint64_t read_relaxed() const { return value_.load(std::memory_order_relaxed); }
  std::uint64_t peak_relaxed() const { return peak_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
  std::atomic<std::uint64_t> peak_{0};
};

}  // namespace sluice
