#include "operators/aggregate/aggregate.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/operators/operator_harness.hpp"

// Aggregates apart from operators: groups that are merged, emptied and renumbered, and the memory they hold.
namespace sluice::test {
namespace {

// One aggregate over values of one type.
class Aggregated {
 public:
  explicit Aggregated(AggregateSpec spec, std::size_t groups = 4)
      : type_(*spec.value_type), result_type_(*aggregate_type(spec)), aggregate_(make_aggregate(spec)) {
    aggregate_->grow(groups);
  }

  void add(GroupId group, const std::vector<Value>& values, std::uint64_t first_arrival) {
    const Schema schema({{"v", type_}});
    BatchStaging staging(schema);
    for (const Value& v : values) append_row(staging, {v});
    const std::vector<GroupId> groups(values.size(), group);
    const Batch batch = staging.view();
    aggregate_->update(&batch.column(0), groups.data(), batch.rows, first_arrival);
  }
  void merge(GroupId from, GroupId into) { aggregate_->merge(std::span(&from, 1), std::span(&into, 1)); }
  void clear(GroupId group) { aggregate_->clear(std::span(&group, 1)); }

  std::string result(GroupId group) const {
    const Schema schema({{"r", result_type_}});
    BatchStaging staging(schema);
    std::vector<std::uint32_t> unfit;
    aggregate_->append_results(std::span(&group, 1), staging.column(0), unfit);
    CHECK(unfit.empty());
    return row_text(read_row(staging.view(), 0));
  }
  Aggregate& operator*() { return *aggregate_; }

 private:
  Type type_;
  Type result_type_;
  std::unique_ptr<Aggregate> aggregate_;
};

AggregateSpec spec_of(const char* name, Type type) { return {*parse_aggregate_function(name), type}; }
Value integer(std::int64_t v) { return v; }

TEST_CASE("Merged groups give what one group of all their values gives, and what was merged stays") {
  struct Expected {
    const char* function;
    Type type;
    std::vector<Value> one, other;
    const char *of_one, *of_both;
  };
  const Expected all[] = {
      {"count", Type::int64, {integer(1), kNull}, {integer(5), integer(6)}, "1", "3"},
      {"sum", Type::int64, {integer(1), kNull}, {integer(5), integer(6)}, "1", "12"},
      {"avg", Type::int64, {integer(1), kNull}, {integer(5), integer(6)}, "1.0", "4.0"},
      {"sum", Type::float64, {1e16, 1.0}, {-1e16, 0.5}, "1.e+16", "1.5"},
      {"avg", Type::float64, {1e16, 1.0}, {-1e16, kNull}, "5000000000000000.0", "0.3333333333333333"},
      {"min", Type::string, {"b", "c"}, {"a"}, "'b'", "'a'"},
      {"max", Type::timestamp, {integer(-5)}, {kNull, integer(-9)}, "-5", "-5"},
      {"min", Type::int64, {integer(3)}, {}, "3", "3"},
      {"max", Type::boolean, {false}, {true}, "false", "true"},
  };
  for (const Expected& e : all) {
    CAPTURE(e.function);
    Aggregated a(spec_of(e.function, e.type));
    a.add(1, e.one, 0);
    a.add(2, e.other, 100);
    a.merge(1, 0);
    CHECK(a.result(0) == e.of_one);
    a.merge(2, 0);
    CHECK(a.result(0) == e.of_both);
    CHECK(a.result(1) == e.of_one);
    a.merge(3, 0);
    CHECK(a.result(0) == e.of_both);
  }
}

TEST_CASE("first and last go by arrival, whichever group is merged first") {
  for (const auto& [first, second] : {std::pair<GroupId, GroupId>{1, 2}, {2, 1}}) {
    for (const auto& [function, expected] : {std::pair{"first", "'x'"}, {"last", "'z'"}}) {
      Aggregated a(spec_of(function, Type::string));
      a.add(2, {kNull, "y", "z"}, 10);
      a.add(1, {"x"}, 3);
      a.add(1, {"w", "v"}, 7);
      a.merge(first, 0);
      a.merge(second, 0);
      CHECK(a.result(0) == expected);
    }
  }
}

TEST_CASE("A group that was emptied starts again") {
  Aggregated a(spec_of("max", Type::string));
  a.add(0, {"z"}, 0);
  a.clear(0);
  CHECK(a.result(0) == "null");
  a.add(0, {"b"}, 1);
  CHECK(a.result(0) == "'b'");
}

TEST_CASE("The memory that long strings hold is counted, and given back with their groups") {
  const std::string large(100'000, 'x');
  Aggregated a(spec_of("last", Type::string));
  const std::size_t empty = (*a).state_bytes();
  a.add(1, {large}, 0);
  a.merge(1, 3);
  CHECK((*a).state_bytes() >= empty + 2 * large.size());
  CHECK((*a).state_bytes() < empty + 3 * large.size());
  a.add(1, {"short"}, 1);
  a.clear(1);
  CHECK((*a).state_bytes() < empty + 2 * large.size());
  const std::vector<GroupId> kept = {2, 3};
  (*a).compact(kept);
  CHECK(a.result(1).size() == large.size() + 2);
  CHECK((*a).state_bytes() < empty + 2 * large.size());
  a.clear(1);
  CHECK((*a).state_bytes() <= empty);
}

TEST_CASE("The memory that sums over all sizes hold is counted, and given back with their groups") {
  for (const char* function : {"sum", "avg"}) {
    Aggregated a(spec_of(function, Type::float64));
    const std::size_t empty = (*a).state_bytes();
    a.add(1, {1.0, 2.5}, 0);
    CHECK((*a).state_bytes() == empty);
    a.add(1, {1e300, 1e-300, 1.0}, 2);
    CHECK((*a).state_bytes() > empty + 50);
    a.merge(1, 2);
    CHECK((*a).state_bytes() > empty + 100);
    a.clear(1);
    a.clear(2);
    CHECK((*a).state_bytes() == empty);
  }
}

TEST_CASE("State grows with the number of groups, and compacting gives it back") {
  for (const char* function : {"count", "sum", "min", "first"}) {
    Aggregated a(spec_of(function, Type::int64));
    (*a).grow(100'000);
    CHECK((*a).state_bytes() >= 800'000);
    std::vector<GroupId> kept(10);
    std::iota(kept.begin(), kept.end(), 7);
    (*a).compact(kept);
    CHECK((*a).state_bytes() <= 1'000);
  }
}

}  // namespace
}  // namespace sluice::test
