// relacy_tests VARIANT: runs one variant of one algorithm under Relacy. A variant with the real orders must
// pass; one with a weakened order must be caught. Exit status 0 if it is so. Relacy's random scheduler seeds
// itself with the number of the iteration, so a variant runs the same way every time.
#include "tests/relacy/checked_memory.hpp"

namespace sluice::relacy {
namespace {

// Three items through a ring of two slots, both ends deferring their publication at times: order, values, and
// that no slot is read while it is written. Thread 0 produces, thread 1 consumes.
template <typename Memory>
struct RingTest : rl::test_suite<RingTest<Memory>, 2> {
  static constexpr unsigned kItems = 3;
  SpscRing<unsigned, Memory> ring{2};

  void thread(unsigned index) {
    if (index == 0) {
      produce();
    } else {
      consume();
    }
  }
  void produce() {
    for (unsigned i = 1; i <= kItems; ++i) {
      while (!ring.push(i)) {
        ring.publish();
        rl::yield(1, $);
      }
      if (rl::rand(2) == 0) ring.publish();
    }
    ring.publish();
  }
  void consume() {
    for (unsigned i = 1; i <= kItems; ++i) {
      unsigned item = 0;
      while (!ring.pop(item)) {
        ring.release();
        rl::yield(1, $);
      }
      RL_ASSERT(item == i);
      if (rl::rand(2) == 0) ring.release();
    }
  }
};

// Credit as an absolute right edge: thread 0 sends as long as sent < limit by writing a block of a pool of
// two; thread 1 reads it, and only then raises the limit. A credit that overtakes the return of its block
// shows as a race on the block.
template <typename Memory>
struct CreditTest : rl::test_suite<CreditTest<Memory>, 2> {
  static constexpr std::uint64_t kBlocks = 2;
  static constexpr std::uint64_t kSends = 4;
  PublishedValue<Memory> sent;
  PublishedValue<Memory> limit;
  rl::var<std::uint64_t> blocks[kBlocks];

  void before() { limit.raise(kBlocks); }
  void thread(unsigned index) {
    if (index == 0) {
      send();
    } else {
      receive();
    }
  }
  void send() {
    std::uint64_t known = 0;
    for (std::uint64_t i = 0; i < kSends; ++i) {
      while (i >= known) {
        const std::uint64_t heard = limit.read();
        RL_ASSERT(heard >= known);
        known = heard;
        if (i >= known) rl::yield(1, $);
      }
      Memory::write(blocks[i % kBlocks], i);
      sent.raise(i + 1);
    }
  }
  void receive() {
    for (std::uint64_t i = 0; i < kSends; ++i) {
      while (sent.read() <= i) rl::yield(1, $);
      RL_ASSERT(Memory::read(blocks[i % kBlocks]) == i);
      limit.raise(i + 1 + kBlocks);
    }
  }
};

// One sleeper (thread 0) and one or two wakers, each with a piece of work of its own. Whoever goes to sleep
// while work is there must be woken, and once.
template <typename Memory, unsigned kWakers>
struct SleepTest : rl::test_suite<SleepTest<Memory, kWakers>, 1 + kWakers> {
  SleepFlag<Memory> flag;
  PublishedValue<Memory> work[kWakers];
  bool slept = false;
  unsigned missed = 0;  // pieces of work that the sleeper's last look did not find
  unsigned woken = 0;

  void thread(unsigned index) {
    if (index == 0) {
      flag.announce();
      for (const PublishedValue<Memory>& w : work) missed += w.read() == 0 ? 1 : 0;
      slept = missed == kWakers;
      if (!slept) flag.retract();
    } else {
      work[index - 1].raise(1);
      if (flag.take_sleeper()) ++woken;
    }
  }
  void after() {
    RL_ASSERT(!slept || woken == 1);
    RL_ASSERT(woken <= 1);
  }
};

// A control message that goes before a block is seen by whoever sees the block: two rings, control published
// first, data looked at first (runtime/transport/local_link.cpp, runtime/channel/channel_receiver.cpp).
enum class LaneOrder { right, data_published_first, control_looked_at_first };
template <typename Memory, LaneOrder order>
struct LanesTest : rl::test_suite<LanesTest<Memory, order>, 2> {
  SpscRing<unsigned, Memory> data{2};
  SpscRing<unsigned, Memory> control{2};

  void thread(unsigned index) {
    if (index == 0) {
      control.push(7);
      data.push(1);
      if (order == LaneOrder::data_published_first) data.publish();
      control.publish();
      data.publish();
    } else {
      while (!look()) rl::yield(1, $);
    }
  }
  // True once the block was taken; by then the control message must have been.
  bool look() {
    unsigned message = 0;
    unsigned block = 0;
    if (order == LaneOrder::control_looked_at_first) {
      const bool controlled = control.peek(message);
      const bool arrived = data.available() > 0;
      if (!arrived) return false;
      RL_ASSERT(controlled && message == 7);
    } else {
      if (data.available() == 0) return false;
      RL_ASSERT(control.peek(message) && message == 7);
    }
    return data.pop(block);
  }
};

struct Variant {
  std::string_view name;
  bool correct;
  bool (*simulate)(rl::test_params&);
  bool small = false;  // a search of all interleavings takes no more than seconds
};

template <typename Test>
bool simulate(rl::test_params& params) {
  return rl::simulate<Test>(params);
}

using Real = CheckedMemory<Weakened::nothing>;
template <Weakened what, unsigned thread>
using Weak = CheckedMemory<what, thread>;

constexpr Variant kVariants[] = {
    {"ring", true, simulate<RingTest<Real>>},
    {"ring.producer_publishes_relaxed", false, simulate<RingTest<Weak<Weakened::publish, 0>>>},
    {"ring.consumer_observes_relaxed", false, simulate<RingTest<Weak<Weakened::observe, 1>>>},
    {"ring.consumer_releases_relaxed", false, simulate<RingTest<Weak<Weakened::publish, 1>>>},
    {"ring.producer_observes_relaxed", false, simulate<RingTest<Weak<Weakened::observe, 0>>>},
    {"credit", true, simulate<CreditTest<Real>>},
    {"credit.receiver_raises_relaxed", false, simulate<CreditTest<Weak<Weakened::publish, 1>>>},
    {"credit.sender_hears_relaxed", false, simulate<CreditTest<Weak<Weakened::observe, 0>>>},
    {"sleep.one_waker", true, simulate<SleepTest<Real, 1>>, true},
    {"sleep.two_wakers", true, simulate<SleepTest<Real, 2>>},
    {"sleep.sleeper_without_fence", false, simulate<SleepTest<Weak<Weakened::fence, 0>, 1>>},
    {"sleep.waker_without_fence", false, simulate<SleepTest<Weak<Weakened::fence, 1>, 1>>},
    {"lanes", true, simulate<LanesTest<Real, LaneOrder::right>>, true},
    {"lanes.data_published_first", false, simulate<LanesTest<Real, LaneOrder::data_published_first>>},
    {"lanes.control_looked_at_first", false, simulate<LanesTest<Real, LaneOrder::control_looked_at_first>>},
    {"lanes.publishes_relaxed", false, simulate<LanesTest<Weak<Weakened::publish, 0>, LaneOrder::right>>},
};

// Keeps the first words of a report. Not a string stream: Relacy takes over the allocator while a test runs,
// so nothing may be allocated then and freed later.
class ReportBuffer : public std::streambuf {
 public:
  ReportBuffer() { setp(text_, text_ + sizeof text_); }
  std::string_view text() const { return {text_, static_cast<std::size_t>(pptr() - pbase())}; }

 protected:
  int_type overflow(int_type c) override { return traits_type::not_eof(c); }

 private:
  char text_[1 << 16];
};

// The test's name, the fault, the iteration; then the history of the run would follow.
std::string_view first_lines(std::string_view text, int lines) {
  std::size_t end = 0;
  while (lines-- > 0 && end != std::string_view::npos) end = text.find('\n', end + 1);
  return text.substr(0, end);
}

// A variant is searched at random and then exhaustively: the small ones whole, the others as far as two
// preemptions go.
int run(const Variant& variant) {
  ReportBuffer buffer;
  std::ostream report(&buffer);
  rl::test_params random;
  random.iteration_count = 20000;
  random.execution_depth_limit = 10000;
  random.output_stream = &report;
  random.progress_stream = &report;
  bool passed = variant.simulate(random);
  rl::iteration_t runs = random.stop_iteration;
  if (passed) {
    rl::test_params exhaustive = random;
    exhaustive.search_type =
        variant.small ? rl::fair_full_search_scheduler_type : rl::fair_context_bound_scheduler_type;
    exhaustive.context_bound = 2;
    passed = variant.simulate(exhaustive);
    runs += exhaustive.stop_iteration;
  }
  std::cout << variant.name << ": " << (passed ? "no fault" : "a fault") << " in " << runs << " runs; "
            << (variant.correct ? "the orders are the real ones" : "an order is weakened on purpose") << '\n';
  if (passed == variant.correct) {
    if (!passed) std::cout << first_lines(buffer.text(), 3) << '\n';
    return 0;
  }
  std::cout << buffer.text() << '\n';
  return 1;
}

}  // namespace
}  // namespace sluice::relacy

int main(int argc, char** argv) {
  const std::string_view wanted = argc == 2 ? argv[1] : "";
  for (const sluice::relacy::Variant& variant : sluice::relacy::kVariants) {
    if (wanted == "--list") std::cout << variant.name << '\n';
    if (wanted == variant.name) return sluice::relacy::run(variant);
  }
  if (wanted == "--list") return 0;
  std::cerr << "usage: relacy_tests VARIANT | --list\n";
  return 2;
}
