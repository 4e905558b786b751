#include "tests/fuzz/value_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sluice::fuzz {

std::string value_text(const Column& column, std::size_t row) {
  if (column.is_null(row)) return "null";
  switch (physical(column.type)) {
    case Physical::int64:
      return std::to_string(column.int64s()[row]);
    case Physical::float64: {
      const double value = column.float64s()[row];
      return std::isnan(value) ? "nan" : fmt::format("{}", value);
    }
    case Physical::bits:
      return column.boolean(row) ? "true" : "false";
    case Physical::bytes:
      return "'" + std::string(column.string(row)) + "'";
  }
  return "";
}

}  // namespace sluice::fuzz
