#include "operators/expression/kernels.hpp"

namespace sluice::expression {
namespace {

struct Equal {
  template <typename T>
  static bool of(const T& a, const T& b) {
    return a == b;
  }
  static bool of(double a, double b) { return float_equal(a, b); }
};
struct Less {
  template <typename T>
  static bool of(const T& a, const T& b) {
    return a < b;
  }
  static bool of(double a, double b) { return float_less(a, b); }
};

// The six operators from two: with the result inverted, with the operands swapped.
template <typename T, typename Op, bool Invert, bool Swap>
void compare(KernelCall& call) {
  map_binary<std::uint8_t, T, T>(call, [](const T& a, const T& b) {
    return static_cast<std::uint8_t>((Swap ? Op::of(b, a) : Op::of(a, b)) != Invert);
  });
}

// Texts are read only where no argument is null: a null's view may point nowhere.
template <typename Op, bool Invert, bool Swap>
void compare_text(KernelCall& call) {
  const Argument<std::string_view> a(call.args[0]);
  const Argument<std::string_view> b(call.args[1]);
  auto* out = call.out<std::uint8_t>();
  call.each_valid([&](std::uint32_t row) {
    out[row] = static_cast<std::uint8_t>((Swap ? Op::of(b[row], a[row]) : Op::of(a[row], b[row])) != Invert);
  });
}

template <typename Op, bool Invert, bool Swap>
Kernel compare_kernel(Physical physical) {
  switch (physical) {
    case Physical::int64:
      return compare<std::int64_t, Op, Invert, Swap>;
    case Physical::float64:
      return compare<double, Op, Invert, Swap>;
    case Physical::bits:
      return compare<std::uint8_t, Op, Invert, Swap>;
    case Physical::bytes:
      return compare_text<Op, Invert, Swap>;
  }
  return nullptr;
}

void logical_not(KernelCall& call) {
  const Argument<std::uint8_t> a(call.args[0]);
  auto* out = call.out<std::uint8_t>();
  call.rows.each([&](std::uint32_t row) { out[row] = a[row] ^ 1; });
}

template <std::uint8_t Absorbing>
void logical_pair(KernelCall& call) {
  const Vector& a = call.args[0];
  const Vector& b = call.args[1];
  auto* out = call.out<std::uint8_t>();
  if (a.valid == nullptr && b.valid == nullptr) {
    map_binary<std::uint8_t, std::uint8_t, std::uint8_t>(
        call, [](std::uint8_t x, std::uint8_t y) -> std::uint8_t { return Absorbing == 0 ? x & y : x | y; });
    return;
  }
  const Argument<std::uint8_t> x(a);
  const Argument<std::uint8_t> y(b);
  std::uint8_t* valid = call.start_validity();
  call.rows.each([&](std::uint32_t row) {
    const bool x_null = a.is_null(row);
    const bool y_null = b.is_null(row);
    const bool decided = (!x_null && x[row] == Absorbing) || (!y_null && y[row] == Absorbing);
    out[row] = decided ? Absorbing : 1 - Absorbing;
    valid[row] = static_cast<std::uint8_t>(decided || (!x_null && !y_null));
  });
}

template <bool Negated>
void test_null(KernelCall& call) {
  const Vector& a = call.args[0];
  auto* out = call.out<std::uint8_t>();
  call.rows.each([&](std::uint32_t row) { out[row] = static_cast<std::uint8_t>(a.is_null(row) != Negated); });
}

}  // namespace

Kernel comparison_kernel(Link link, Physical physical) {
  switch (link) {
    case Link::equal:
      return compare_kernel<Equal, false, false>(physical);
    case Link::not_equal:
      return compare_kernel<Equal, true, false>(physical);
    case Link::less:
      return compare_kernel<Less, false, false>(physical);
    case Link::less_equal:
      return compare_kernel<Less, true, true>(physical);  // not b < a
    case Link::greater:
      return compare_kernel<Less, false, true>(physical);
    case Link::greater_equal:
      return compare_kernel<Less, true, false>(physical);
    default:
      return nullptr;
  }
}

Kernel not_kernel() { return logical_not; }
Kernel and_kernel() { return logical_pair<0>; }
Kernel or_kernel() { return logical_pair<1>; }
Kernel is_null_kernel(bool negated) { return negated ? test_null<true> : test_null<false>; }

}  // namespace sluice::expression
