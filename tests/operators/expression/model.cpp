#include "tests/operators/expression/model.hpp"

#include <fmt/format.h>

#include "tests/operators/expression/model_generator.hpp"
#include "tests/operators/expression/model_rows.hpp"
#include "tests/operators/expression/model_values.hpp"

namespace sluice::test {
namespace {

int first_column(Type type) {
  switch (type) {
    case Type::int64:
      return 0;
    case Type::float64:
      return 2;
    case Type::boolean:
      return 4;
    case Type::string:
      return 6;
    default:
      return 8;
  }
}

}  // namespace

Expr ExpressionGenerator::any(Type type, int depth) {
  if (depth <= 0 || chance(15)) return leaf(type);
  if (chance(20)) return lazy(type, depth - 1);
  switch (type) {
    case Type::int64:
      return integer(depth - 1);
    case Type::float64:
      return real(depth - 1);
    case Type::boolean:
      return truth(depth - 1);
    case Type::string:
      return text(depth - 1);
    default:
      return time(depth - 1);
  }
}

Expr ExpressionGenerator::leaf(Type type) {
  if (chance(70)) {
    const std::size_t column = static_cast<std::size_t>(first_column(type)) + below(2);
    return {model_schema().field(column).name, [column](const Row& row) { return row[column]; }};
  }
  if (chance(15))
    return {fmt::format("cast(null as {})", type_name(type)), [](const Row&) { return Value(); }};
  Value value;
  std::string text;
  switch (type) {
    case Type::int64:
      value = of_int(pick(kIntegers, random_));
      text = fmt::format("({})", value.integer);
      break;
    case Type::float64:
      value = of_real(pick(kReals, random_));
      text = fmt::format("cast({} as float64)", value.real);
      break;
    case Type::boolean:
      value = of_bool(chance(50));
      text = value.truth ? "true" : "false";
      break;
    case Type::string:
      value = of_text(pick(kTexts, random_));
      text = fmt::format("'{}'", value.text);
      break;
    default:
      value = of_int(static_cast<std::int64_t>(below(2'000'000'000'000)) * 1000);
      text = fmt::format("from_epoch_ms({})", value.integer / 1000);
  }
  return {text, [value](const Row&) { return value; }};
}

// What every type has.
Expr ExpressionGenerator::lazy(Type type, int depth) {
  switch (below(5)) {
    case 0:
      return coalesce(type, depth);
    case 1:
      return searched_case(type, depth);
    case 2:
      return simple_case(type, depth);
    case 3:
      return null_if(type, depth);
    default:
      return extreme(type, depth, chance(50));
  }
}

Expr ExpressionGenerator::coalesce(Type type, int depth) {
  const Expr a = any(type, depth), b = any(type, depth), c = any(type, depth);
  return {fmt::format("coalesce({}, {}, {})", a.text, b.text, c.text), [=](const Row& row) {
            Value v = a.value(row);
            if (v.null) v = b.value(row);
            return v.null ? c.value(row) : v;
          }};
}

Expr ExpressionGenerator::searched_case(Type type, int depth) {
  const Expr when = any(Type::boolean, depth), then = any(type, depth), when2 = any(Type::boolean, depth),
             then2 = any(type, depth), otherwise = any(type, depth);
  const bool has_else = chance(60);
  return {fmt::format("case when {} then {} when {} then {} {} {} end", when.text, then.text, when2.text,
                      then2.text, has_else ? "else" : "", has_else ? otherwise.text : ""),
          [=](const Row& row) {
            if (const Value v = when.value(row); !v.null && v.truth) return then.value(row);
            if (const Value v = when2.value(row); !v.null && v.truth) return then2.value(row);
            return has_else ? otherwise.value(row) : Value();
          }};
}

Expr ExpressionGenerator::simple_case(Type type, int depth) {
  const Type subject_type = any_type();
  const Expr subject = any(subject_type, depth), when = any(subject_type, depth), then = any(type, depth),
             otherwise = any(type, depth);
  return {
      fmt::format("case {} when {} then {} else {} end", subject.text, when.text, then.text, otherwise.text),
      [=](const Row& row) {
        const Value s = subject.value(row);
        const Value w = when.value(row);
        const bool equal = !s.null && !w.null && order(s, w, subject_type) == 0;
        return equal ? then.value(row) : otherwise.value(row);
      }};
}

Expr ExpressionGenerator::null_if(Type type, int depth) {
  const Expr a = any(type, depth), b = any(type, depth);
  return {fmt::format("nullif({}, {})", a.text, b.text), [=](const Row& row) {
            const Value x = a.value(row);
            const Value y = b.value(row);
            return !x.null && !y.null && order(x, y, type) == 0 ? Value() : x;
          }};
}

Expr ExpressionGenerator::extreme(Type type, int depth, bool greatest) {
  const Expr a = any(type, depth), b = any(type, depth);
  return {fmt::format("{}({}, {})", greatest ? "greatest" : "least", a.text, b.text), [=](const Row& row) {
            const Value x = a.value(row);
            const Value y = b.value(row);
            if (x.null) return y;
            if (y.null) return x;
            const int o = order(x, y, type);
            return (greatest ? o >= 0 : o <= 0) ? x : y;
          }};
}

Type ExpressionGenerator::any_type() {
  const Type types[] = {Type::int64, Type::float64, Type::boolean, Type::string, Type::timestamp};
  return types[below(5)];
}

ModelExpression random_expression(Type type, int depth, std::mt19937_64& random) {
  return ExpressionGenerator(random).any(type, depth);
}

}  // namespace sluice::test
