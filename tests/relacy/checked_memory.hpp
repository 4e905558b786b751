#pragma once

// The code under test first: Relacy turns `memory_order_…`, `new` and `assert` into macros.
#include "runtime/ring/published_value.hpp"
#include "runtime/ring/sleep_flag.hpp"
#include "runtime/ring/spsc_ring.hpp"

#include <iostream>
#include <streambuf>
#include <string_view>

#include <relacy/relacy.hpp>

namespace sluice::relacy {

// The one order of an algorithm that a variant weakens. `in_thread` says whose: in every test here each
// atomic's writer is one known thread, so the thread names the place in the code.
enum class Weakened { nothing, publish, observe, fence };

// A memory policy (runtime/ring/native_memory.hpp) whose every access goes through Relacy, which picks the
// interleaving and, for relaxed reads, the value; and which reports plain accesses that nothing orders.
template <Weakened what, unsigned in_thread = 0>
struct CheckedMemory {
  template <typename T>
  using Atomic = rl::atomic<T>;
  template <typename T>
  using Plain = rl::var<T>;

  static bool weak(Weakened here) { return what == here && rl::thread_index() == in_thread; }

  template <typename T>
  static void publish(Atomic<T>& a, T value) {
    a.store(value, weak(Weakened::publish) ? rl::mo_relaxed : rl::mo_release, $);
  }
  template <typename T>
  static T observe(const Atomic<T>& a) {
    return a.load(weak(Weakened::observe) ? rl::mo_relaxed : rl::mo_acquire, $);
  }
  template <typename T>
  static T load_relaxed(const Atomic<T>& a) {
    return a.load(rl::mo_relaxed, $);
  }
  template <typename T>
  static void store_relaxed(Atomic<T>& a, T value) {
    a.store(value, rl::mo_relaxed, $);
  }
  template <typename T>
  static T exchange_relaxed(Atomic<T>& a, T value) {
    return a.exchange(value, rl::mo_relaxed, $);
  }
  // The pair as the full fences that it stands for; membarrier itself is the kernel's.
  static void fence_light() { fence(); }
  static void fence_heavy() { fence(); }
  static void fence() {
    if (!weak(Weakened::fence)) rl::atomic_thread_fence(rl::mo_seq_cst, $);
  }
  template <typename T>
  static T read(const Plain<T>& p) {
    return p($).load();
  }
  template <typename T>
  static void write(Plain<T>& p, const T& value) {
    p($).store(value);
  }
};

}  // namespace sluice::relacy
