#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operators/expression/ast.hpp"
#include "operators/expression/execution.hpp"
#include "operators/expression/functions.hpp"
#include "operators/expression/program.hpp"
#include "runtime/data/schema.hpp"

namespace sluice::expression {

// Checks types and writes the program, in one walk from the leaves to the root. What is constant is computed
// on the way (unless it fails: then it stays, and fails the rows that reach it). Used once. Throws
// CompileError.
class Binder {
 public:
  Binder(const Schema& input, Program& program) : input_(input), program_(program), folding_(program) {}

  void bind_root(const Node& root);

 private:
  // A node that has been bound: where its value will be, and what is known of it.
  struct Bound {
    Operand operand;
    Type type = Type::string;
    Span span;
    bool untyped_null = false;  // the literal null: takes the type that its surroundings want
    bool cheap = false;         // cannot fail and is cheap to compute for every row
    bool owned = true;          // its register is free once it is used

    bool constant() const { return operand.kind == Operand::Kind::constant; }
  };

  // binder.cpp: nodes
  Bound bind(const Node& node);
  Bound bind_literal(const Node& node);
  Bound bind_column(const Node& node);
  Bound bind_arithmetic(const Node& node);
  Bound bind_negate(const Node& node);
  Bound bind_not(const Node& node);
  Bound bind_comparison(const Node& node);
  Bound bind_between(const Node& node);
  Bound bind_like(const Node& node);
  Bound bind_in(const Node& node);
  Bound bind_is_null(const Node& node);
  Bound bind_cast(const Node& node);
  Bound bind_concatenate(const Node& node);
  std::vector<Bound> bind_all(std::span<const NodePtr> nodes);

  // binder_lazy.cpp: nodes that work on some rows only
  Bound bind_junction(const Node& node);
  Bound bind_choice(const Node& node);
  Bound bind_coalesce(const Node& node);
  Block bind_block(const Node& node, Bound& result);
  void settle_block(Block& block, Bound result, Type type, std::string_view context);
  Bound finish_lazy(Step step, const Node& node, bool all_constant);

  // binder_call.cpp: functions
  Bound bind_call(const Node& node);
  Bound bind_overload(const Node& node, std::span<const Overload> overloads);
  Bound bind_extreme(const Node& node, bool greatest);
  Bound bind_nullif(const Node& node);
  Bound bind_concat(const Node& node);
  Bound bind_hash(const Node& node);
  PreparedPtr prepare(const Node& node, Prepare make, std::span<const Bound> arguments);

  // binder_emit.cpp: types and steps
  Bound emit(Kernel kernel, std::vector<Bound> arguments, Type type, Span span, bool strict = true,
             PreparedPtr prepared = nullptr);
  Bound push(Step step, Span span, bool foldable);
  Bound add_constant(Constant constant, Span span);
  Bound null_of(Type type, Span span);
  Bound compare(Link link, Bound left, Bound right, Span place);
  Bound coerce(Bound value, Type type, std::string_view context);
  Bound to_text(Bound value, std::string_view context);
  // The type that all of them can take without loss.
  Type common_type(std::span<const Bound> values, std::string_view context) const;
  bool can_coerce(const Bound& value, Type type) const;
  const Constant& constant_of(const Bound& bound) const { return program_.constants[bound.operand.index]; }
  std::uint32_t take_register();
  void give_back(const Bound& bound);
  std::uint32_t keep_prepared(const PreparedPtr& prepared);

  const Schema& input_;
  Program& program_;
  Execution folding_;
  Block* block_ = nullptr;  // where steps are written at the moment
  std::vector<std::uint32_t> free_registers_;
  std::uint32_t lazy_depth_ = 0;
};

// "an int64", "a string": for messages.
std::string with_article(Type type);

// json has no order and many spellings of one value.
[[noreturn]] void refuse_json(Span span);

}  // namespace sluice::expression
