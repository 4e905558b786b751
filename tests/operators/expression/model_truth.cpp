#include "tests/operators/expression/model_generator.hpp"

#include <fmt/format.h>

#include "tests/operators/expression/model_values.hpp"

namespace sluice::test {

Expr ExpressionGenerator::truth(int depth) {
  switch (below(8)) {
    case 0:
      return junction(depth, true);
    case 1:
      return junction(depth, false);
    case 2: {
      const Expr a = any(Type::boolean, depth);
      return {fmt::format("(not {})", a.text), strict(a, [](const Value& x) { return of_bool(!x.truth); })};
    }
    case 3: {
      const Expr a = any(any_type(), depth);
      const bool negated = chance(50);
      return {fmt::format("({} is {} null)", a.text, negated ? "not" : ""),
              [=](const Row& row) { return of_bool(a.value(row).null != negated); }};
    }
    case 4:
      return in_list(depth);
    case 5:
      return between(depth);
    case 6: {
      const Expr a = any(Type::string, depth), b = any(Type::string, depth);
      return {fmt::format("contains({}, {})", a.text, b.text),
              strict(a, b, [](const Value& x, const Value& y) {
                return of_bool(x.text.find(y.text) != std::string::npos);
              })};
    }
    default:
      return comparison(depth);
  }
}

Expr ExpressionGenerator::comparison(int depth) {
  const Type type = any_type();
  const Expr a = any(type, depth), b = any(type, depth);
  const char* const symbols[] = {"=", "<>", "<", "<=", ">", ">="};
  const std::uint64_t which = below(6);
  return {fmt::format("({} {} {})", a.text, symbols[which], b.text),
          strict(a, b, [=](const Value& x, const Value& y) {
            const int o = order(x, y, type);
            const bool results[] = {o == 0, o != 0, o<0, o <= 0, o> 0, o >= 0};
            return of_bool(results[which]);
          })};
}

Expr ExpressionGenerator::junction(int depth, bool conjunction) {
  std::vector<Expr> parts;
  std::string text;
  for (std::uint64_t i = 0; i < 2 + below(3); ++i) {
    parts.push_back(any(Type::boolean, depth));
    text += (i == 0 ? "" : conjunction ? " and " : " or ") + parts.back().text;
  }
  return {'(' + text + ')', [=](const Row& row) {
            bool any_null = false;
            for (const Expr& p : parts) {
              const Value v = p.value(row);
              if (!v.null && v.truth != conjunction) return of_bool(!conjunction);
              any_null = any_null || v.null;
            }
            return any_null ? Value() : of_bool(conjunction);
          }};
}

Expr ExpressionGenerator::in_list(int depth) {
  const Type type = any_type();
  const Expr a = any(type, depth);
  std::vector<Expr> list;
  std::string text;
  const bool constants = chance(50);
  for (std::uint64_t i = 0; i < 1 + below(12); ++i) {
    list.push_back(any(type, constants ? 0 : depth - 1));
    text += (i == 0 ? "" : ", ") + list.back().text;
  }
  const bool negated = chance(40);
  return {fmt::format("({} {} ({}))", a.text, negated ? "not in" : "in", text), [=](const Row& row) {
            const Value x = a.value(row);
            bool found = false;
            bool any_null = x.null;
            for (const Expr& e : list) {
              const Value y = e.value(row);
              any_null = any_null || y.null;
              found = found || (!x.null && !y.null && order(x, y, type) == 0);
            }
            if (found) return of_bool(!negated);
            return any_null ? Value() : of_bool(negated);
          }};
}

Expr ExpressionGenerator::between(int depth) {
  const Type type = any_type();
  const Expr a = any(type, depth), low = any(type, depth), high = any(type, depth);
  return {fmt::format("({} between {} and {})", a.text, low.text, high.text), [=](const Row& row) {
            const Value x = a.value(row);
            const Value l = low.value(row);
            const Value h = high.value(row);
            const bool too_low = !x.null && !l.null && order(x, l, type) < 0;
            const bool too_high = !x.null && !h.null && order(x, h, type) > 0;
            if (too_low || too_high) return of_bool(false);
            return x.null || l.null || h.null ? Value() : of_bool(true);
          }};
}

}  // namespace sluice::test
