#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <map>

#include "operators/expression/expression.hpp"
#include "runtime/data/column_builder.hpp"
#include "tests/operators/expression/model.hpp"
#include "tests/operators/expression/rows.hpp"

using namespace sluice;
using sluice::test::ModelExpression;
using sluice::test::Value;

namespace {

void append(ColumnBuilder& column, const Value& value) {
  if (value.null) return column.append_null();
  switch (column.type()) {
    case Type::float64:
      return column.append_float64(value.real);
    case Type::boolean:
      return column.append_bool(value.truth);
    case Type::string:
      return column.append_string(value.text);
    default:
      return column.append_int64(value.integer);
  }
}

std::string shown(const Value& value, Type type) {
  if (value.null) return "null";
  switch (type) {
    case Type::float64:
      return fmt::format("{}", value.real);
    case Type::boolean:
      return value.truth ? "true" : "false";
    case Type::string:
      return "'" + value.text + "'";
    default:
      return fmt::format("{}", value.integer);
  }
}

std::string shown(const std::vector<Value>& row) {
  std::string text;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const Field& field = test::model_schema().field(c);
    text += fmt::format(" {}={}", field.name, shown(row[c], field.type));
  }
  return text;
}

bool same(const Column& column, std::size_t row, const Value& value) {
  if (column.is_null(row) || value.null) return column.is_null(row) == value.null;
  switch (column.type) {
    case Type::float64: {
      const double got = column.float64s()[row];
      return std::isnan(got) ? std::isnan(value.real)
                             : std::bit_cast<std::uint64_t>(got) == std::bit_cast<std::uint64_t>(value.real);
    }
    case Type::boolean:
      return column.boolean(row) == value.truth;
    case Type::string:
      return column.string(row) == value.text;
    default:
      return column.int64s()[row] == value.integer;
  }
}

// Evaluates batches of different sizes with one evaluator, and compares values and errors with the model row
// by row.
void compare_with_model(const ModelExpression& model, Type type, std::mt19937_64& random) {
  const auto compiled = Expression::compile(model.text, test::model_schema());
  if (!compiled.ok()) RC_FAIL(compiled.error().message());
  RC_ASSERT(compiled->type() == type);
  Evaluator evaluator(*compiled);
  for (const std::uint32_t count : {70u, 1u, 0u, 131u}) {
    BatchStaging staging(test::model_schema());
    std::vector<std::vector<Value>> rows;
    for (std::uint32_t i = 0; i < count; ++i) {
      rows.push_back(test::random_row(random));
      for (std::size_t c = 0; c < rows.back().size(); ++c) append(staging.column(c), rows.back()[c]);
    }
    Batch batch = staging.view();
    batch.rows = count;
    const Column column = evaluator.evaluate(batch);
    std::map<std::uint32_t, ErrorCode> errors;
    std::uint32_t before = 0;
    for (const RowError& error : evaluator.errors()) {
      RC_ASSERT(errors.empty() || error.row > before);
      before = error.row;
      errors[error.row] = error.code;
    }
    for (std::uint32_t row = 0; row < count; ++row) {
      const auto context = [&] { return fmt::format("row {} of {} with{}", row, count, shown(rows[row])); };
      try {
        const Value value = model.value(rows[row]);
        if (errors.contains(row)) RC_FAIL(context() + " failed with " + std::string(error_name(errors[row])));
        if (!same(column, row, value)) {
          RC_FAIL(fmt::format("{}: {} but the model says {}", context(), test::shown(column, row),
                              shown(value, type)));
        }
      } catch (const test::RowFault& fault) {
        RC_ASSERT(errors.contains(row));
        RC_ASSERT(std::string(error_name(errors[row])) == error_name(fault.code));
        RC_ASSERT(column.is_null(row));
      }
    }
  }
}

}  // namespace

TEST_CASE(
    "random expressions give what the plain model gives, row by row, errors and unreached branches "
    "included") {
  CHECK(rc::check("expressions equal the model", [] {
    const auto seed = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
    const int depth = *rc::gen::inRange(0, 6);
    std::mt19937_64 random(seed);
    for (const Type type : {Type::int64, Type::float64, Type::boolean, Type::string, Type::timestamp}) {
      for (int i = 0; i < 4; ++i) {
        const ModelExpression model = test::random_expression(type, depth, random);
        RC_LOG() << model.text << "\n";
        compare_with_model(model, type, random);
      }
    }
  }));
}
