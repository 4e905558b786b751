#include <fmt/format.h>

#include "operators/expression/json_text.hpp"
#include "operators/expression/kernels.hpp"
#include "operators/expression/number_text.hpp"
#include "operators/time/time_text.hpp"

namespace sluice::expression {
namespace {

template <typename T>
std::string shown(const T& value) {
  return fmt::format("{}", value);
}
template <>
std::string shown(const std::string_view& value) {
  return quoted_value(value);
}

template <bool Lenient, typename T>
void refuse_cast(KernelCall& call, std::uint32_t row, const T& value, Type to) {
  if (Lenient) {
    call.set_null(row);
  } else {
    call.fail(row, ErrorCode::cast_failed,
              fmt::format("{} cannot be cast to {}", shown(value), type_name(to)));
  }
}

// From → To by convert(value) → optional<Out>; nullopt: the value cannot be cast.
template <typename From, typename Out, Type To, bool Lenient, auto Convert>
void convert(KernelCall& call) {
  const Argument<From> a(call.args[0]);
  auto* out = call.out<Out>();
  call.each_valid([&](std::uint32_t row) {
    if (const auto value = Convert(a[row])) [[likely]] {
      out[row] = *value;
    } else {
      refuse_cast<Lenient>(call, row, a[row], To);
    }
  });
}

// From → To for conversions that always succeed.
template <typename From, typename Out, auto Convert>
void convert_each(KernelCall& call) {
  const Argument<From> a(call.args[0]);
  auto* out = call.out<Out>();
  call.each_valid([&](std::uint32_t row) { out[row] = Convert(a[row]); });
}

template <typename From, std::size_t MaxBytes, auto Write>
void write_text(KernelCall& call) {
  const Argument<From> a(call.args[0]);
  auto* out = call.out<std::string_view>();
  call.each_valid([&](std::uint32_t row) {
    char* text = call.arena.allocate(MaxBytes);
    const std::size_t bytes = Write(text, a[row]);
    call.arena.shrink_to(text + bytes);
    out[row] = {text, bytes};
  });
}

double int_to_float(std::int64_t v) { return static_cast<double>(v); }
std::uint8_t int_to_bool(std::int64_t v) { return v != 0; }
std::int64_t bool_to_int(std::uint8_t v) { return v; }
std::string_view bool_to_text(std::uint8_t v) { return v != 0 ? "true" : "false"; }
std::string_view text_to_text(const std::string_view& v) { return v; }
std::optional<std::int64_t> float_to_int(double v) { return round_to_int64(v); }
std::optional<std::int64_t> text_to_int(const std::string_view& v) { return parse_int64(v); }
std::optional<double> text_to_float(const std::string_view& v) { return parse_float64(v); }
std::optional<std::uint8_t> text_to_bool(const std::string_view& v) {
  const auto parsed = parse_bool(v);
  if (!parsed) return std::nullopt;
  return static_cast<std::uint8_t>(*parsed);
}
std::optional<std::int64_t> text_to_time(const std::string_view& v) {
  return parse_iso8601_us(without_space(v));
}
std::optional<std::string_view> text_to_json(const std::string_view& v) {
  if (!find_json(v, {}).well_formed) return std::nullopt;
  return v;
}

// A JSON scalar: its text, a string's content; null becomes null, objects and arrays cannot be cast.
template <typename Out, Type To, bool Lenient, auto Convert>
void convert_json(KernelCall& call) {
  const Argument<std::string_view> a(call.args[0]);
  auto* out = call.out<Out>();
  call.each_valid([&](std::uint32_t row) {
    const JsonFound found = find_json(a[row], {});
    if (!found.well_formed) return refuse_cast<Lenient>(call, row, a[row], To);
    if (found.raw == "null") return call.set_null(row);
    const auto value = Convert(json_scalar_text(found.raw, call.arena));
    if (!value) return refuse_cast<Lenient>(call, row, a[row], To);
    out[row] = *value;
  });
}

template <bool Lenient>
Kernel cast_from_text(Type to) {
  switch (to) {
    case Type::int64:
      return convert<std::string_view, std::int64_t, Type::int64, Lenient, text_to_int>;
    case Type::float64:
      return convert<std::string_view, double, Type::float64, Lenient, text_to_float>;
    case Type::boolean:
      return convert<std::string_view, std::uint8_t, Type::boolean, Lenient, text_to_bool>;
    case Type::timestamp:
      return convert<std::string_view, std::int64_t, Type::timestamp, Lenient, text_to_time>;
    case Type::json:
      return convert<std::string_view, std::string_view, Type::json, Lenient, text_to_json>;
    case Type::string:
      return nullptr;
  }
  return nullptr;
}

template <bool Lenient>
Kernel cast_from_json(Type to) {
  switch (to) {
    case Type::int64:
      return convert_json<std::int64_t, Type::int64, Lenient, text_to_int>;
    case Type::float64:
      return convert_json<double, Type::float64, Lenient, text_to_float>;
    case Type::boolean:
      return convert_json<std::uint8_t, Type::boolean, Lenient, text_to_bool>;
    case Type::timestamp:
      return convert_json<std::int64_t, Type::timestamp, Lenient, text_to_time>;
    case Type::string:
      return convert_each<std::string_view, std::string_view, text_to_text>;
    case Type::json:
      return nullptr;
  }
  return nullptr;
}

template <bool Lenient>
Kernel cast_kernel_of(Type from, Type to) {
  switch (from) {
    case Type::int64:
      if (to == Type::float64) return convert_each<std::int64_t, double, int_to_float>;
      if (to == Type::boolean) return convert_each<std::int64_t, std::uint8_t, int_to_bool>;
      if (to == Type::string || to == Type::json)
        return write_text<std::int64_t, kNumberMaxBytes, write_int64>;
      return nullptr;
    case Type::float64:
      if (to == Type::int64) return convert<double, std::int64_t, Type::int64, Lenient, float_to_int>;
      if (to == Type::string) return write_text<double, kNumberMaxBytes, write_float64>;
      return nullptr;
    case Type::boolean:
      if (to == Type::int64) return convert_each<std::uint8_t, std::int64_t, bool_to_int>;
      if (to == Type::string || to == Type::json)
        return convert_each<std::uint8_t, std::string_view, bool_to_text>;
      return nullptr;
    case Type::timestamp:
      return to == Type::string ? write_text<std::int64_t, kIso8601MaxBytes, write_iso8601> : nullptr;
    case Type::string:
      return cast_from_text<Lenient>(to);
    case Type::json:
      return cast_from_json<Lenient>(to);
  }
  return nullptr;
}

}  // namespace

Kernel cast_kernel(Type from, Type to, bool lenient) {
  return lenient ? cast_kernel_of<true>(from, to) : cast_kernel_of<false>(from, to);
}

}  // namespace sluice::expression
