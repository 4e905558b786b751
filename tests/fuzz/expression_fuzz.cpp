// Expressions: the text up to a NUL byte is compiled, what follows fills a small batch. Required: a refusal
// is a sentence and a caret; a batch and its rows one by one give the same values and the same errors.
#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "operators/expression/expression.hpp"
#include "runtime/data/column_builder.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/value_text.hpp"

namespace {

using namespace sluice;

const Schema& schema() {
  static const Schema columns({{"i", Type::int64},
                               {"j", Type::int64},
                               {"x", Type::float64},
                               {"y", Type::float64},
                               {"b", Type::boolean},
                               {"s", Type::string},
                               {"odd name", Type::string},
                               {"t", Type::timestamp},
                               {"d", Type::json}});
  return columns;
}

std::int64_t integer(fuzz::FuzzInput& in) {
  const std::int64_t numbers[] = {0,
                                  1,
                                  -1,
                                  7,
                                  std::numeric_limits<std::int64_t>::max(),
                                  10,
                                  std::numeric_limits<std::int64_t>::min(),
                                  9007199254740993,
                                  -62135596800000000,
                                  253402300799999999};
  const std::size_t choice = in.choice(std::size(numbers) + 6);
  return choice < std::size(numbers) ? numbers[choice] : static_cast<std::int64_t>(in.byte()) - 128;
}

double number(fuzz::FuzzInput& in) {
  const double numbers[] = {0.0,
                            -0.0,
                            1.5,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN(),
                            9.3e18,
                            1e308,
                            5e-324};
  const std::size_t choice = in.choice(std::size(numbers) + 6);
  return choice < std::size(numbers) ? numbers[choice] : (in.byte() - 128) / 8.0;
}

std::string text(fuzz::FuzzInput& in) {
  const char* const texts[] = {"",
                               "a",
                               "2015-05-17T10:05:00Z",
                               "12",
                               "-1.5e3",
                               "true",
                               "a,b,c",
                               "\xC3\xA4\xFF",
                               "{\"a\":[1,null,\"x\"]}"};
  const std::size_t choice = in.choice(std::size(texts) + 6);
  if (choice < std::size(texts)) return texts[choice];
  std::string made;
  for (std::size_t length = in.choice(12); made.size() < length;) made += static_cast<char>(in.byte());
  return made;
}

void append_row(BatchStaging& rows, fuzz::FuzzInput& in) {
  const std::uint8_t nulls = in.byte();
  for (std::size_t c = 0; c < schema().size(); ++c) {
    ColumnBuilder& column = rows.column(c);
    if (nulls % 3 == 0 && (nulls >> (c % 7)) & 1) {
      column.append_null();
      continue;
    }
    switch (schema().field(c).type) {
      case Type::int64:
      case Type::timestamp:
        column.append_int64(integer(in));
        break;
      case Type::float64:
        column.append_float64(number(in));
        break;
      case Type::boolean:
        column.append_bool(in.byte() % 2 == 1);
        break;
      case Type::string:
        column.append_string(text(in));
        break;
      case Type::json: {
        const char* const values[] = {"null", "1", "{\"a\":{\"b\":[1,2.5]}}", "\"x\\u00e4\"", "[]"};
        column.append_string(values[in.choice(std::size(values))]);
        break;
      }
    }
  }
}

// The value of each row, or its error.
std::vector<std::string> evaluate(Evaluator& evaluator, const Batch& batch, Type type) {
  const Column column = evaluator.evaluate(batch);
  fuzz::require(column.type == type, "the result has another type than was bound");
  std::vector<std::string> values;
  for (std::size_t row = 0; row < batch.rows; ++row) values.push_back(fuzz::value_text(column, row));
  std::int64_t before = -1;
  for (const RowError& error : evaluator.errors()) {
    fuzz::require(error.row < batch.rows && error.row > before, "errors are not in row order");
    before = error.row;
    fuzz::require(values[error.row] == "null", "a row with an error has a value");
    values[error.row] = fmt::format("error {} {}", error_name(error.code), error.message);
  }
  return values;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzInput input(data, size);
  const std::string_view text = input.until('\0');
  const auto compiled = Expression::compile(text, schema());
  if (!compiled.ok()) {
    fuzz::require(!compiled.error().message().empty(), "a refusal without a sentence");
    return 0;
  }
  BatchStaging all(schema());
  std::vector<BatchStaging> alone;
  const std::size_t rows = 1 + input.choice(9);
  for (std::size_t row = 0; row < rows; ++row) {
    fuzz::FuzzInput again = input;
    append_row(all, input);
    append_row(alone.emplace_back(schema()), again);
  }
  Evaluator evaluator(*compiled);
  const auto together = evaluate(evaluator, all.view(), compiled->type());
  for (std::size_t row = 0; row < rows; ++row) {
    const auto single = evaluate(evaluator, alone[row].view(), compiled->type());
    fuzz::require(single.size() == 1 && single[0] == together[row],
                  fmt::format("row {}: alone {}, in the batch {}", row, single[0], together[row]));
  }
  return 0;
}
