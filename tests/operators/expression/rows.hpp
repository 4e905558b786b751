#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operators/expression/expression.hpp"
#include "runtime/data/column_builder.hpp"

namespace sluice::test {

// One batch of rows written by hand, whose values are given as text ("null" is null), and what expressions
// make of it, as text too: tables of cases stay readable.
class Rows {
 public:
  explicit Rows(std::vector<Field> fields) : staging_(Schema(std::move(fields))) {}

  Rows& add(const std::vector<std::string>& values);
  const Schema& schema() const { return staging_.schema(); }
  Batch view() { return staging_.view(); }

 private:
  BatchStaging staging_;
};

// A value as text: 7, 2.5, true, 'text', 2015-05-17T10:00:00Z, json as it is, null.
std::string shown(const Column& column, std::size_t row);

// The value of each row, or "error: code: message" for a row that failed; "refused: …" alone if the
// expression does not compile.
std::vector<std::string> evaluate(std::string_view expression, Rows& rows);

// Of an expression without columns.
std::string evaluate(std::string_view expression);

// The first line of the message if the expression is refused, "" if it compiles.
std::string refusal(std::string_view expression, const Schema& schema = Schema());

}  // namespace sluice::test
