#include "tests/operators/expression/rows.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <charconv>

#include "operators/time/time_text.hpp"

namespace sluice::test {
namespace {

void append(ColumnBuilder& column, const std::string& value) {
  if (value == "null") return column.append_null();
  switch (column.type()) {
    case Type::int64:
      return column.append_int64(std::stoll(value));
    case Type::float64:
      return column.append_float64(std::stod(value));
    case Type::boolean:
      return column.append_bool(value == "true");
    case Type::timestamp:
      return column.append_int64(parse_iso8601_us(value).value());
    case Type::string:
    case Type::json:
      return column.append_string(value);
  }
}

}  // namespace

Rows& Rows::add(const std::vector<std::string>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) append(staging_.column(i), values[i]);
  return *this;
}

std::string shown(const Column& column, std::size_t row) {
  if (column.is_null(row)) return "null";
  switch (column.type) {
    case Type::int64:
      return fmt::format("{}", column.int64s()[row]);
    case Type::float64:
      return fmt::format("{}", column.float64s()[row]);
    case Type::boolean:
      return column.boolean(row) ? "true" : "false";
    case Type::timestamp: {
      std::string text;
      append_iso8601(text, column.int64s()[row]);
      return text;
    }
    case Type::string:
      return fmt::format("'{}'", column.string(row));
    case Type::json:
      return std::string(column.string(row));
  }
  return "";
}

std::vector<std::string> evaluate(std::string_view expression, Rows& rows) {
  auto compiled = Expression::compile(expression, rows.schema());
  if (!compiled.ok()) return {"refused: " + compiled.error().message()};
  Evaluator evaluator(*compiled);
  const Batch batch = rows.view();
  const Column column = evaluator.evaluate(batch);
  CHECK(column.type == compiled->type());
  std::vector<std::string> out;
  for (std::size_t row = 0; row < batch.rows; ++row) out.push_back(shown(column, row));
  for (const RowError& error : evaluator.errors()) {
    CHECK(column.is_null(error.row));
    out[error.row] = fmt::format("error: {}: {}", error_name(error.code), error.message);
  }
  return out;
}

std::string evaluate(std::string_view expression) {
  Rows rows({{"unused", Type::int64}});
  rows.add({"0"});
  return evaluate(expression, rows).at(0);
}

std::string refusal(std::string_view expression, const Schema& schema) {
  const auto compiled = Expression::compile(expression, schema);
  if (compiled.ok()) return "";
  return compiled.error().message().substr(0, compiled.error().message().find('\n'));
}

}  // namespace sluice::test
