#pragma once

#include <cmath>
#include <cstdint>

#include "operators/expression/ast.hpp"
#include "operators/expression/kernel_call.hpp"

namespace sluice::expression {

// Kernels by operator and type. All are strict unless their comment says otherwise; nullptr where the types
// have none.

// add … modulo, for int64 and float64. Integers: results that do not fit, and division by zero, fail the row;
// division cuts towards zero and the remainder has the dividend's sign, as in PostgreSQL. Floats: IEEE 754,
// but division by zero fails the row.
Kernel arithmetic_kernel(Link link, Type type);
Kernel negation_kernel(Type type);

// equal … greater_equal → bool. Text by bytes, which is code point order; false < true. NaN equals NaN and is
// greater than every other number, as in PostgreSQL, so that order is total.
Kernel comparison_kernel(Link link, Physical physical);

Kernel not_kernel();
// Two bools; not strict: three-valued.
Kernel and_kernel();
Kernel or_kernel();
// Not strict: never null.
Kernel is_null_kernel(bool negated);

// lenient: null where the value cannot be cast. Rules: README.md.
Kernel cast_kernel(Type from, Type to, bool lenient);

// The total order of comparison_kernel.
inline bool float_equal(double a, double b) { return (a == b) | ((a != a) & (b != b)); }
inline bool float_less(double a, double b) { return (a < b) | ((b != b) & (a == a)); }

// out[row] = f(a[row], b[row]) for all rows, written as three loops so that the compiler vectorises each.
template <typename Out, typename A, typename B, typename F>
inline void dense_binary(const Vector& a, const Vector& b, std::uint32_t rows, Out* __restrict out, F f) {
  const A* __restrict x = a.values<A>();
  const B* __restrict y = b.values<B>();
  if (b.constant) {
    const B right = y[0];
    const std::size_t mask = a.mask();
    if (a.constant) {
      for (std::uint32_t i = 0; i < rows; ++i) out[i] = f(x[i & mask], right);
    } else {
      for (std::uint32_t i = 0; i < rows; ++i) out[i] = f(x[i], right);
    }
  } else if (a.constant) {
    const A left = x[0];
    for (std::uint32_t i = 0; i < rows; ++i) out[i] = f(left, y[i]);
  } else {
    for (std::uint32_t i = 0; i < rows; ++i) out[i] = f(x[i], y[i]);
  }
}

template <typename Out, typename A, typename B, typename F>
inline void map_binary(KernelCall& call, F f) {
  const Vector& a = call.args[0];
  const Vector& b = call.args[1];
  Out* out = call.out<Out>();
  if (call.rows.all()) return dense_binary<Out, A, B>(a, b, call.rows.count, out, f);
  const Argument<A> x(a);
  const Argument<B> y(b);
  call.rows.each([&](std::uint32_t row) { out[row] = f(x[row], y[row]); });
}

}  // namespace sluice::expression
