#include "runtime/channel/edge_sender.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/runtime/channel/two_ends.hpp"
#include "tests/runtime/data/random_rows.hpp"

namespace sluice {
namespace {

// An edge to several receivers, each of which takes a block only when the schedule says so. Rows are numbered
// in column `id`, so that a receiver's rows are a list of numbers.
class Fan {
 public:
  Fan(PartitionKind kind, std::size_t receivers, test::RandomRows& random)
      : random_(random), pool_(test::make_pool({{4096, 3 * receivers, 0}})) {
    std::vector<std::unique_ptr<ChannelSender>> senders;
    for (std::size_t i = 0; i < receivers; ++i) {
      ends_.push_back(std::make_unique<test::TwoEnds>(*pool_, schema_, kLanes, Watermarks{2, 1}));
      ends_.back()->receiver->open();
      senders.push_back(std::move(ends_.back()->sender));
    }
    taken_.resize(receivers);
    edge_ = std::make_unique<EdgeSender>(kind, std::vector<std::size_t>{1}, std::move(senders),
                                         [this](const Batch& batch, std::uint32_t row) {
                                           too_large_.push_back(batch.column(0).int64s()[row]);
                                         });
  }

  void send(std::size_t rows) {
    BatchStaging staging(schema_);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::int64_t id = next_id_++;
      const bool huge = random_.below(200) == 0;
      staging.column(0).append_int64(id);
      const std::string key = std::to_string(random_.below(12));
      random_.below(10) == 0 ? staging.column(1).append_null() : staging.column(1).append_string(key);
      staging.column(2).append_string(std::string(huge ? 5000 : random_.below(300), 'x'));
      keys_.push_back(test::cell(staging.view().column(1), r));
      if (huge) huge_.push_back(id);
    }
    const Batch batch = staging.view();
    edge_->begin(batch);
    for (int round = 0; !edge_->advance(0); ++round) {
      RC_ASSERT(round < 10000);  // stuck
      take(random_.below(ends_.size()));
    }
    RC_ASSERT(!edge_->blocked());
    if (random_.below(3) == 0) edge_->flush();
    if (random_.below(3) == 0) take(random_.below(ends_.size()));
  }

  void finish() {
    edge_->end_of_stream();
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      for (int round = 0; !ends_[i]->receiver->ended(); ++round) {
        RC_ASSERT(round < 1000);
        take(i);
        edge_->flush();
      }
      RC_ASSERT(ends_[i]->receiver->windows_restored());
    }
    RC_ASSERT(pool_->held_blocks().empty());
    std::sort(too_large_.begin(), too_large_.end());
    RC_ASSERT(too_large_ == huge_);  // each told once
  }

  std::vector<std::int64_t> all_but_huge() const {
    std::vector<std::int64_t> ids;
    for (std::int64_t id = 0; id < next_id_; ++id) {
      if (!std::binary_search(huge_.begin(), huge_.end(), id)) ids.push_back(id);
    }
    return ids;
  }
  const std::vector<std::vector<std::int64_t>>& taken() const { return taken_; }
  const test::Cell& key(std::int64_t id) const { return keys_[static_cast<std::size_t>(id)]; }
  std::vector<std::int64_t> merged() const {
    std::vector<std::int64_t> ids;
    for (const auto& t : taken_) ids.insert(ids.end(), t.begin(), t.end());
    std::sort(ids.begin(), ids.end());
    return ids;
  }

 private:
  static inline const std::vector<LanePlan> kLanes{{0, 2, 1}};

  void take(std::size_t i) {
    Result<ReceiverEvent> event = ends_[i]->receiver->poll();
    RC_ASSERT(event.ok());
    if (event->kind == ReceiverEvent::Kind::batch) {
      const Batch& batch = event->received->batch;
      for (std::uint32_t r = 0; r < batch.rows; ++r) taken_[i].push_back(batch.column(0).int64s()[r]);
    }
    event->received.reset();
    ends_[i]->receiver->tick(0, true);
  }

  test::RandomRows& random_;
  const Schema schema_{
      std::vector<Field>{{"id", Type::int64}, {"key", Type::string}, {"rest", Type::string}}};
  const std::unique_ptr<Pool> pool_;
  std::vector<std::unique_ptr<test::TwoEnds>> ends_;
  std::unique_ptr<EdgeSender> edge_;
  std::vector<std::vector<std::int64_t>> taken_;
  std::int64_t next_id_ = 0;
  std::vector<test::Cell> keys_;
  std::vector<std::int64_t> huge_, too_large_;
};

template <typename Check>
void partition(PartitionKind kind, std::size_t most_receivers, Check check) {
  test::RandomRows random(*rc::gen::arbitrary<std::uint64_t>());
  Fan fan(kind, 1 + random.below(most_receivers), random);
  for (int batches = *rc::gen::inRange(1, 12); batches > 0; --batches) fan.send(1 + random.below(120));
  fan.finish();
  check(fan);
}

TEST_CASE("A forward edge gives every row to its one receiver, in order") {
  CHECK(rc::check("forward", [] {
    partition(PartitionKind::forward, 1,
              [](const Fan& fan) { RC_ASSERT(fan.taken()[0] == fan.all_but_huge()); });
  }));
}

TEST_CASE("A broadcast edge gives every row to every receiver, in order") {
  CHECK(rc::check("broadcast", [] {
    partition(PartitionKind::broadcast, 4, [](const Fan& fan) {
      for (const auto& taken : fan.taken()) RC_ASSERT(taken == fan.all_but_huge());
    });
  }));
}

TEST_CASE("A rebalanced edge gives every row to exactly one receiver") {
  CHECK(rc::check("rebalance", [] {
    partition(PartitionKind::rebalance, 4,
              [](const Fan& fan) { RC_ASSERT(fan.merged() == fan.all_but_huge()); });
  }));
}

TEST_CASE("A hash edge gives every row to exactly one receiver, in order, and equal keys to the same one") {
  CHECK(rc::check("hash", [] {
    partition(PartitionKind::hash, 4, [](const Fan& fan) {
      RC_ASSERT(fan.merged() == fan.all_but_huge());
      std::map<test::Cell, std::size_t> home;
      for (std::size_t i = 0; i < fan.taken().size(); ++i) {
        RC_ASSERT(std::is_sorted(fan.taken()[i].begin(), fan.taken()[i].end()));
        for (const std::int64_t id : fan.taken()[i])
          RC_ASSERT(home.emplace(fan.key(id), i).first->second == i);
      }
    });
  }));
}

TEST_CASE("A rebalanced edge goes on while one of its receivers takes nothing") {
  test::RandomRows random(1);
  const Schema schema({{"n", Type::int64}});
  const auto pool = test::make_pool({{4096, 64, 0}});
  test::TwoEnds stopped(*pool, schema, {{0, 2, 0}}, {2, 1});
  test::TwoEnds going(*pool, schema, {{0, 2, 0}}, {2, 1});
  stopped.receiver->open();
  going.receiver->open();
  std::vector<std::unique_ptr<ChannelSender>> senders;
  senders.push_back(std::move(stopped.sender));
  senders.push_back(std::move(going.sender));
  EdgeSender edge(PartitionKind::rebalance, {}, std::move(senders), [](const Batch&, std::uint32_t) {});
  BatchStaging staging(schema);
  for (int i = 0; i < 1000; ++i) staging.column(0).append_int64(i);
  for (int batches = 0; batches < 50; ++batches) {
    edge.begin(staging.view());
    int rounds = 0;
    while (!edge.advance(0)) {
      REQUIRE(++rounds < 100);
      Result<ReceiverEvent> event = going.receiver->poll();
      REQUIRE(event.ok());
      event->received.reset();
      going.receiver->tick(0, true);
    }
  }
  CHECK(going.counters.receiver.records.read_relaxed() > 40'000);
  edge.abandon();
  stopped.receiver->discard_arrived();
  going.receiver->discard_arrived();
  CHECK(pool->held_blocks().empty());
}

}  // namespace
}  // namespace sluice
