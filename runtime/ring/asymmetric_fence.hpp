#pragma once

#include <atomic>

namespace sluice {

// A pair of fences that together order like two sequentially consistent ones, with the cost on one side. The
// light one stands on a path that is taken for every block and costs nothing but the compiler's freedom; the
// heavy one makes every running thread of the process pass a full barrier (membarrier(2), some microseconds)
// and stands where a thread is about to sleep anyway. Where the kernel does not offer that, both are full
// fences. The full fence on the light side would wait for all stores of the block just written.
class AsymmetricFence {
 public:
  static void light() {
    if (kernel_has_it_) [[likely]] {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
  }
  static void heavy();

 private:
  static bool register_process();
  static const bool kernel_has_it_;
};

}  // namespace sluice
