#include "tests/operators/expression/model_generator.hpp"

#include <fmt/format.h>

#include "tests/operators/expression/model_rows.hpp"
#include "tests/operators/expression/model_values.hpp"

namespace sluice::test {

Expr ExpressionGenerator::text(int depth) {
  const Expr a = any(Type::string, depth);
  switch (below(6)) {
    case 0: {
      const Expr b = any(Type::string, depth);
      return {fmt::format("({} || {})", a.text, b.text),
              strict(a, b, [](const Value& x, const Value& y) { return of_text(x.text + y.text); })};
    }
    case 1: {
      const Expr i = any(Type::int64, depth);
      return {fmt::format("concat({}, {})", a.text, i.text), [=](const Row& row) {
                const Value x = a.value(row);
                const Value y = i.value(row);
                return of_text((x.null ? "" : x.text) + (y.null ? "" : fmt::format("{}", y.integer)));
              }};
    }
    case 2: {
      const Expr i = any(Type::int64, depth), n = any(Type::int64, depth);
      return {fmt::format("substr({}, {}, {})", a.text, i.text, n.text), [=](const Row& row) {
                const Value x = a.value(row);
                const Value start = i.value(row);
                const Value count = n.value(row);
                if (x.null || start.null || count.null) return Value();
                if (count.integer < 0) throw RowFault{ErrorCode::bad_argument};
                return of_text(part(x.text, start.integer, count.integer));
              }};
    }
    case 3:
      return {fmt::format("upper({})", a.text), strict(a, [](const Value& x) {
                std::string upper = x.text;
                for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
                return of_text(upper);
              })};
    case 4: {
      const Expr i = any(Type::int64, depth);
      return {fmt::format("cast({} as string)", i.text),
              strict(i, [](const Value& x) { return of_text(fmt::format("{}", x.integer)); })};
    }
    default: {
      const std::string from = pick(kTexts, random_), to = pick(kTexts, random_);
      return {fmt::format("replace({}, '{}', '{}')", a.text, from, to), strict(a, [=](const Value& x) {
                std::string out;
                for (std::size_t k = 0; k < x.text.size();) {
                  const bool here = !from.empty() && x.text.compare(k, from.size(), from) == 0;
                  out += here ? to : x.text.substr(k, 1);
                  k += here ? from.size() : 1;
                }
                return of_text(out);
              })};
    }
  }
}

}  // namespace sluice::test
