#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "tests/operators/expression/model.hpp"

namespace sluice::test {

using Row = std::vector<Value>;
using Expr = ModelExpression;
using Eval = std::function<Value(const Row&)>;

// Makes random expressions, each as text and as what it gives. A file for what gives numbers and times,
// truth, text; what every type has (leaves, case, coalesce, …) stands in model.cpp.
class ExpressionGenerator {
 public:
  explicit ExpressionGenerator(std::mt19937_64& random) : random_(random) {}

  Expr any(Type type, int depth);

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool chance(std::uint64_t percent) { return below(100) < percent; }
  Type any_type();

  Expr leaf(Type type);
  // What every type has.
  Expr lazy(Type type, int depth);
  Expr coalesce(Type type, int depth);
  Expr searched_case(Type type, int depth);
  Expr simple_case(Type type, int depth);
  Expr null_if(Type type, int depth);
  Expr extreme(Type type, int depth, bool greatest);

  Expr integer(int depth);
  Expr real(int depth);
  Expr time(int depth);

  Expr truth(int depth);
  Expr comparison(int depth);
  Expr junction(int depth, bool conjunction);
  Expr in_list(int depth);
  Expr between(int depth);

  Expr text(int depth);

  // f(x, y) where neither is null.
  template <typename F>
  static Eval strict(const Expr& a, const Expr& b, F f) {
    return [=](const Row& row) {
      const Value x = a.value(row);
      const Value y = b.value(row);
      return x.null || y.null ? Value() : f(x, y);
    };
  }
  template <typename F>
  static Eval strict(const Expr& a, F f) {
    return [=](const Row& row) {
      const Value x = a.value(row);
      return x.null ? Value() : f(x);
    };
  }

  std::mt19937_64& random_;
};

}  // namespace sluice::test
