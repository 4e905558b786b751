#include "runtime/memory/block.hpp"

namespace sluice {

std::optional<AllocatedBlock> AllocatedBlock::take(PoolCache& cache, std::uint8_t tier, TaskId task,
                                                   ChannelId channel) {
  BlockRef ref;
  if (!cache.take(tier, ref)) return std::nullopt;
  cache.pool().transition(ref, BlockState::idle, BlockState::allocated);
  BlockRecord& record = cache.pool().record(ref);
  record.task.store(task.value, std::memory_order_relaxed);
  record.channel.store(channel.value, std::memory_order_relaxed);
  record.sequence.store(0, std::memory_order_relaxed);
  return AllocatedBlock(cache, ref);
}

AllocatedBlock& AllocatedBlock::operator=(AllocatedBlock&& other) noexcept {
  AllocatedBlock dying(std::move(*this));
  cache_ = std::exchange(other.cache_, nullptr);
  ref_ = other.ref_;
  return *this;
}

AllocatedBlock::~AllocatedBlock() {
  if (cache_ == nullptr) return;
  cache_->pool().transition(ref_, BlockState::allocated, BlockState::idle);
  cache_->give(ref_);
}

InFlightBlock AllocatedBlock::send(std::uint64_t sequence) && {
  PoolCache& cache = *std::exchange(cache_, nullptr);
  cache.pool().record(ref_).sequence.store(sequence, std::memory_order_relaxed);
  cache.pool().transition(ref_, BlockState::allocated, BlockState::in_flight);
  return InFlightBlock(cache, ref_);
}

InFlightBlock::~InFlightBlock() {
  SLUICE_CHECK(cache_ == nullptr, "an in-flight block died outside a transport");
}

void InFlightBlock::discard() && {
  PoolCache& cache = *std::exchange(cache_, nullptr);
  cache.pool().transition(ref_, BlockState::in_flight, BlockState::idle);
  cache.give(ref_);
}

ReceivedBlock InFlightBlock::receive(CreditReturn& credits, std::uint8_t lane, TaskId task) && {
  PoolCache& cache = *std::exchange(cache_, nullptr);
  cache.pool().transition(ref_, BlockState::in_flight, BlockState::received);
  cache.pool().record(ref_).task.store(task.value, std::memory_order_relaxed);
  return ReceivedBlock(cache, ref_, credits, lane);
}

ReceivedBlock& ReceivedBlock::operator=(ReceivedBlock&& other) noexcept {
  if (this != &other) {
    give_back();
    cache_ = std::exchange(other.cache_, nullptr);
    ref_ = other.ref_;
    credits_ = other.credits_;
    lane_ = other.lane_;
  }
  return *this;
}

void ReceivedBlock::give_back() {
  if (cache_ == nullptr) return;
  cache_->pool().transition(ref_, BlockState::received, BlockState::idle);
  cache_->give(ref_);
  cache_ = nullptr;
  credits_->block_returned(lane_);
}

}  // namespace sluice
