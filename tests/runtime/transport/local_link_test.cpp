#include "runtime/transport/local_link.hpp"

#include <doctest/doctest.h>

namespace sluice {
namespace {

struct CountedWakes final : Wakeable {
  int count = 0;
  void wake() override { ++count; }
};

TEST_CASE("A sender that found no room for a control message is woken when there is room again") {
  CountedWakes sender;
  CountedWakes receiver;
  LocalLink link(1, 1, sender, receiver);
  int sent = 0;
  while (link.send_control({ControlMessage::Kind::event_time_watermark, 0, sent})) ++sent;
  REQUIRE(sent > 0);
  link.publish();
  CHECK(receiver.count == 1);

  ControlMessage message;
  REQUIRE(link.peek_control(message));
  CHECK(message.value == 0);
  CHECK(sender.count == 0);
  link.pop_control();
  CHECK(sender.count == 1);
  CHECK(link.send_control({ControlMessage::Kind::end_of_stream, 0, 0}));
}

TEST_CASE("Control messages are seen by whoever sees a block that was sent after them") {
  CountedWakes wakes;
  LocalLink link(2, 1, wakes, wakes);
  ControlMessage message;
  REQUIRE(link.send_control({ControlMessage::Kind::event_time_watermark, 0, 5}));
  CHECK(!link.peek_control(message));  // not published
  link.publish();
  REQUIRE(link.peek_control(message));
  CHECK(message.value == 5);
}

TEST_CASE("A grant is heard as the newest limit of its lane alone, and wakes the sender") {
  CountedWakes sender;
  CountedWakes receiver;
  LocalLink link(4, 2, sender, receiver);
  CHECK(link.heard_limit(0) == 0);
  link.grant(1, 3);
  link.grant(1, 4);
  CHECK(link.heard_limit(0) == 0);
  CHECK(link.heard_limit(1) == 4);
  CHECK(sender.count == 2);
}

}  // namespace
}  // namespace sluice
