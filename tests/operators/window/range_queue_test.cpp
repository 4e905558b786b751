#include "operators/window/range_queue.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <deque>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

std::vector<AggregatePlan> plans() {
  std::vector<AggregatePlan> list;
  for (const AggregateFunction function :
       {AggregateFunction::sum, AggregateFunction::max, AggregateFunction::first, AggregateFunction::last,
        AggregateFunction::count}) {
    AggregatePlan& plan = list.emplace_back();
    plan.spec.function = function;
    plan.spec.value_type = Type::int64;
    plan.value.emplace();  // column 0
  }
  return list;
}

const Schema kValues({{"v", Type::int64}});

class Fixture {
  const std::vector<AggregatePlan> plans_ = plans();
  AggregateInputs inputs_;

 public:
  Fixture() : inputs_(plans_), states(plans_) {}

  void push(std::int64_t value) {
    const GroupId element = states.make();
    BatchStaging staging(kValues);
    staging.column(0).append_int64(value);
    inputs_.evaluate(staging.view());
    states.groups().update(inputs_, {&element, 1}, 0, 1, arrival_);
    ++arrival_;
    queue.push(element, states);
    model.push_back(value);
  }
  void pop() {
    queue.pop(states);
    model.pop_front();
  }

  std::string result() {
    const GroupId result = states.make();
    queue.merge_into(result, states);
    Row row;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      ColumnBuilder column(Type::int64);
      std::vector<std::uint32_t> unfit;
      states.groups().append_results(i, {&result, 1}, column, unfit);
      const Column view = column.view();
      row.push_back(view.is_null(0) ? Value(kNull) : Value(view.int64s()[0]));
    }
    states.give_back(result);
    return row_text(row);
  }
  std::string expected() const {
    if (model.empty()) return row_text({kNull, kNull, kNull, kNull, std::int64_t{0}});
    std::int64_t sum = 0, most = model.front();
    for (const std::int64_t v : model) sum += v, most = std::max(most, v);
    return row_text({sum, most, model.front(), model.back(), static_cast<std::int64_t>(model.size())});
  }

  AggregateStates states;
  RangeQueue queue;
  std::deque<std::int64_t> model;

 private:
  std::uint64_t arrival_ = 0;
};

TEST_CASE("After any pushes and pops the queue gives the aggregates of what is in it") {
  CHECK(rc::check("queue against a list", [] {
    Fixture f;
    const auto moves = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-25, 40));
    for (const int move : moves) {  // so many pushes, or pops
      for (int i = 0; i < move; ++i) f.push((i * 7919 + move) % 101);
      for (int i = 0; i > move && !f.model.empty(); --i) {
        f.pop();
        RC_ASSERT(f.result() == f.expected());
      }
      RC_ASSERT(f.result() == f.expected());
      RC_ASSERT(f.queue.size() == f.model.size());
    }
    while (!f.model.empty()) f.pop();
    RC_ASSERT(f.queue.empty());
    RC_ASSERT(f.states.live() == 0u);
  }));
}

TEST_CASE("Besides its elements a queue holds about two square roots of them") {
  Fixture f;
  for (int i = 0; i < 10'000; ++i) f.push(i);
  std::size_t most = 0;
  for (int i = 0; i < 30'000; ++i) {
    f.pop();
    f.push(i);
    most = std::max(most, f.states.live() - f.queue.size());
    if (i % 997 == 0) CHECK(f.result() == f.expected());
  }
  CHECK(most <= 2 * 101 + 1);
}

TEST_CASE("States are renumbered under a queue without a change of its results") {
  Fixture f;
  std::vector<GroupId> others;
  for (int i = 0; i < 30'000; ++i) others.push_back(f.states.make());
  for (int i = 0; i < 500; ++i) f.push(i % 37);
  for (int i = 0; i < 100; ++i) f.pop();
  for (const GroupId other : others) f.states.give_back(other);
  REQUIRE(f.states.sparse());
  const std::uint64_t before = f.states.bytes();
  std::vector<GroupId*> live;
  f.queue.list(live);
  CHECK(live.size() == f.states.live());
  f.states.compact(live);
  CHECK(f.states.bytes() < before / 4);
  CHECK(f.result() == f.expected());
  for (int i = 0; i < 400; ++i) {
    f.push(i);
    f.pop();
    CHECK(f.result() == f.expected());
  }
}

}  // namespace
}  // namespace sluice::test
