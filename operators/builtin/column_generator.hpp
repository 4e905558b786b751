#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/data/column.hpp"
#include "runtime/data/column_builder.hpp"
#include "runtime/data/schema.hpp"

namespace sluice {

// Row indexes first, first + stride, first + 2·stride, … : one task's share of the rows of a generator.
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t stride = 1;
  std::uint32_t rows = 0;

  std::uint64_t index(std::uint32_t row) const { return first + row * stride; }
};

// Makes one column of a generator. The value of row i is a function of the column's seed and i alone (a
// counter-based generator: nothing is carried from row to row), so that any task can make any row. Shared by
// all tasks, immutable.
class ColumnGenerator {
 public:
  virtual ~ColumnGenerator() = default;
  // The type of the column it makes.
  virtual Type type() const = 0;
  // Appends the rows to `out`; an error ends the job (a sequence that leaves its type).
  virtual Result<void> fill(const RowRange& range, ColumnBuilder& out) const = 0;
  // Bytes that a row takes at most.
  virtual std::size_t row_bytes() const { return 8; }
};

// A value as it stands in a config, of the type of its column.
struct Literal {
  enum class Kind : std::uint8_t { null, integer, number, boolean, text };
  Kind kind = Kind::null;
  std::int64_t integer = 0;  // int64 and timestamp
  double number = 0;
  bool boolean = false;
  std::string text;
};

struct TextShape {
  std::uint32_t min_length = 16;
  std::uint32_t max_length = 16;
  std::string alphabet;  // bytes; empty: a to z and 2 to 7
};

// `column_seed` is derived from the generator's seed and the column's name.
std::unique_ptr<ColumnGenerator> make_sequence(std::string name, std::int64_t start, std::int64_t step);
std::unique_ptr<ColumnGenerator> make_timestamps(std::string name, std::int64_t start_us,
                                                 std::int64_t step_us);
std::unique_ptr<ColumnGenerator> make_choice(Type type, std::vector<Literal> values,
                                             std::vector<double> weights, std::uint64_t column_seed);
std::unique_ptr<ColumnGenerator> make_uniform_int64(std::int64_t min, std::int64_t max,
                                                    std::uint64_t column_seed);
std::unique_ptr<ColumnGenerator> make_uniform_float64(double min, double max, std::uint64_t column_seed);
std::unique_ptr<ColumnGenerator> make_normal(double mean, double stddev, std::uint64_t column_seed);
std::unique_ptr<ColumnGenerator> make_zipf(std::uint64_t n, double s, std::uint64_t column_seed);
std::unique_ptr<ColumnGenerator> make_text(TextShape shape, std::uint64_t column_seed);

}  // namespace sluice
