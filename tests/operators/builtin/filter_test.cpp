#include "operators/builtin/filter.hpp"

#include <doctest/doctest.h>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kInput({{"n", Type::int64}, {"s", Type::string}}, true);

Row row(Value n, std::string s) { return {std::move(n), std::move(s), std::int64_t{1}, std::int64_t{2}}; }

std::unique_ptr<BoundOperator> bind_where(const std::string& where) {
  return bind_config(filter_type(), {{"where", where}}, {kInput});
}

std::vector<Row> numbers(std::int64_t count) {
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < count; ++i) rows.push_back(row(i, "s" + std::to_string(i)));
  return rows;
}

TEST_CASE("Records for which the condition is true are kept as they came, null is not true") {
  const auto outcome =
      run(*bind_where("n > 1"), stream_of({row(1, "a"), row(2, "b"), row(kNull, "c"), row(3, "d")}), kInput);
  CHECK(row_texts(outcome.rows()) == row_texts({row(2, "b"), row(3, "d")}));
  CHECK(outcome.bad.empty());
}

TEST_CASE("All, none and the last of many rows around the word size of a bitmap") {
  for (const std::int64_t count : {1, 63, 64, 65, 128, 1000}) {
    const auto rows = numbers(count);
    CHECK(row_texts(run(*bind_where("n > -1"), stream_of(rows), kInput).rows()) == row_texts(rows));
    CHECK(run(*bind_where("n < 0"), stream_of(rows), kInput).out.empty());
    const auto last = run(*bind_where("n = " + std::to_string(count - 1)), stream_of(rows), kInput);
    CHECK(row_texts(last.rows()) == row_texts({rows.back()}));
  }
}

TEST_CASE("A batch that is kept whole is passed on without a copy") {
  const auto bound = bind_where("n > 0");
  const auto op = bound->create();
  OperatorCounters counters;
  REQUIRE(op->open({.counters = &counters}));
  BatchStaging staging(kInput);
  append_row(staging, row(std::int64_t{1}, "x"));
  const Batch batch = staging.view();
  struct Watch : Emitter {
    const void* values = nullptr;
    void emit(std::uint32_t, const Batch& b) override { values = b.column(1).data; }
    void emit_watermark(EventTimeUs) override {}
    void emit_idle() override {}
  } watch;
  REQUIRE(op->process(0, batch, watch, 0));
  CHECK(watch.values == batch.column(1).data);
}

TEST_CASE("A record whose condition fails is a bad record and not kept") {
  const Schema input({{"n", Type::int64}});
  const auto bound = bind_config(filter_type(), {{"where", "n + 1 > 0"}}, {input});
  const auto outcome = run(*bound, stream_of({{std::int64_t{1}}, {INT64_MAX}, {std::int64_t{2}}}), input);
  CHECK(outcome.rows().size() == 2);
  CHECK(outcome.bad.at("integer_overflow") == 1);
  CHECK(outcome.rows(1).size() == 1);
}

TEST_CASE("A null condition is not true, whatever bit lies under it") {
  const Schema input({{"flag", Type::boolean}});
  const auto bound = bind_config(filter_type(), {{"where", "flag"}}, {input});
  const auto op = bound->create();
  OperatorCounters counters;
  REQUIRE(op->open({.counters = &counters}));
  const std::uint64_t valid = 0b101, bits = 0b111;
  const Column column{Type::boolean, &valid, &bits, nullptr};
  struct Count : Emitter {
    std::uint32_t rows = 0;
    void emit(std::uint32_t, const Batch& b) override { rows += b.rows; }
    void emit_watermark(EventTimeUs) override {}
    void emit_idle() override {}
  } count;
  REQUIRE(op->process(0, {&input, 3, {&column, 1}}, count, 0));
  CHECK(count.rows == 2);
}

TEST_CASE("A condition that is no bool, or does not compile, is refused") {
  CHECK(
      problems_of(filter_type(), {{"where", "n + 1"}}, {kInput}).at(0).starts_with("/where [type_mismatch]"));
  CHECK(problems_of(filter_type(), {{"where", "missing > 1"}}, {kInput})
            .at(0)
            .starts_with("/where [unknown_column]"));
  CHECK(problems_of(filter_type(), {{"wehre", "n > 1"}}, {kInput}).size() == 2);
}

}  // namespace
}  // namespace sluice::test
