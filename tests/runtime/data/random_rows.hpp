#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "runtime/data/column_builder.hpp"

namespace sluice::test {

// A value as text that two values share only if they are the same, bit for bit; nullopt: null.
using Cell = std::optional<std::string>;
using Row = std::vector<Cell>;

inline Cell cell(const Column& column, std::size_t row) {
  if (column.is_null(row)) return std::nullopt;
  switch (physical(column.type)) {
    case Physical::int64:
      return std::to_string(column.int64s()[row]);
    case Physical::float64:
      return std::to_string(std::bit_cast<std::uint64_t>(column.float64s()[row]));
    case Physical::bits:
      return column.boolean(row) ? "1" : "0";
    case Physical::bytes:
      return std::string(column.string(row));
  }
  return std::nullopt;
}

inline Row row(const Batch& batch, std::size_t r) {
  Row cells;
  for (const Column& column : batch.columns) cells.push_back(cell(column, r));
  return cells;
}

inline void append(ColumnBuilder& column, const Cell& value) {
  if (!value) return column.append_null();
  switch (physical(column.type())) {
    case Physical::int64:
      return column.append_int64(std::stoll(*value));
    case Physical::float64:
      return column.append_float64(std::bit_cast<double>(std::uint64_t{std::stoull(*value)}));
    case Physical::bits:
      return column.append_bool(*value == "1");
    case Physical::bytes:
      return column.append_string(*value);
  }
}

// Schemas and cells from one seed: any types, a share of nulls that differs from column to column, strings
// whose length goes from nothing to `longest`.
class RandomRows {
 public:
  explicit RandomRows(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  Schema schema(std::size_t most_columns) {
    std::vector<Field> fields(1 + below(most_columns));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      fields[i] = {"c" + std::to_string(i), static_cast<Type>(below(6))};
    }
    nulls_of_ten_.assign(fields.size(), 0);
    return Schema(fields);
  }

  Cell cell(Type type, std::size_t column, std::size_t longest) {
    if (below(10) < nulls_of_ten_[column]) return std::nullopt;
    switch (physical(type)) {
      case Physical::int64:
        return std::to_string(static_cast<std::int64_t>(random_() >> below(64)));
      case Physical::float64:
        return std::to_string(random_());
      case Physical::bits:
        return below(2) == 0 ? "0" : "1";
      case Physical::bytes: {
        // Mostly short, at times as long as may be.
        const std::size_t most = below(12) == 0 ? longest : std::min<std::size_t>(longest, 24);
        return std::string(below(most + 1), static_cast<char>(below(256)));
      }
    }
    return std::nullopt;
  }

  std::vector<Row> rows(const Schema& schema, std::size_t count, std::size_t longest) {
    // Some columns of some batches have no null at all, which makes them batches without a validity bitmap.
    for (std::uint64_t& nulls : nulls_of_ten_) nulls = below(2) == 0 ? below(11) : 0;
    std::vector<Row> rows(count);
    for (Row& row : rows) {
      for (std::size_t c = 0; c < schema.size(); ++c) row.push_back(cell(schema.field(c).type, c, longest));
    }
    return rows;
  }

 private:
  std::mt19937_64 random_;
  std::vector<std::uint64_t> nulls_of_ten_;
};

inline BatchStaging stage(const Schema& schema, const std::vector<Row>& rows) {
  BatchStaging staging(schema);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) append(staging.column(c), row[c]);
  }
  return staging;
}

}  // namespace sluice::test
