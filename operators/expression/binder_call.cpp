#include <fmt/format.h>

#include <algorithm>

#include "operators/expression/binder.hpp"
#include "operators/expression/kernels.hpp"
#include "runtime/base/text_distance.hpp"

namespace sluice::expression {
namespace {

std::string signatures(std::span<const Overload> overloads) {
  std::string list;
  for (const Overload& overload : overloads) {
    list += (list.empty() ? "" : " or ") + overload.signature();
  }
  return list;
}

void require_arguments(const Node& node, std::size_t least, std::size_t most) {
  const std::size_t given = node.children.size();
  if (given >= least && given <= most) return;
  refuse(ErrorCode::bad_expression, node.place,
         fmt::format("{} takes {}{} argument{}, but {} given", node.text, most == least ? "" : "at least ",
                     least, least == 1 ? "" : "s", given == 1 ? "one is" : fmt::format("{} are", given)));
}

constexpr std::size_t kAny = ~std::size_t{0};

}  // namespace

Binder::Bound Binder::bind_call(const Node& node) {
  if (node.text == "coalesce") return require_arguments(node, 1, kAny), bind_coalesce(node);
  if (node.text == "least") return bind_extreme(node, false);
  if (node.text == "greatest") return bind_extreme(node, true);
  if (node.text == "nullif") return bind_nullif(node);
  if (node.text == "concat") return bind_concat(node);
  if (node.text == "hash64") return bind_hash(node);
  const auto overloads = find_overloads(node.text);
  if (!overloads.empty()) return bind_overload(node, overloads);
  const std::string hint = did_you_mean(node.text, function_names());
  refuse(ErrorCode::bad_expression, node.place,
         fmt::format("there is no function \"{}\"{}{}", node.text, hint.empty() ? "" : "; ", hint));
}

PreparedPtr Binder::prepare(const Node& node, Prepare make, std::span<const Bound> arguments) {
  if (make == nullptr) return nullptr;
  std::vector<const Constant*> constants;
  for (const Bound& argument : arguments)
    constants.push_back(argument.constant() ? &constant_of(argument) : nullptr);
  try {
    return make(constants);
  } catch (const ArgumentError& error) {
    refuse(error.code, node.children[error.argument]->span, error.sentence);
  }
}

Binder::Bound Binder::bind_overload(const Node& node, std::span<const Overload> overloads) {
  std::vector<Bound> arguments = bind_all(node.children);
  const Overload* chosen = nullptr;
  std::size_t least_conversions = kAny;
  for (const Overload& overload : overloads) {
    if (overload.parameters.size() != arguments.size()) continue;
    std::size_t conversions = 0;
    bool fits = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      fits = fits && can_coerce(arguments[i], overload.parameters[i]);
      conversions += arguments[i].type != overload.parameters[i] ? 1 : 0;
    }
    if (!fits || conversions >= least_conversions) continue;
    chosen = &overload;
    least_conversions = conversions;
  }
  if (chosen == nullptr) {
    const bool same_count = std::any_of(overloads.begin(), overloads.end(), [&](const Overload& o) {
      return o.parameters.size() == arguments.size();
    });
    std::string given;
    for (const Bound& argument : arguments) {
      given += (given.empty() ? "" : ", ") +
               std::string(argument.untyped_null ? "null" : type_name(argument.type));
    }
    refuse(same_count ? ErrorCode::type_mismatch : ErrorCode::bad_expression, node.place,
           fmt::format("{} is called as {}({}) but takes {}", node.text, node.text, given,
                       signatures(overloads)));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (((chosen->constant >> i) & 1) != 0 && !arguments[i].constant()) {
      refuse(ErrorCode::bad_expression, node.children[i]->span,
             fmt::format("argument {} of {} must be a constant, because it is prepared once for all rows",
                         i + 1, node.text));
    }
    arguments[i] = coerce(std::move(arguments[i]), chosen->parameters[i], node.text);
  }
  PreparedPtr prepared = prepare(node, chosen->prepare, arguments);
  return emit(chosen->kernel, std::move(arguments), chosen->result, node.span, true, std::move(prepared));
}

Binder::Bound Binder::bind_extreme(const Node& node, bool greatest) {
  require_arguments(node, 1, kAny);
  std::vector<Bound> all = bind_all(node.children);
  const Type type = common_type(all, node.text);
  if (type == Type::json) refuse_json(node.place);
  Bound result = coerce(std::move(all[0]), type, node.text);
  for (std::size_t i = 1; i < all.size(); ++i) {
    Bound next = coerce(std::move(all[i]), type, node.text);
    result =
        emit(extreme_kernel(type, greatest), {std::move(result), std::move(next)}, type, node.span, false);
  }
  return result;
}

Binder::Bound Binder::bind_nullif(const Node& node) {
  require_arguments(node, 2, 2);
  std::vector<Bound> both = bind_all(node.children);
  const Type type = common_type(both, "nullif");
  if (type == Type::json) refuse_json(node.place);
  for (Bound& value : both) value = coerce(std::move(value), type, "nullif");
  return emit(nullif_kernel(type), std::move(both), type, node.span, false);
}

Binder::Bound Binder::bind_concat(const Node& node) {
  require_arguments(node, 1, kAny);
  std::vector<Bound> all = bind_all(node.children);
  for (Bound& value : all) value = to_text(std::move(value), "concat");
  return emit(concat_kernel(), std::move(all), Type::string, node.span, false);
}

Binder::Bound Binder::bind_hash(const Node& node) {
  require_arguments(node, 1, kAny);
  return emit(hash_kernel(), bind_all(node.children), Type::int64, node.span, false);
}

}  // namespace sluice::expression
