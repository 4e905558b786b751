#include <doctest/doctest.h>

#include "tests/runtime/channel/two_ends.hpp"

namespace sluice {
namespace {

const Schema kSchema({{"n", Type::int64}});
constexpr Watermarks kMarks{2, 1};

TEST_CASE("A block beyond the limit is an error with both numbers, and is given back") {
  const auto pool = test::make_pool({{4096, 8}});
  test::TwoEnds ends(*pool, kSchema, {{0, 2, 2}}, kMarks);
  ChannelCounters counters;
  ChannelReceiver narrow(ChannelId(7), TaskId(1), kSchema, {{0, 2, 0}}, kMarks, ends.receiver_cache,
                         ends.link, counters);
  narrow.open();
  for (std::uint64_t sequence = 1; sequence <= 4; ++sequence) {
    AllocatedBlock block = *AllocatedBlock::take(ends.sender_cache, 0, TaskId(0), ChannelId(7));
    BlockWriter writer(kSchema);
    writer.begin(block.bytes());
    writer.int64s(0)[0] = 1;
    writer.set_rows(1);
    writer.finish(sequence);
    ends.link.send({std::move(block).send(sequence), 0});
  }
  ends.link.publish();

  Result<ReceiverEvent> first = narrow.poll();
  REQUIRE(first.ok());
  Result<ReceiverEvent> second = narrow.poll();
  REQUIRE(second.ok());
  const Result<ReceiverEvent> third = narrow.poll();
  REQUIRE(!third.ok());
  CHECK(third.error().code() == ErrorCode::credit_exceeded);
  CHECK(third.error().message().find("block 3 arrived with a limit of 2") != std::string::npos);
  CHECK(pool->held_blocks().size() == 3);  // two held, one still on its way
  first->received.reset();
  second->received.reset();
  CHECK(narrow.discard_arrived() == 1);
  CHECK(pool->held_blocks().empty());
}

}  // namespace
}  // namespace sluice
