#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/base/cache_line.hpp"
#include "runtime/base/check.hpp"
#include "runtime/ring/native_memory.hpp"

namespace sluice {

// A bounded queue from one thread to one other. Both ends keep the opposite index in a variable of their own
// and look at the shared one only when that copy says full or empty; both may defer publication over several
// items, which is what makes a ring fast between cores. Capacity is a power of two; nothing is allocated
// after construction.
//
// Producer: push … push publish. Consumer: pop … pop release. What is pushed and not published is not seen;
// what is popped and not released still occupies its slot.
template <typename T, typename Memory = NativeMemory>
class SpscRing {
 public:
  explicit SpscRing(std::size_t min_capacity)
      : mask_(std::bit_ceil(min_capacity < 2 ? std::size_t{2} : min_capacity) - 1),
        slots_(std::make_unique<typename Memory::template Plain<T>[]>(mask_ + 1)) {
    Memory::store_relaxed(head_, std::uint64_t{0});
    Memory::store_relaxed(tail_, std::uint64_t{0});
  }

  std::size_t capacity() const { return mask_ + 1; }

  // Producer's thread. False if the ring is full.
  bool push(const T& item) {
    if (producer_.tail - producer_.head_seen > mask_) {
      // Acquire: the consumer has finished reading the slots below head, so they may be written again.
      producer_.head_seen = Memory::observe(head_);
      if (producer_.tail - producer_.head_seen > mask_) return false;
    }
    Memory::write(slots_[producer_.tail & mask_], item);
    ++producer_.tail;
    return true;
  }
  // Release: the slots below tail are written before the consumer can see the new tail.
  void publish() {
    if (producer_.tail != producer_.published) {
      producer_.published = producer_.tail;
      Memory::publish(tail_, producer_.tail);
    }
  }
  // Items that the consumer has not released yet, as far as the producer knows after looking.
  std::size_t pending() {
    producer_.head_seen = Memory::observe(head_);
    return static_cast<std::size_t>(producer_.tail - producer_.head_seen);
  }

  // Consumer's thread. False if the ring is empty.
  bool pop(T& item) {
    if (!peek(item)) return false;
    ++consumer_.head;
    return true;
  }
  bool peek(T& item) {
    if (consumer_.head == consumer_.tail_seen) {
      // Acquire: pairs with publish; slots below the tail that is seen here are complete.
      consumer_.tail_seen = Memory::observe(tail_);
      if (consumer_.head == consumer_.tail_seen) return false;
    }
    item = Memory::read(slots_[consumer_.head & mask_]);
    return true;
  }
  // Looks at the producer's index only if nothing is known to be there.
  bool empty() {
    if (consumer_.head == consumer_.tail_seen) consumer_.tail_seen = Memory::observe(tail_);
    return consumer_.head == consumer_.tail_seen;
  }
  // The item `distance` behind the next one, if it is known to be there without looking at the producer's
  // index: a hint for prefetching.
  bool peek_ahead(std::size_t distance, T& item) {
    if (consumer_.tail_seen - consumer_.head <= distance) return false;
    item = Memory::read(slots_[(consumer_.head + distance) & mask_]);
    return true;
  }
  // Release: the consumer's reads of the slots below head come before the producer can reuse them.
  void release() {
    if (consumer_.head != consumer_.released) {
      consumer_.released = consumer_.head;
      Memory::publish(head_, consumer_.head);
    }
  }
  // Items published and not popped, after looking.
  std::size_t available() {
    consumer_.tail_seen = Memory::observe(tail_);
    return static_cast<std::size_t>(consumer_.tail_seen - consumer_.head);
  }

 private:
  struct Producer {
    std::uint64_t tail = 0;
    std::uint64_t published = 0;
    std::uint64_t head_seen = 0;
  };
  struct Consumer {
    std::uint64_t head = 0;
    std::uint64_t released = 0;
    std::uint64_t tail_seen = 0;
  };

  // Shared, never written after construction.
  const std::size_t mask_;
  const std::unique_ptr<typename Memory::template Plain<T>[]> slots_;
  // Written by the producer's thread alone.
  alignas(kCacheLineBytes) Producer producer_;
  alignas(kCacheLineBytes) typename Memory::template Atomic<std::uint64_t> tail_;
  // Written by the consumer's thread alone.
  alignas(kCacheLineBytes) Consumer consumer_;
  alignas(kCacheLineBytes) typename Memory::template Atomic<std::uint64_t> head_;
};

}  // namespace sluice
