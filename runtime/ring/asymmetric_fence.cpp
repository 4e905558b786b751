#include "runtime/ring/asymmetric_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/base/check.hpp"

namespace sluice {

const bool AsymmetricFence::kernel_has_it_ = register_process();

bool AsymmetricFence::register_process() {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void AsymmetricFence::heavy() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!kernel_has_it_) return;
  const long result = ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  SLUICE_CHECK(result == 0, "membarrier: errno {}", errno);
}

}  // namespace sluice
