#include "runtime/data/column_builder.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "tests/runtime/data/random_rows.hpp"

namespace sluice {
namespace {

void check_same(const ColumnBuilder& builder, const std::vector<test::Cell>& model) {
  RC_ASSERT(builder.rows() == model.size());
  const Column column = builder.view();
  for (std::size_t r = 0; r < model.size(); ++r) RC_ASSERT(test::cell(column, r) == model[r]);
}

TEST_CASE("A column builder holds what a vector of optional values would, whatever is done to it") {
  CHECK(rc::check("column builder against a plain model", [] {
    test::RandomRows random(*rc::gen::arbitrary<std::uint64_t>());
    const Schema schema = random.schema(1);
    const Type type = schema.field(0).type;
    random.rows(schema, 1, 1);  // chooses the share of nulls
    ColumnBuilder builder(type);
    std::vector<test::Cell> model;
    const auto steps = *rc::gen::resize(120, rc::gen::arbitrary<std::vector<std::uint8_t>>());
    for (const std::uint8_t step : steps) {
      switch (step % 8) {
        case 0:
          builder.append_null();
          model.emplace_back();
          break;
        case 1: {
          const auto kept = static_cast<std::uint32_t>(random.below(model.size() + 1));
          builder.truncate(kept);
          model.resize(kept);
          break;
        }
        case 2:
          if (step > 240) {
            builder.clear();
            model.clear();
          }
          break;
        case 3: {  // a selection of another column's rows
          const std::vector<test::Row> rows = random.rows(schema, 1 + random.below(400), 40);
          BatchStaging other = test::stage(schema, rows);
          std::vector<std::uint32_t> chosen(random.below(400));
          for (auto& c : chosen) c = static_cast<std::uint32_t>(random.below(rows.size()));
          builder.append_rows(other.view().column(0), chosen.data(), chosen.size());
          for (const std::uint32_t c : chosen) model.push_back(rows[c][0]);
          break;
        }
        default: {
          const test::Cell value = random.cell(type, 0, 5000);
          test::append(builder, value);
          model.push_back(value);
        }
      }
    }
    check_same(builder, model);
  }));
}

TEST_CASE("A record that fails halfway through its columns is taken back from those that have it") {
  BatchStaging staging(Schema({{"a", Type::int64}, {"b", Type::string}, {"c", Type::boolean}}));
  staging.column(0).append_int64(1);
  staging.column(1).append_string("one");
  staging.column(2).append_bool(true);
  staging.column(0).append_int64(2);
  staging.column(1).append_null();
  staging.truncate(1);
  REQUIRE(staging.rows() == 1);
  staging.column(0).append_int64(3);
  staging.column(1).append_string("three");
  staging.column(2).append_null();
  const Batch batch = staging.view();
  CHECK(test::row(batch, 0) == test::Row{"1", "one", "1"});
  CHECK(test::row(batch, 1) == test::Row{"3", "three", std::nullopt});
}

}  // namespace
}  // namespace sluice
