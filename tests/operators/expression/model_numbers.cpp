#include "tests/operators/expression/model_generator.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tests/operators/expression/model_values.hpp"

namespace sluice::test {

Expr ExpressionGenerator::integer(int depth) {
  const Expr a = any(Type::int64, depth);
  const Expr b = any(Type::int64, depth);
  switch (below(9)) {
    case 0:
      return {fmt::format("(-({}))", a.text),
              strict(a, [](const Value& x) { return of_int(narrow(-static_cast<Wide>(x.integer))); })};
    case 1:
      return {fmt::format("abs({})", a.text), strict(a, [](const Value& x) {
                const Wide wide = x.integer;
                return of_int(narrow(wide < 0 ? -wide : wide));
              })};
    case 2: {
      const Expr t = any(Type::string, depth);
      const bool lenient = chance(50);
      return {fmt::format("{}({} as int64)", lenient ? "try_cast" : "cast", t.text),
              strict(t, [=](const Value& x) {
                const auto value = text_as_int(x.text);
                if (!value && !lenient) throw RowFault{ErrorCode::cast_failed};
                return value ? of_int(*value) : Value();
              })};
    }
    case 3: {
      const Expr t = any(Type::string, depth);
      return {fmt::format("length({})", t.text), strict(t, [](const Value& x) {
                return of_int(static_cast<std::int64_t>(code_points(x.text).size()) - 1);
              })};
    }
    case 4: {
      const Expr f = any(Type::float64, depth);
      return {fmt::format("cast({} as int64)", f.text), strict(f, [](const Value& x) {
                const double away = x.real < 0 ? std::ceil(x.real - 0.5) : std::floor(x.real + 0.5);
                const double rounded = std::fabs(x.real) < 4503599627370496.0 ? away : x.real;
                if (!(std::fabs(x.real) < 9223372036854775808.0) && x.real != -9223372036854775808.0)
                  throw RowFault{ErrorCode::cast_failed};
                return of_int(static_cast<std::int64_t>(rounded));
              })};
    }
    case 5: {
      const Expr u = any(Type::timestamp, depth);
      return {
          fmt::format("epoch_ms({})", u.text), strict(u, [](const Value& x) {
            return of_int(static_cast<std::int64_t>(std::floor(static_cast<long double>(x.integer) / 1000)));
          })};
    }
    default: {
      const char symbol = "+-*/%"[below(5)];
      return {fmt::format("({} {} {})", a.text, symbol, b.text),
              strict(a, b, [=](const Value& x, const Value& y) {
                return of_int(integer_operation(symbol, x.integer, y.integer));
              })};
    }
  }
}

Expr ExpressionGenerator::real(int depth) {
  const Expr a = any(Type::float64, depth);
  const char symbol = "+-*/%"[below(5)];
  switch (below(4)) {
    case 0: {
      const Expr i = any(Type::int64, depth);
      const bool swapped = chance(50);
      return {fmt::format("({} {} {})", swapped ? i.text : a.text, symbol, swapped ? a.text : i.text),
              [=](const Row& row) {
                Value x = swapped ? i.value(row) : a.value(row);
                Value y = swapped ? a.value(row) : i.value(row);
                if (x.null || y.null) return Value();
                (swapped ? x : y).real = static_cast<double>((swapped ? x : y).integer);
                return of_real(real_operation(symbol, x.real, y.real));
              }};
    }
    case 1:
      return {fmt::format("sqrt({})", a.text), strict(a, [](const Value& x) {
                if (x.real < 0) throw RowFault{ErrorCode::bad_argument};
                return of_real(std::sqrt(x.real));
              })};
    case 2:
      return {fmt::format("floor({})", a.text),
              strict(a, [](const Value& x) { return of_real(std::floor(x.real)); })};
    default: {
      const Expr b = any(Type::float64, depth);
      return {fmt::format("({} {} {})", a.text, symbol, b.text),
              strict(a, b, [=](const Value& x, const Value& y) {
                return of_real(real_operation(symbol, x.real, y.real));
              })};
    }
  }
}

Expr ExpressionGenerator::time(int depth) {
  if (chance(50)) {
    const Expr i = any(Type::int64, depth);
    return {fmt::format("from_epoch_ms({})", i.text),
            strict(i, [](const Value& x) { return of_int(narrow(static_cast<Wide>(x.integer) * 1000)); })};
  }
  const Expr u = any(Type::timestamp, depth);
  return {fmt::format("time_bucket('7s', {})", u.text), strict(u, [](const Value& x) {
            const Wide width = 7'000'000;
            Wide past = x.integer % width;
            if (past < 0) past += width;
            return of_int(narrow(x.integer - past));
          })};
}

}  // namespace sluice::test
