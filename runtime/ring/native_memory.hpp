#pragma once

#include <atomic>

#include "runtime/ring/asymmetric_fence.hpp"

namespace sluice {

// How lock-free code here touches memory. The code is a template on such a policy, so that the same text runs
// on std::atomic in production and under a model checker in tests/relacy, where each order is also weakened
// on purpose to show that the checker would notice.
struct NativeMemory {
  template <typename T>
  using Atomic = std::atomic<T>;
  template <typename T>
  using Plain = T;  // written by one thread at a time, handed over by publish/observe

  // What the writer did before publish is seen by who observes the value.
  template <typename T>
  static void publish(Atomic<T>& a, T value) {
    a.store(value, std::memory_order_release);
  }
  template <typename T>
  static T observe(const Atomic<T>& a) {
    return a.load(std::memory_order_acquire);
  }
  // The thread's own variable, or a hint.
  template <typename T>
  static T load_relaxed(const Atomic<T>& a) {
    return a.load(std::memory_order_relaxed);
  }
  template <typename T>
  static void store_relaxed(Atomic<T>& a, T value) {
    a.store(value, std::memory_order_relaxed);
  }
  template <typename T>
  static T exchange_relaxed(Atomic<T>& a, T value) {
    return a.exchange(value, std::memory_order_relaxed);
  }
  // Between "I publish, then look whether you sleep" (light) and "I say that I sleep, then look whether there
  // is work" (heavy): of the two looks at least one sees the other's write.
  static void fence_light() { AsymmetricFence::light(); }
  static void fence_heavy() { AsymmetricFence::heavy(); }

  template <typename T>
  static T read(const Plain<T>& p) {
    return p;
  }
  template <typename T>
  static void write(Plain<T>& p, const T& value) {
    p = value;
  }
};

}  // namespace sluice
