#include "operators/expression/binder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operators/expression/kernels.hpp"
#include "runtime/base/text_distance.hpp"

namespace sluice::expression {
namespace {

std::string type_list() { return "int64, float64, bool, string, timestamp and json"; }

// What other SQL dialects call our types.
std::string type_hint(std::string_view name) {
  struct Dialect {
    std::string_view name, ours;
  };
  constexpr Dialect kDialects[] = {{"int", "int64"},       {"integer", "int64"},      {"bigint", "int64"},
                                   {"double", "float64"},  {"float", "float64"},      {"real", "float64"},
                                   {"decimal", "float64"}, {"numeric", "float64"},    {"boolean", "bool"},
                                   {"text", "string"},     {"varchar", "string"},     {"char", "string"},
                                   {"date", "timestamp"},  {"datetime", "timestamp"}, {"jsonb", "json"}};
  for (const Dialect& dialect : kDialects) {
    if (dialect.name == name) return fmt::format("did you mean \"{}\"?", dialect.ours);
  }
  return did_you_mean(name, {"int64", "float64", "bool", "string", "timestamp", "json"});
}

std::string_view link_text(Link link) {
  switch (link) {
    case Link::add:
      return "+";
    case Link::subtract:
      return "-";
    case Link::multiply:
      return "*";
    case Link::divide:
      return "/";
    case Link::modulo:
      return "%";
    default:
      return "a comparison";
  }
}

}  // namespace

void Binder::bind_root(const Node& root) {
  Bound result;
  program_.body = bind_block(root, result);
  program_.type = result.type;
}

std::vector<Binder::Bound> Binder::bind_all(std::span<const NodePtr> nodes) {
  std::vector<Bound> bound;
  for (const NodePtr& node : nodes) bound.push_back(bind(*node));
  return bound;
}

Binder::Bound Binder::bind(const Node& node) {
  switch (node.kind) {
    case NodeKind::null:
    case NodeKind::boolean:
    case NodeKind::integer:
    case NodeKind::real:
    case NodeKind::text:
      return bind_literal(node);
    case NodeKind::column:
      return bind_column(node);
    case NodeKind::negate:
      return bind_negate(node);
    case NodeKind::arithmetic:
      return bind_arithmetic(node);
    case NodeKind::concatenate:
      return bind_concatenate(node);
    case NodeKind::conjunction:
    case NodeKind::disjunction:
      return bind_junction(node);
    case NodeKind::negation:
      return bind_not(node);
    case NodeKind::comparison:
      return bind_comparison(node);
    case NodeKind::between:
      return bind_between(node);
    case NodeKind::in:
      return bind_in(node);
    case NodeKind::like:
      return bind_like(node);
    case NodeKind::is_null:
      return bind_is_null(node);
    case NodeKind::choice:
      return bind_choice(node);
    case NodeKind::cast:
      return bind_cast(node);
    case NodeKind::call:
      return bind_call(node);
  }
  return {};
}

Binder::Bound Binder::bind_literal(const Node& node) {
  Constant constant;
  switch (node.kind) {
    case NodeKind::boolean:
      constant.type = Type::boolean;
      constant.boolean = static_cast<std::uint8_t>(node.integer);
      break;
    case NodeKind::integer:
      constant.type = Type::int64;
      constant.integer = node.integer;
      break;
    case NodeKind::real:
      constant.type = Type::float64;
      constant.real = node.real;
      break;
    case NodeKind::text:
      constant.type = Type::string;
      constant.bytes = node.text;
      break;
    default: {
      Bound null = null_of(Type::string, node.span);
      null.untyped_null = true;
      return null;
    }
  }
  return add_constant(std::move(constant), node.span);
}

Binder::Bound Binder::bind_column(const Node& node) {
  const auto index = input_.find(node.text);
  if (!index) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < input_.visible(); ++i) names.push_back(input_.field(i).name);
    std::string hint = did_you_mean(node.text, names);
    if (hint.empty() && names.empty()) hint = "the input has no columns";
    if (hint.empty()) hint = fmt::format("the input has {}", input_.to_string());
    refuse(ErrorCode::unknown_column, node.span,
           fmt::format("there is no column \"{}\"; {}", node.text, hint));
  }
  auto& used = program_.columns;
  const auto column = static_cast<std::uint32_t>(*index);
  const auto found = std::find(used.begin(), used.end(), column);
  Bound bound;
  bound.operand = {Operand::Kind::column, static_cast<std::uint32_t>(found - used.begin())};
  bound.type = input_.field(*index).type;
  bound.span = node.span;
  bound.cheap = true;
  if (found == used.end()) {
    used.push_back(column);
    program_.column_types.push_back(bound.type);
  }
  return bound;
}

Binder::Bound Binder::bind_arithmetic(const Node& node) {
  Bound left = bind(*node.children[0]);
  for (std::size_t i = 0; i < node.links.size(); ++i) {
    const std::string_view symbol = link_text(node.links[i]);
    Bound both[] = {std::move(left), bind(*node.children[i + 1])};
    for (Bound& side : both) {
      if (side.untyped_null) side = null_of(Type::int64, side.span);
      if (side.type == Type::int64 || side.type == Type::float64) continue;
      std::string hint;
      if (side.type == Type::string) {
        hint = symbol == "+" ? "; texts are joined with ||"
                             : "; cast(x as int64) or cast(x as float64) makes it one";
      } else if (side.type == Type::timestamp) {
        hint = "; epoch_ms(ts) makes it one, and from_epoch_ms(n) a time again";
      } else if (side.type == Type::json) {
        hint = "; cast(json_get(j, pointer) as float64) makes it one";
      }
      refuse(ErrorCode::type_mismatch, side.span,
             fmt::format("\"{}\" takes numbers, but this is {}{}", symbol, with_article(side.type), hint));
    }
    const Type type = common_type(both, symbol);
    const Span span = join(node.span, both[1].span);
    Bound a = coerce(std::move(both[0]), type, symbol);
    Bound b = coerce(std::move(both[1]), type, symbol);
    left = emit(arithmetic_kernel(node.links[i], type), {std::move(a), std::move(b)}, type, span);
  }
  return left;
}

Binder::Bound Binder::bind_negate(const Node& node) {
  Bound value = bind(*node.children[0]);
  if (value.untyped_null) value = null_of(Type::int64, value.span);
  const Kernel kernel = negation_kernel(value.type);
  if (kernel == nullptr) {
    refuse(ErrorCode::type_mismatch, value.span,
           fmt::format("\"-\" takes a number, but this is {}", with_article(value.type)));
  }
  const Type type = value.type;
  return emit(kernel, {std::move(value)}, type, node.span);
}

Binder::Bound Binder::bind_not(const Node& node) {
  Bound value = coerce(bind(*node.children[0]), Type::boolean, "\"not\"");
  const bool cheap = value.cheap;
  Bound result = emit(not_kernel(), {std::move(value)}, Type::boolean, node.span);
  result.cheap = cheap;
  return result;
}

Binder::Bound Binder::bind_comparison(const Node& node) {
  Bound left = bind(*node.children[0]);
  Bound right = bind(*node.children[1]);
  return compare(node.links[0], std::move(left), std::move(right), node.span);
}

// x >= low and x <= high, with x computed once.
Binder::Bound Binder::bind_between(const Node& node) {
  std::vector<Bound> all = bind_all(node.children);
  const Type type = common_type(all, "\"between\"");
  for (Bound& value : all) value = coerce(std::move(value), type, "\"between\"");
  Bound shared = all[0];
  shared.owned = false;
  Bound low = compare(Link::greater_equal, std::move(shared), std::move(all[1]), node.span);
  Bound high = compare(Link::less_equal, std::move(all[0]), std::move(all[2]), node.span);
  const bool cheap = low.cheap && high.cheap;
  Bound result = emit(and_kernel(), {std::move(low), std::move(high)}, Type::boolean, node.span, false);
  if (node.negated) result = emit(not_kernel(), {std::move(result)}, Type::boolean, node.span);
  result.cheap = cheap;
  return result;
}

Binder::Bound Binder::bind_like(const Node& node) {
  std::vector<Bound> all = bind_all(node.children);
  for (Bound& value : all) value = coerce(std::move(value), Type::string, "\"like\"");
  PreparedPtr prepared = prepare(node, prepare_like, all);
  Bound result = emit(like_kernel(), std::move(all), Type::boolean, node.span, true, std::move(prepared));
  if (node.negated) result = emit(not_kernel(), {std::move(result)}, Type::boolean, node.span);
  return result;
}

// Constants become one look-up in a table; otherwise x = a or x = b or …, all of them computed.
Binder::Bound Binder::bind_in(const Node& node) {
  std::vector<Bound> all = bind_all(node.children);
  const Type type = common_type(all, "\"in\"");
  if (type == Type::json) refuse_json(node.place);
  for (Bound& value : all) value = coerce(std::move(value), type, "\"in\"");
  const bool constants = std::all_of(all.begin() + 1, all.end(), [](const Bound& b) { return b.constant(); });
  Bound result;
  if (constants) {
    std::vector<const Constant*> values;
    for (std::size_t i = 1; i < all.size(); ++i) values.push_back(&constant_of(all[i]));
    result = emit(in_set_kernel(type), {all[0]}, Type::boolean, node.span, true, prepare_in_set(values));
  } else {
    for (std::size_t i = 1; i < all.size(); ++i) {
      Bound shared = all[0];
      shared.owned = i + 1 == all.size() && shared.owned;
      Bound equal = compare(Link::equal, std::move(shared), std::move(all[i]), node.span);
      result =
          i == 1 ? std::move(equal)
                 : emit(or_kernel(), {std::move(result), std::move(equal)}, Type::boolean, node.span, false);
    }
  }
  if (node.negated) result = emit(not_kernel(), {std::move(result)}, Type::boolean, node.span);
  return result;
}

Binder::Bound Binder::bind_is_null(const Node& node) {
  Bound value = bind(*node.children[0]);
  const bool cheap = value.cheap;
  Bound result = emit(is_null_kernel(node.negated), {std::move(value)}, Type::boolean, node.span, false);
  result.cheap = cheap;
  return result;
}

Binder::Bound Binder::bind_cast(const Node& node) {
  const auto type = parse_type(node.text);
  if (!type) {
    const std::string hint = type_hint(node.text);
    refuse(ErrorCode::bad_expression, node.type_place,
           fmt::format("\"{}\" is no type; {}types are {}", node.text, hint.empty() ? "" : hint + " ",
                       type_list()));
  }
  Bound value = bind(*node.children[0]);
  if (value.untyped_null) return null_of(*type, node.span);
  if (value.type == *type) {
    value.span = node.span;
    return value;
  }
  const Kernel kernel = cast_kernel(value.type, *type, node.lenient);
  if (kernel == nullptr) {
    std::string hint;
    if (value.type == Type::timestamp) hint = "; epoch_ms(ts) and epoch_us(ts) give numbers";
    if (*type == Type::timestamp) hint = "; from_epoch_ms(n) makes a time of a number";
    refuse(ErrorCode::type_mismatch, node.span,
           fmt::format("{} cannot be cast to {}{}", with_article(value.type), type_name(*type), hint));
  }
  return emit(kernel, {std::move(value)}, *type, node.span);
}

Binder::Bound Binder::bind_concatenate(const Node& node) {
  std::vector<Bound> all = bind_all(node.children);
  const bool any_text =
      std::any_of(all.begin(), all.end(), [](const Bound& b) { return b.type == Type::string; });
  if (!any_text) {
    refuse(ErrorCode::type_mismatch, node.place, "\"||\" joins texts, but none of its values is a string");
  }
  for (Bound& value : all) value = to_text(std::move(value), "\"||\"");
  return emit(concat_kernel(), std::move(all), Type::string, node.span);
}

}  // namespace sluice::expression
