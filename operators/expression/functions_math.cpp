#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "operators/expression/functions.hpp"
#include "operators/expression/kernels.hpp"
#include "operators/expression/number_text.hpp"

namespace sluice::expression {
namespace {

template <typename Out, typename In, auto F>
void map(KernelCall& call) {
  const Argument<In> a(call.args[0]);
  Out* out = call.out<Out>();
  call.rows.each([&](std::uint32_t row) { out[row] = F(a[row]); });
}

double float_abs(double v) { return std::fabs(v); }
double float_floor(double v) { return std::floor(v); }
double float_ceil(double v) { return std::ceil(v); }
double float_round(double v) { return std::round(v); }
double float_exp(double v) { return std::exp(v); }
std::int64_t int_same(std::int64_t v) { return v; }

void int_abs(KernelCall& call) {
  const Argument<std::int64_t> a(call.args[0]);
  auto* out = call.out<std::int64_t>();
  call.each_valid([&](std::uint32_t row) {
    const std::int64_t v = a[row];
    if (v == INT64_MIN) [[unlikely]] {
      call.fail(row, ErrorCode::integer_overflow, fmt::format("abs({}) does not fit into an int64", v));
    } else {
      out[row] = v < 0 ? -v : v;
    }
  });
}

// Rounds to a power of ten left of the point, halves away from zero.
bool round_int(std::int64_t v, std::int64_t digits, std::int64_t& out) {
  out = v;
  if (digits >= 0) return true;
  out = 0;
  if (digits < -19) return true;
  unsigned __int128 power = 1;
  for (std::int64_t i = digits; i < 0; ++i) power *= 10;
  const auto magnitude = static_cast<unsigned __int128>(v < 0 ? -static_cast<__int128>(v) : v);
  const auto rounded = static_cast<__int128>((magnitude + power / 2) / power * power);
  return !__builtin_add_overflow(v < 0 ? -rounded : rounded, 0, &out);
}

void int_round_digits(KernelCall& call) {
  const Argument<std::int64_t> a(call.args[0]);
  const Argument<std::int64_t> digits(call.args[1]);
  auto* out = call.out<std::int64_t>();
  call.each_valid([&](std::uint32_t row) {
    if (!round_int(a[row], digits[row], out[row])) {
      call.fail(row, ErrorCode::integer_overflow,
                fmt::format("round({}, {}) does not fit into an int64", a[row], digits[row]));
    }
  });
}

void float_round_digits(KernelCall& call) {
  const Argument<double> a(call.args[0]);
  const Argument<std::int64_t> digits(call.args[1]);
  auto* out = call.out<double>();
  call.each_valid([&](std::uint32_t row) { out[row] = round_decimal(a[row], digits[row]); });
}

void float_sqrt(KernelCall& call) {
  const Argument<double> a(call.args[0]);
  auto* out = call.out<double>();
  call.each_valid([&](std::uint32_t row) {
    out[row] = std::sqrt(a[row]);
    if (a[row] < 0)
      call.fail(row, ErrorCode::bad_argument, fmt::format("sqrt({}): the number is negative", a[row]));
  });
}

void float_ln(KernelCall& call) {
  const Argument<double> a(call.args[0]);
  auto* out = call.out<double>();
  call.each_valid([&](std::uint32_t row) {
    out[row] = std::log(a[row]);
    if (a[row] <= 0)
      call.fail(row, ErrorCode::bad_argument, fmt::format("ln({}): the number is not positive", a[row]));
  });
}

void float_power(KernelCall& call) {
  const Argument<double> a(call.args[0]);
  const Argument<double> b(call.args[1]);
  auto* out = call.out<double>();
  call.each_valid([&](std::uint32_t row) {
    const double base = a[row];
    const double exponent = b[row];
    out[row] = std::pow(base, exponent);
    if (base == 0 && exponent < 0) {
      call.fail(row, ErrorCode::bad_argument,
                fmt::format("power({}, {}): zero has no negative power", base, exponent));
    } else if (base < 0 && std::isfinite(exponent) && std::trunc(exponent) != exponent &&
               std::isfinite(base)) {
      call.fail(row, ErrorCode::bad_argument,
                fmt::format("power({}, {}): a negative number has no fractional power", base, exponent));
    }
  });
}

template <typename T, bool Greatest>
void extreme(KernelCall& call) {
  const Vector& a = call.args[0];
  const Vector& b = call.args[1];
  const Argument<T> x(a);
  const Argument<T> y(b);
  T* out = call.out<T>();
  call.rows.each([&](std::uint32_t row) {
    const bool a_null = a.is_null(row);
    const bool b_null = b.is_null(row);
    if (a_null && b_null) return call.set_null(row);
    if (a_null || b_null) {
      out[row] = a_null ? y[row] : x[row];
      return;
    }
    bool less = false;  // the second is less than the first
    if constexpr (std::is_same_v<T, double>) {
      less = float_less(y[row], x[row]);
    } else {
      less = y[row] < x[row];
    }
    bool equal = false;
    if constexpr (std::is_same_v<T, double>) {
      equal = float_equal(x[row], y[row]);
    } else {
      equal = x[row] == y[row];
    }
    out[row] = less == Greatest || equal ? x[row] : y[row];
  });
}

template <typename T>
void null_if(KernelCall& call) {
  const Vector& a = call.args[0];
  const Vector& b = call.args[1];
  const Argument<T> x(a);
  const Argument<T> y(b);
  T* out = call.out<T>();
  call.rows.each([&](std::uint32_t row) {
    if (a.is_null(row)) return call.set_null(row);
    out[row] = x[row];
    if (b.is_null(row)) return;
    bool equal = false;
    if constexpr (std::is_same_v<T, double>) {
      equal = float_equal(x[row], y[row]);
    } else {
      equal = x[row] == y[row];
    }
    if (equal) call.set_null(row);
  });
}

}  // namespace

Kernel extreme_kernel(Type type, bool greatest) {
  switch (physical(type)) {
    case Physical::int64:
      return greatest ? extreme<std::int64_t, true> : extreme<std::int64_t, false>;
    case Physical::float64:
      return greatest ? extreme<double, true> : extreme<double, false>;
    case Physical::bits:
      return greatest ? extreme<std::uint8_t, true> : extreme<std::uint8_t, false>;
    case Physical::bytes:
      return greatest ? extreme<std::string_view, true> : extreme<std::string_view, false>;
  }
  return nullptr;
}

Kernel nullif_kernel(Type type) {
  switch (physical(type)) {
    case Physical::int64:
      return null_if<std::int64_t>;
    case Physical::float64:
      return null_if<double>;
    case Physical::bits:
      return null_if<std::uint8_t>;
    case Physical::bytes:
      return null_if<std::string_view>;
  }
  return nullptr;
}

void add_math_functions(Overloads& all) {
  using enum Type;
  all.push_back({"abs", {int64}, int64, int_abs});
  all.push_back({"abs", {float64}, float64, map<double, double, float_abs>});
  all.push_back({"floor", {int64}, int64, map<std::int64_t, std::int64_t, int_same>});
  all.push_back({"floor", {float64}, float64, map<double, double, float_floor>});
  all.push_back({"ceil", {int64}, int64, map<std::int64_t, std::int64_t, int_same>});
  all.push_back({"ceil", {float64}, float64, map<double, double, float_ceil>});
  all.push_back({"round", {int64}, int64, map<std::int64_t, std::int64_t, int_same>});
  all.push_back({"round", {float64}, float64, map<double, double, float_round>});
  all.push_back({"round", {int64, int64}, int64, int_round_digits});
  all.push_back({"round", {float64, int64}, float64, float_round_digits});
  all.push_back({"sqrt", {float64}, float64, float_sqrt});
  all.push_back({"ln", {float64}, float64, float_ln});
  all.push_back({"exp", {float64}, float64, map<double, double, float_exp>});
  all.push_back({"power", {float64, float64}, float64, float_power});
}

}  // namespace sluice::expression
