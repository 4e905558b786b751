#include <fmt/format.h>

#include <algorithm>

#include "operators/expression/binder.hpp"
#include "operators/expression/kernels.hpp"
#include "operators/expression/number_text.hpp"
#include "operators/time/time_text.hpp"
#include "runtime/base/check.hpp"

namespace sluice::expression {
namespace {

bool is_number(Type type) { return type == Type::int64 || type == Type::float64; }

Constant constant_from(const Vector& value) {
  Constant constant;
  constant.type = value.type;
  constant.valid = value.is_null(0) ? 0 : 1;
  if (constant.valid == 0) return constant;
  switch (physical(value.type)) {
    case Physical::int64:
      constant.integer = value.values<std::int64_t>()[0];
      break;
    case Physical::float64:
      constant.real = value.values<double>()[0];
      break;
    case Physical::bits:
      constant.boolean = value.values<std::uint8_t>()[0];
      break;
    case Physical::bytes:
      constant.bytes = value.values<std::string_view>()[0];
      break;
  }
  return constant;
}

}  // namespace

std::string with_article(Type type) {
  return fmt::format("{} {}", type == Type::int64 ? "an" : "a", type_name(type));
}

void refuse_json(Span span) {
  refuse(ErrorCode::type_mismatch, span,
         "json values cannot be compared; take the value out with json_text(j, pointer) and cast it");
}

std::uint32_t Binder::take_register() {
  if (free_registers_.empty()) return program_.registers++;
  const std::uint32_t index = free_registers_.back();
  free_registers_.pop_back();
  return index;
}

void Binder::give_back(const Bound& bound) {
  if (bound.owned && bound.operand.kind == Operand::Kind::result)
    free_registers_.push_back(bound.operand.index);
}

std::uint32_t Binder::keep_prepared(const PreparedPtr& prepared) {
  program_.prepared.push_back(prepared);
  return static_cast<std::uint32_t>(program_.prepared.size() - 1);
}

Binder::Bound Binder::add_constant(Constant constant, Span span) {
  program_.constants.push_back(std::move(constant));
  Constant& kept = program_.constants.back();
  kept.text = kept.bytes;
  Bound bound;
  bound.operand = {Operand::Kind::constant, static_cast<std::uint32_t>(program_.constants.size() - 1)};
  bound.type = kept.type;
  bound.span = span;
  bound.cheap = true;
  return bound;
}

Binder::Bound Binder::null_of(Type type, Span span) {
  Constant null;
  null.type = type;
  null.valid = 0;
  return add_constant(std::move(null), span);
}

Binder::Bound Binder::emit(Kernel kernel, std::vector<Bound> arguments, Type type, Span span, bool strict,
                           PreparedPtr prepared) {
  Step step;
  step.kernel = kernel;
  step.strict = strict;
  step.type = type;
  step.prepared = std::move(prepared);
  bool foldable = true;
  for (const Bound& argument : arguments) {
    step.operands.push_back(argument.operand);
    foldable = foldable && argument.constant();
  }
  // Before the arguments' registers are free again, so that a kernel never writes what it still reads.
  step.target = take_register();
  for (const Bound& argument : arguments) give_back(argument);
  return push(std::move(step), span, foldable);
}

Binder::Bound Binder::push(Step step, Span span, bool foldable) {
  Bound bound;
  bound.operand = {Operand::Kind::result, step.target};
  bound.type = step.type;
  bound.span = span;
  if (foldable) {
    folding_.begin(1);
    folding_.run(step, folding_.all_rows());
    if (folding_.sorted_faults().empty()) {
      give_back(bound);
      return add_constant(constant_from(folding_.read(bound.operand)), span);
    }
  }
  if (step.prepared != nullptr) step.prepared_index = keep_prepared(step.prepared);
  block_->steps.push_back(std::move(step));
  return bound;
}

bool Binder::can_coerce(const Bound& value, Type type) const {
  if (value.type == type || value.untyped_null) return true;
  if (value.type == Type::int64 && type == Type::float64) return true;
  // Only text that is known now can be read as a time now.
  return type == Type::timestamp && value.type == Type::string && value.constant();
}

Binder::Bound Binder::coerce(Bound value, Type type, std::string_view context) {
  if (value.untyped_null) return null_of(type, value.span);
  if (value.type == type) return value;
  if (!can_coerce(value, type)) {
    refuse(ErrorCode::type_mismatch, value.span,
           fmt::format("{} takes {}, but this is {}", context, with_article(type), with_article(value.type)));
  }
  const Span span = value.span;
  const bool cheap = value.cheap;
  const Type from = value.type;
  if (type == Type::timestamp && constant_of(value).valid != 0 &&
      !parse_iso8601_us(without_space(constant_of(value).text))) {
    refuse(
        ErrorCode::type_mismatch, span,
        fmt::format("a timestamp is wanted here, but '{}' is no ISO 8601 time such as '2015-05-17T10:00:00Z'",
                    constant_of(value).text));
  }
  Bound result = emit(cast_kernel(from, type, false), {std::move(value)}, type, span);
  result.cheap = cheap;
  return result;
}

Binder::Bound Binder::to_text(Bound value, std::string_view context) {
  if (value.untyped_null) return null_of(Type::string, value.span);
  if (value.type == Type::string) return value;
  const Kernel kernel = cast_kernel(value.type, Type::string, false);
  if (kernel == nullptr) {
    refuse(ErrorCode::type_mismatch, value.span,
           fmt::format("{} takes no {}", context, type_name(value.type)));
  }
  const Span span = value.span;
  return emit(kernel, {std::move(value)}, Type::string, span);
}

Type Binder::common_type(std::span<const Bound> values, std::string_view context) const {
  const Bound* typed = nullptr;
  for (const Bound& value : values) {
    if (value.untyped_null) continue;
    // A text literal takes the type of a time beside it; a float wins over integers.
    const bool wins = typed == nullptr || (typed->type == Type::int64 && value.type == Type::float64) ||
                      (typed->type == Type::string && typed->constant() && value.type == Type::timestamp);
    if (wins) typed = &value;
  }
  if (typed == nullptr) return Type::string;
  for (const Bound& value : values) {
    if (can_coerce(value, typed->type)) continue;
    const bool json = value.type == Type::json || typed->type == Type::json;
    std::string hint;
    if (json) {
      hint = "; take the value out of the json with json_text(j, pointer) and cast it";
    } else if (is_number(value.type) != is_number(typed->type)) {
      hint = "; cast(x as type) converts";
    }
    refuse(ErrorCode::type_mismatch, value.span,
           fmt::format("{} needs values of one type, but this is {} and another is {}{}", context,
                       with_article(value.type), with_article(typed->type), hint));
  }
  return typed->type;
}

Binder::Bound Binder::compare(Link link, Bound left, Bound right, Span place) {
  Bound both[] = {left, right};
  const Type type = common_type(both, "a comparison");
  if (type == Type::json) {
    refuse_json(left.span);
  }
  left = coerce(std::move(left), type, "a comparison");
  right = coerce(std::move(right), type, "a comparison");
  const bool cheap = left.cheap && right.cheap && physical(type) != Physical::bytes;
  Bound result = emit(comparison_kernel(link, physical(type)), {std::move(left), std::move(right)},
                      Type::boolean, place);
  result.cheap = cheap;
  return result;
}

}  // namespace sluice::expression
