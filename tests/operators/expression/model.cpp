#include "tests/operators/expression/model.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace sluice::test {
namespace {

using Row = std::vector<Value>;
using Expr = ModelExpression;
using Eval = std::function<Value(const Row&)>;

const std::vector<std::int64_t> kIntegers = {
    0, 1, -1, 2, 3, -7, 10, 99, 1000, -250, INT64_MAX, INT64_MIN, 1LL << 62, 4'611'686'018'427'387'904};
const std::vector<double> kReals = {0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 1e10, 3.14159, -0.001, 1e300, 9.3e18};
const std::vector<std::string> kTexts = {
    "",      "a", "A b", "abcabc", "12", " -7 ", "1.5", "caf\xc3\xa9", "\xff\xc3", "9223372036854775808",
    "a,b,c", "%", "b"};
const std::vector<std::int64_t> kTimes = {
    0, -1, 1'431'857'103'250'000, -62'135'596'800'000'000, 999'999, -86'400'000'001};

Value of_int(std::int64_t v) { return {.null = false, .integer = v}; }
Value of_real(double v) { return {.null = false, .real = v}; }
Value of_bool(bool v) { return {.null = false, .truth = v}; }
Value of_text(std::string v) { return {.null = false, .text = std::move(v)}; }

template <typename T>
const T& pick(const std::vector<T>& from, std::mt19937_64& random) {
  return from[random() % from.size()];
}

// -1: less, 0: equal, 1: greater; NaN above all.
int order(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return int{std::isnan(a)} - int{std::isnan(b)};
  return a < b ? -1 : a > b ? 1 : 0;
}
int order(const Value& a, const Value& b, Type type) {
  switch (type) {
    case Type::float64:
      return order(a.real, b.real);
    case Type::boolean:
      return int{a.truth} - int{b.truth};
    case Type::string:
      return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
    default:
      return a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0;
  }
}

std::int64_t narrow(__int128 wide) {
  if (wide > INT64_MAX || wide < INT64_MIN) throw RowFault{ErrorCode::integer_overflow};
  return static_cast<std::int64_t>(wide);
}

std::int64_t integer_operation(char symbol, std::int64_t a, std::int64_t b) {
  if ((symbol == '/' || symbol == '%') && b == 0) throw RowFault{ErrorCode::division_by_zero};
  const __int128 x = a;
  const __int128 y = b;
  switch (symbol) {
    case '+':
      return narrow(x + y);
    case '-':
      return narrow(x - y);
    case '*':
      return narrow(x * y);
    case '/':
      return narrow(x / y);
    default:
      return narrow(x % y);
  }
}

double real_operation(char symbol, double a, double b) {
  if ((symbol == '/' || symbol == '%') && b == 0) throw RowFault{ErrorCode::division_by_zero};
  switch (symbol) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return std::fmod(a, b);
  }
}

std::optional<std::int64_t> text_as_int(const std::string& text) {
  const auto from = text.find_first_not_of(' ');
  if (from == std::string::npos) return std::nullopt;
  const std::string bare = text.substr(from, text.find_last_not_of(' ') - from + 1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(bare.data(), bare.data() + bare.size(), value);
  if (error != std::errc() || end != bare.data() + bare.size()) return std::nullopt;
  return value;
}

// Offsets at which code points begin, and the end; bad bytes stand alone. Knows the texts above, not all of
// Unicode.
std::vector<std::size_t> code_points(const std::string& text) {
  std::vector<std::size_t> starts;
  std::size_t i = 0;
  while (i < text.size()) {
    starts.push_back(i);
    const bool two = text[i] == '\xc3' && i + 1 < text.size() && (text[i + 1] & 0xc0) == 0x80;
    i += two ? 2 : 1;
  }
  starts.push_back(text.size());
  return starts;
}

std::string part(const std::string& text, std::int64_t start, std::int64_t count) {
  const auto starts = code_points(text);
  const auto length = static_cast<__int128>(starts.size()) - 1;
  const __int128 from = std::min<__int128>(std::max<__int128>(start, 1), length + 1);
  const __int128 stop = std::min<__int128>(static_cast<__int128>(start) + count, length + 1);
  if (stop <= from) return "";
  const auto begin = starts[static_cast<std::size_t>(from - 1)];
  return text.substr(begin, starts[static_cast<std::size_t>(stop - 1)] - begin);
}

class Generator {
 public:
  explicit Generator(std::mt19937_64& random) : random_(random) {}

  Expr any(Type type, int depth) {
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

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool chance(std::uint64_t percent) { return below(100) < percent; }

  static int first_column(Type type) {
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

  Expr leaf(Type type) {
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
  Expr lazy(Type type, int depth) {
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

  Expr coalesce(Type type, int depth) {
    const Expr a = any(type, depth), b = any(type, depth), c = any(type, depth);
    return {fmt::format("coalesce({}, {}, {})", a.text, b.text, c.text), [=](const Row& row) {
              Value v = a.value(row);
              if (v.null) v = b.value(row);
              return v.null ? c.value(row) : v;
            }};
  }

  Expr searched_case(Type type, int depth) {
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

  Expr simple_case(Type type, int depth) {
    const Type subject_type = any_type();
    const Expr subject = any(subject_type, depth), when = any(subject_type, depth), then = any(type, depth),
               otherwise = any(type, depth);
    return {fmt::format("case {} when {} then {} else {} end", subject.text, when.text, then.text,
                        otherwise.text),
            [=](const Row& row) {
              const Value s = subject.value(row);
              const Value w = when.value(row);
              const bool equal = !s.null && !w.null && order(s, w, subject_type) == 0;
              return equal ? then.value(row) : otherwise.value(row);
            }};
  }

  Expr null_if(Type type, int depth) {
    const Expr a = any(type, depth), b = any(type, depth);
    return {fmt::format("nullif({}, {})", a.text, b.text), [=](const Row& row) {
              const Value x = a.value(row);
              const Value y = b.value(row);
              return !x.null && !y.null && order(x, y, type) == 0 ? Value() : x;
            }};
  }

  Expr extreme(Type type, int depth, bool greatest) {
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

  Expr integer(int depth) {
    const Expr a = any(Type::int64, depth);
    const Expr b = any(Type::int64, depth);
    switch (below(9)) {
      case 0:
        return {fmt::format("(-({}))", a.text),
                strict(a, [](const Value& x) { return of_int(narrow(-static_cast<__int128>(x.integer))); })};
      case 1:
        return {fmt::format("abs({})", a.text), strict(a, [](const Value& x) {
                  const __int128 wide = x.integer;
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
        return {fmt::format("epoch_ms({})", u.text), strict(u, [](const Value& x) {
                  return of_int(
                      static_cast<std::int64_t>(std::floor(static_cast<long double>(x.integer) / 1000)));
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

  Expr real(int depth) {
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

  Type any_type() {
    const Type types[] = {Type::int64, Type::float64, Type::boolean, Type::string, Type::timestamp};
    return types[below(5)];
  }

  Expr truth(int depth) {
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

  Expr comparison(int depth) {
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

  Expr junction(int depth, bool conjunction) {
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

  Expr in_list(int depth) {
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

  Expr between(int depth) {
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

  Expr text(int depth) {
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

  Expr time(int depth) {
    if (chance(50)) {
      const Expr i = any(Type::int64, depth);
      return {fmt::format("from_epoch_ms({})", i.text), strict(i, [](const Value& x) {
                return of_int(narrow(static_cast<__int128>(x.integer) * 1000));
              })};
    }
    const Expr u = any(Type::timestamp, depth);
    return {fmt::format("time_bucket('7s', {})", u.text), strict(u, [](const Value& x) {
              const __int128 width = 7'000'000;
              __int128 past = x.integer % width;
              if (past < 0) past += width;
              return of_int(narrow(x.integer - past));
            })};
  }

  std::mt19937_64& random_;
};

}  // namespace

const Schema& model_schema() {
  static const Schema schema({{"i", Type::int64},
                              {"j", Type::int64},
                              {"f", Type::float64},
                              {"g", Type::float64},
                              {"b", Type::boolean},
                              {"c", Type::boolean},
                              {"s", Type::string},
                              {"t", Type::string},
                              {"u", Type::timestamp},
                              {"v", Type::timestamp}});
  return schema;
}

std::vector<Value> random_row(std::mt19937_64& random) {
  std::vector<Value> row;
  for (const Field& field : model_schema().fields()) {
    Value value;
    value.null = random() % 5 == 0;
    switch (field.type) {
      case Type::int64:
        value.integer =
            random() % 3 == 0 ? static_cast<std::int64_t>(random() % 20) : pick(kIntegers, random);
        break;
      case Type::float64:
        value.real = random() % 10 == 0 ? std::nan("") : pick(kReals, random);
        break;
      case Type::boolean:
        value.truth = random() % 2 == 0;
        break;
      case Type::string:
        value.text = pick(kTexts, random);
        break;
      default:
        value.integer = pick(kTimes, random);
    }
    row.push_back(value.null ? Value() : value);
  }
  return row;
}

ModelExpression random_expression(Type type, int depth, std::mt19937_64& random) {
  return Generator(random).any(type, depth);
}

}  // namespace sluice::test
