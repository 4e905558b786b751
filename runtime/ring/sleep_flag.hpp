#pragma once

#include "runtime/base/cache_line.hpp"
#include "runtime/ring/native_memory.hpp"

namespace sluice {

// The agreement between a thread that wants to sleep and those that give it work, by which no wake-up is
// lost:
//   sleeper:  announce(); look for work once more; none: sleep until woken. Work: retract().
//   waker:    publish the work; if take_sleeper(): wake the thread.
// Dekker's pattern: with fences on both sides (the sleeper pays for both, see asymmetric_fence.hpp), either
// the sleeper's last look finds the work or the waker finds the flag. Of several wakers one takes the flag,
// so the thread is woken once.
template <typename Memory = NativeMemory>
class SleepFlag {
 public:
  SleepFlag() { Memory::store_relaxed(asleep_, 0u); }

  void announce() {
    Memory::store_relaxed(asleep_, 1u);
    Memory::fence_heavy();
  }
  void retract() { Memory::store_relaxed(asleep_, 0u); }

  // True: the caller must wake the sleeper.
  bool take_sleeper() {
    Memory::fence_light();
    if (Memory::load_relaxed(asleep_) == 0u) return false;
    return Memory::exchange_relaxed(asleep_, 0u) == 1u;
  }

 private:
  alignas(kCacheLineBytes) typename Memory::template Atomic<unsigned> asleep_;
};

}  // namespace sluice
