#include "runtime/memory/region.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

namespace sluice {

Result<Region> Region::map(std::size_t bytes) {
  if (bytes == 0) return Region(nullptr, 0);
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (p == MAP_FAILED) {
    return Error(ErrorCode::out_of_memory,
                 fmt::format("cannot map {} bytes for the block pool (errno {}); give less with --memory",
                             bytes, errno));
  }
  ::madvise(p, bytes, MADV_DONTDUMP);
  return Region(static_cast<std::byte*>(p), bytes);
}

Region::Region(Region&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Region::~Region() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace sluice
