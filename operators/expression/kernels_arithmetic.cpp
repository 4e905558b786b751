#include <fmt/format.h>

#include <cmath>

#include "operators/expression/kernels.hpp"

namespace sluice::expression {
namespace {

// Each integer operator comes twice: `wrapped` computes a whole column and collects in the sign bit of
// `overflow` whether any row went wrong, free of branches; `checked` finds the rows afterwards, which is
// rare.
struct Add {
  static constexpr char kSymbol = '+';
  static std::int64_t wrapped(std::int64_t a, std::int64_t b, std::uint64_t& overflow) {
    const std::uint64_t x = static_cast<std::uint64_t>(a);
    const std::uint64_t y = static_cast<std::uint64_t>(b);
    const std::uint64_t r = x + y;
    overflow |= (x ^ r) & (y ^ r);
    return static_cast<std::int64_t>(r);
  }
  static bool checked(std::int64_t a, std::int64_t b, std::int64_t& r) {
    return !__builtin_add_overflow(a, b, &r);
  }
  static double of(double a, double b) { return a + b; }
};

struct Subtract {
  static constexpr char kSymbol = '-';
  static std::int64_t wrapped(std::int64_t a, std::int64_t b, std::uint64_t& overflow) {
    const std::uint64_t x = static_cast<std::uint64_t>(a);
    const std::uint64_t y = static_cast<std::uint64_t>(b);
    const std::uint64_t r = x - y;
    overflow |= (x ^ y) & (x ^ r);
    return static_cast<std::int64_t>(r);
  }
  static bool checked(std::int64_t a, std::int64_t b, std::int64_t& r) {
    return !__builtin_sub_overflow(a, b, &r);
  }
  static double of(double a, double b) { return a - b; }
};

struct Multiply {
  static constexpr char kSymbol = '*';
  static std::int64_t wrapped(std::int64_t a, std::int64_t b, std::uint64_t& overflow) {
    std::int64_t r = 0;
    overflow |= static_cast<std::uint64_t>(__builtin_mul_overflow(a, b, &r)) << 63;
    return r;
  }
  static bool checked(std::int64_t a, std::int64_t b, std::int64_t& r) {
    return !__builtin_mul_overflow(a, b, &r);
  }
  static double of(double a, double b) { return a * b; }
};

void fail_overflow(KernelCall& call, std::uint32_t row, std::int64_t a, char symbol, std::int64_t b) {
  call.fail(row, ErrorCode::integer_overflow,
            fmt::format("{} {} {} does not fit into an int64", a, symbol, b));
}

template <typename Op>
void find_overflow(KernelCall& call) {
  const Argument<std::int64_t> a(call.args[0]);
  const Argument<std::int64_t> b(call.args[1]);
  call.each_valid([&](std::uint32_t row) {
    std::int64_t ignored = 0;
    if (!Op::checked(a[row], b[row], ignored)) fail_overflow(call, row, a[row], Op::kSymbol, b[row]);
  });
}

template <typename Op>
void integer_arithmetic(KernelCall& call) {
  std::uint64_t overflow = 0;
  map_binary<std::int64_t, std::int64_t, std::int64_t>(
      call, [&overflow](std::int64_t a, std::int64_t b) { return Op::wrapped(a, b, overflow); });
  if ((overflow >> 63) != 0) find_overflow<Op>(call);
}

template <typename Op>
void float_arithmetic(KernelCall& call) {
  map_binary<double, double, double>(call, [](double a, double b) { return Op::of(a, b); });
}

template <bool Modulo>
void integer_division(KernelCall& call) {
  const Argument<std::int64_t> a(call.args[0]);
  const Argument<std::int64_t> b(call.args[1]);
  auto* out = call.out<std::int64_t>();
  call.each_valid([&](std::uint32_t row) {
    const std::int64_t divisor = b[row];
    if (divisor == 0) [[unlikely]] {
      call.fail(row, ErrorCode::division_by_zero, fmt::format("{} {} 0", a[row], Modulo ? '%' : '/'));
    } else if (divisor == -1) [[unlikely]] {  // the machine traps on the smallest integer / -1
      if (Modulo) {
        out[row] = 0;
      } else if (__builtin_sub_overflow(std::int64_t{0}, a[row], &out[row])) {
        fail_overflow(call, row, a[row], '/', divisor);
      }
    } else {
      out[row] = Modulo ? a[row] % divisor : a[row] / divisor;
    }
  });
}

template <bool Modulo>
void float_division(KernelCall& call) {
  const Argument<double> a(call.args[0]);
  const Argument<double> b(call.args[1]);
  bool zero = false;
  map_binary<double, double, double>(call, [&zero](double x, double y) {
    zero |= y == 0;
    return Modulo ? std::fmod(x, y) : x / y;
  });
  if (!zero) return;
  call.each_valid([&](std::uint32_t row) {
    if (b[row] == 0)
      call.fail(row, ErrorCode::division_by_zero, fmt::format("{} {} 0", a[row], Modulo ? '%' : '/'));
  });
}

void negate_integer(KernelCall& call) {
  const Argument<std::int64_t> a(call.args[0]);
  auto* out = call.out<std::int64_t>();
  call.each_valid([&](std::uint32_t row) {
    if (__builtin_sub_overflow(std::int64_t{0}, a[row], &out[row])) [[unlikely]] {
      call.fail(row, ErrorCode::integer_overflow, fmt::format("-({}) does not fit into an int64", a[row]));
    }
  });
}

void negate_float(KernelCall& call) {
  const Argument<double> a(call.args[0]);
  auto* out = call.out<double>();
  call.rows.each([&](std::uint32_t row) { out[row] = -a[row]; });
}

}  // namespace

Kernel arithmetic_kernel(Link link, Type type) {
  const bool integers = type == Type::int64;
  if (!integers && type != Type::float64) return nullptr;
  switch (link) {
    case Link::add:
      return integers ? integer_arithmetic<Add> : float_arithmetic<Add>;
    case Link::subtract:
      return integers ? integer_arithmetic<Subtract> : float_arithmetic<Subtract>;
    case Link::multiply:
      return integers ? integer_arithmetic<Multiply> : float_arithmetic<Multiply>;
    case Link::divide:
      return integers ? integer_division<false> : float_division<false>;
    case Link::modulo:
      return integers ? integer_division<true> : float_division<true>;
    default:
      return nullptr;
  }
}

Kernel negation_kernel(Type type) {
  if (type == Type::int64) return negate_integer;
  if (type == Type::float64) return negate_float;
  return nullptr;
}

}  // namespace sluice::expression
