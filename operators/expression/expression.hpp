#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/data/batch.hpp"

namespace sluice {

// A record's own fault, found while a row was evaluated.
struct RowError {
  std::uint32_t row = 0;
  ErrorCode code = ErrorCode::cast_failed;
  std::string message;
};

// A parsed and type-checked expression: immutable, shared by all tasks. SQL semantics: three-valued logic,
// checked integer arithmetic, errors only for rows that a branch of `case`, `and`, `or` or `coalesce` really
// reaches.
class Expression {
 public:
  // On failure the error's message is one sentence followed by two lines: the expression, and a caret under
  // the place.
  static Result<Expression> compile(std::string_view text, const Schema& input);

  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  Type type() const;
  const std::string& text() const;
  // The column's index if the expression is nothing but a column.
  std::optional<std::size_t> as_column() const;

 private:
  friend class Evaluator;
  struct Compiled;
  explicit Expression(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

// One task's evaluation state of one expression: scratch memory that is reused from batch to batch. One
// thread.
class Evaluator {
 public:
  // `expression` must outlive it.
  explicit Evaluator(const Expression& expression);
  Evaluator(Evaluator&&) noexcept;
  ~Evaluator();

  // Evaluates all rows of `batch` (whose schema is the one compiled against). The column is valid until the
  // next call and as long as the batch is. Rows with an error are null in it and are listed, in row order, at
  // most one each, in errors().
  Column evaluate(const Batch& batch);
  const std::vector<RowError>& errors() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice
