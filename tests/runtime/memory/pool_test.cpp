#include "runtime/memory/pool.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "runtime/memory/block.hpp"
#include "tests/death.hpp"

namespace sluice {
namespace {

struct CountedCredits final : CreditReturn {
  std::vector<std::uint64_t> returned = std::vector<std::uint64_t>(2);
  void block_returned(std::uint8_t lane) override { ++returned[lane]; }
};

std::unique_ptr<Pool> make_pool(std::vector<TierSize> tiers) {
  return std::move(Pool::create(tiers)).value();
}

// What a block holds while somebody owns it: a number in each of its pages, so that blocks that overlap show.
void mark(std::span<std::byte> bytes, std::uint64_t value) {
  for (std::size_t at = 0; at < bytes.size(); at += 4096) std::memcpy(&bytes[at], &value, sizeof value);
}
bool marked(std::span<const std::byte> bytes, std::uint64_t value) {
  bool same = true;
  for (std::size_t at = 0; at < bytes.size(); at += 4096) {
    same &= std::memcmp(&bytes[at], &value, sizeof value) == 0;
  }
  return same;
}

// A pool with several free lists, driven at random, and beside it a table of what each block must be.
class PoolDriver {
 public:
  PoolDriver(std::vector<TierSize> tiers, std::size_t caches) : tiers_(tiers), pool_(make_pool(tiers)) {
    for (std::size_t i = 0; i < caches; ++i) caches_.push_back(std::make_unique<PoolCache>(*pool_));
  }

  void step(unsigned choice, unsigned amount) {
    const std::size_t cache = amount % caches_.size();
    switch (choice) {
      case 0:
      case 1:
        take(cache, static_cast<std::uint8_t>(amount / 16 % tiers_.size()));
        break;
      case 2:
        drop(allocated_, amount);
        break;
      case 3:
        send(amount);
        break;
      case 4:
        receive(cache);
        break;
      case 5:
        drop(received_, amount);
        break;
      case 6:
        if (idle(cache))
          caches_[cache] = std::make_unique<PoolCache>(*pool_);  // a thread ends, another begins
        break;
      case 7:
        if (!in_flight_.empty()) discard(cache);
        break;
    }
    check();
  }

  void finish() {
    allocated_.clear();
    while (!in_flight_.empty()) receive(0);
    received_.clear();
    RC_ASSERT(pool_->held_blocks().empty());
    RC_ASSERT(credits_.returned[1] == sent_ - discarded_);
    caches_.clear();
    // Conserved: one fresh list finds every block once.
    PoolCache cache(*pool_);
    for (std::uint8_t t = 0; t < tiers_.size(); ++t) {
      std::vector<bool> seen(tiers_[t].blocks);
      BlockRef ref;
      for (std::size_t n = 0; n < tiers_[t].blocks; ++n) {
        RC_ASSERT(cache.take(t, ref));
        RC_ASSERT(ref.tier == t && !seen[ref.index]);
        seen[ref.index] = true;
      }
      RC_ASSERT(!cache.take(t, ref));
    }
  }

 private:
  // Blocks that are at home in a free list remember it: they die into it.
  template <typename Block>
  struct Held {
    Block block;
    std::uint64_t value;
    std::size_t cache;
    std::uint8_t tier;
  };

  bool idle(std::size_t cache) const {
    const auto here = [cache](const auto& held) { return held.cache == cache; };
    return std::none_of(allocated_.begin(), allocated_.end(), here) &&
           std::none_of(received_.begin(), received_.end(), here);
  }

  std::size_t held(std::uint8_t tier) const {
    const auto here = [tier](const auto& h) { return h.tier == tier; };
    return static_cast<std::size_t>(std::count_if(allocated_.begin(), allocated_.end(), here) +
                                    std::count_if(in_flight_.begin(), in_flight_.end(), here) +
                                    std::count_if(received_.begin(), received_.end(), here));
  }

  void take(std::size_t cache, std::uint8_t tier) {
    const std::uint64_t exhausted = pool_->exhausted();
    auto block =
        AllocatedBlock::take(*caches_[cache], tier, TaskId(static_cast<std::uint32_t>(cache)), ChannelId(9));
    if (!block) {
      RC_ASSERT(pool_->exhausted() == exhausted + 1);
      // Only what others keep in their lists can be missing.
      RC_ASSERT(tiers_[tier].blocks - held(tier) <= (caches_.size() - 1) * tiers_[tier].cache_blocks);
      return;
    }
    RC_ASSERT(block->bytes().size() == tiers_[tier].block_bytes);
    RC_ASSERT(reinterpret_cast<std::uintptr_t>(block->bytes().data()) % 64 == 0);
    mark(block->bytes(), ++values_);
    allocated_.push_back({std::move(*block), values_, cache, tier});
  }
  void send(unsigned amount) {
    if (allocated_.empty()) return;
    auto& held = allocated_[amount % allocated_.size()];
    in_flight_.push_back({std::move(held.block).send(++sent_).into_transport(), held.value, 0, held.tier});
    allocated_.erase(allocated_.begin() + static_cast<std::ptrdiff_t>(amount % allocated_.size()));
  }
  void receive(std::size_t cache) {
    if (in_flight_.empty()) return;
    const auto held = in_flight_.front();
    in_flight_.pop_front();
    auto block = InFlightBlock::from_transport(*caches_[cache], held.block).receive(credits_, 1, TaskId(77));
    RC_ASSERT(marked(block.bytes(), held.value));
    received_.push_back({std::move(block), held.value, cache, held.tier});
  }
  void discard(std::size_t cache) {
    InFlightBlock::from_transport(*caches_[cache], in_flight_.front().block).discard();
    in_flight_.pop_front();
    ++discarded_;
  }
  template <typename Block>
  void drop(std::vector<Held<Block>>& from, unsigned amount) {
    if (from.empty()) return;
    const auto i = static_cast<std::ptrdiff_t>(amount % from.size());
    RC_ASSERT(
        marked(from[static_cast<std::size_t>(i)].block.bytes(), from[static_cast<std::size_t>(i)].value));
    from.erase(from.begin() + i);
  }

  void check() {
    const std::vector<HeldBlock> held = pool_->held_blocks();
    const auto count = [&](BlockState state) {
      return static_cast<std::size_t>(
          std::count_if(held.begin(), held.end(), [state](const HeldBlock& h) { return h.state == state; }));
    };
    RC_ASSERT(count(BlockState::allocated) == allocated_.size());
    RC_ASSERT(count(BlockState::in_flight) == in_flight_.size());
    RC_ASSERT(count(BlockState::received) == received_.size());
    RC_ASSERT(held.size() == allocated_.size() + in_flight_.size() + received_.size());
    for (const auto& a : allocated_) RC_ASSERT(marked(a.block.bytes(), a.value));
    for (const auto& r : received_) RC_ASSERT(marked(r.block.bytes(), r.value));
    RC_ASSERT(credits_.returned[1] == sent_ - discarded_ - in_flight_.size() - received_.size());
    RC_ASSERT(credits_.returned[0] == 0u);
  }

  const std::vector<TierSize> tiers_;
  const std::unique_ptr<Pool> pool_;
  CountedCredits credits_;
  std::vector<std::unique_ptr<PoolCache>> caches_;
  std::vector<Held<AllocatedBlock>> allocated_;
  std::deque<Held<BlockRef>> in_flight_;
  std::vector<Held<ReceivedBlock>> received_;
  std::uint64_t values_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t discarded_ = 0;
};

TEST_CASE("Blocks are conserved, have one owner each, and their table says what they are") {
  CHECK(rc::check("random lives of blocks", [] {
    std::vector<TierSize> tiers;
    for (int n = *rc::gen::inRange(1, 4); n > 0; --n) {
      TierSize tier;
      tier.block_bytes = std::size_t{4096} << *rc::gen::inRange(0, 3);
      tier.blocks = static_cast<std::size_t>(*rc::gen::inRange(1, 24));
      tier.cache_blocks = static_cast<std::size_t>(*rc::gen::inRange(0, 5));
      tiers.push_back(tier);
    }
    PoolDriver driver(tiers, static_cast<std::size_t>(*rc::gen::inRange(1, 4)));
    const auto steps =
        *rc::gen::resize(300, rc::gen::arbitrary<std::vector<std::pair<std::uint8_t, std::uint8_t>>>());
    for (const auto& [choice, amount] : steps) driver.step(choice % 8, amount);
    driver.finish();
  }));
}

TEST_CASE("The table names owner, channel and sequence of a block on its way") {
  const auto pool = make_pool({{4096, 2, 0}});
  PoolCache cache(*pool);
  CountedCredits credits;
  AllocatedBlock block = *AllocatedBlock::take(cache, 0, TaskId(3), ChannelId(5));
  const BlockRef ref = std::move(block).send(41).into_transport();
  const std::vector<HeldBlock> held = pool->held_blocks();
  REQUIRE(held.size() == 1);
  CHECK(held[0].ref == ref);
  CHECK(held[0].state == BlockState::in_flight);
  CHECK(held[0].task == TaskId(3));
  CHECK(held[0].channel == ChannelId(5));
  CHECK(held[0].sequence == 41);
  InFlightBlock::from_transport(cache, ref).receive(credits, 0, TaskId(4));
  CHECK(pool->held_blocks().empty());
  CHECK(credits.returned[0] == 1);
}

TEST_CASE("An illegal transition stops the process with a sentence that names block, states and owner") {
  const auto pool = make_pool({{4096, 2, 0}});
  PoolCache cache(*pool);
  const BlockState states[] = {BlockState::idle, BlockState::allocated, BlockState::in_flight,
                               BlockState::received};
  for (const BlockState now : states) {
    for (const BlockState from : states) {
      if (now == from) continue;
      CAPTURE(block_state_name(now));
      CAPTURE(block_state_name(from));
      const std::string words = test::last_words([&] {
        pool->record({0, 1}).state = now;
        pool->transition({0, 1}, from, BlockState::idle);
      });
      CHECK(words.find("block 1 of tier 0") != std::string::npos);
      CHECK(words.find("is " + std::string(block_state_name(now)) + " and not " +
                       std::string(block_state_name(from))) != std::string::npos);
      CHECK(words.find("task ") != std::string::npos);
    }
  }
}

TEST_CASE("A block that dies on its way, or arrives twice, stops the process") {
  const auto pool = make_pool({{4096, 2, 0}});
  PoolCache cache(*pool);
  CountedCredits credits;
  CHECK(test::last_words([&] {
          (*AllocatedBlock::take(cache, 0, TaskId(1), ChannelId(1))).bytes();
          InFlightBlock block = std::move(*AllocatedBlock::take(cache, 0, TaskId(1), ChannelId(1))).send(1);
        }).find("died outside a transport") != std::string::npos);
  CHECK(test::last_words([&] {
          const BlockRef ref =
              std::move(*AllocatedBlock::take(cache, 0, TaskId(1), ChannelId(1))).send(1).into_transport();
          auto once = InFlightBlock::from_transport(cache, ref).receive(credits, 0, TaskId(2));
          auto twice = InFlightBlock::from_transport(cache, ref).receive(credits, 0, TaskId(2));
        }).find("is RECEIVED and not IN_FLIGHT") != std::string::npos);
}

TEST_CASE("Handles that are moved over one another give each block back once") {
  const auto pool = make_pool({{4096, 4, 0}});
  PoolCache cache(*pool);
  CountedCredits credits;
  auto take = [&] { return std::move(*AllocatedBlock::take(cache, 0, TaskId(1), ChannelId(1))); };
  {
    AllocatedBlock a = take();
    AllocatedBlock b = take();
    a = std::move(b);
    CHECK(pool->held_blocks().size() == 1);
  }
  CHECK(pool->held_blocks().empty());
  {
    ReceivedBlock a = take().send(1).receive(credits, 0, TaskId(1));
    ReceivedBlock b = take().send(2).receive(credits, 1, TaskId(1));
    a = std::move(b);
    CHECK(credits.returned[0] == 1);
    CHECK(credits.returned[1] == 0);
  }
  CHECK(credits.returned[1] == 1);
  CHECK(pool->held_blocks().empty());
}

}  // namespace
}  // namespace sluice
