#include <fmt/format.h>

#include <algorithm>

#include "operators/expression/binder.hpp"
#include "operators/expression/kernels.hpp"

namespace sluice::expression {

Block Binder::bind_block(const Node& node, Bound& result) {
  Block block;
  Block* const outer = block_;
  block_ = &block;
  result = bind(node);
  block_ = outer;
  block.result = result.operand;
  block.cheap = result.cheap;
  return block;
}

// Lets the block end with a value of `type`. Its register is free from here on: blocks of one step run one
// after another, and each result is copied before the next block runs.
void Binder::settle_block(Block& block, Bound result, Type type, std::string_view context) {
  // It may have been given back while later blocks were bound; a conversion must not write where it reads.
  if (result.operand.kind == Operand::Kind::result) std::erase(free_registers_, result.operand.index);
  result.owned = true;
  Block* const outer = block_;
  block_ = &block;
  const Bound settled = coerce(std::move(result), type, context);
  block_ = outer;
  block.result = settled.operand;
  give_back(settled);
}

Binder::Bound Binder::finish_lazy(Step step, const Node& node, bool all_constant) {
  step.lazy_depth = lazy_depth_;
  program_.lazy_depth = std::max(program_.lazy_depth, lazy_depth_ + 1);
  return push(std::move(step), node.span, all_constant);
}

Binder::Bound Binder::bind_junction(const Node& node) {
  const bool conjunction = node.kind == NodeKind::conjunction;
  Step step;
  step.kind = conjunction ? StepKind::conjunction : StepKind::disjunction;
  step.type = Type::boolean;
  step.target = take_register();
  bool constant = true;
  bool cheap = true;
  ++lazy_depth_;
  for (const NodePtr& child : node.children) {
    Bound result;
    Block block = bind_block(*child, result);
    cheap = cheap && result.cheap;
    settle_block(block, result, Type::boolean, conjunction ? "\"and\"" : "\"or\"");
    constant = constant && block.steps.empty() && block.result.kind == Operand::Kind::constant;
    step.blocks.push_back(std::move(block));
  }
  --lazy_depth_;
  Bound result = finish_lazy(std::move(step), node, constant);
  result.cheap = cheap;
  return result;
}

Binder::Bound Binder::bind_coalesce(const Node& node) {
  Step step;
  step.kind = StepKind::coalesce;
  step.target = take_register();
  std::vector<Bound> results(node.children.size());
  ++lazy_depth_;
  for (std::size_t i = 0; i < results.size(); ++i) {
    step.blocks.push_back(bind_block(*node.children[i], results[i]));
    give_back(results[i]);
  }
  step.type = common_type(results, "coalesce");
  bool constant = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    settle_block(step.blocks[i], results[i], step.type, "coalesce");
    const Block& block = step.blocks[i];
    constant = constant && block.steps.empty() && block.result.kind == Operand::Kind::constant;
  }
  --lazy_depth_;
  return finish_lazy(std::move(step), node, constant);
}

Binder::Bound Binder::bind_choice(const Node& node) {
  Step step;
  step.kind = StepKind::choice;
  std::size_t next = 0;
  Bound subject;
  if (node.has_subject) subject = bind(*node.children[next++]);
  step.target = take_register();
  bool constant = true;
  std::vector<Bound> results;
  const auto note_constant = [&](const Block& block) {
    constant = constant && block.steps.empty() && block.result.kind == Operand::Kind::constant;
  };
  const auto bind_result = [&](const Node& child) {
    Bound result;
    step.blocks.push_back(bind_block(child, result));
    give_back(result);
    results.push_back(result);
  };
  ++lazy_depth_;
  const std::size_t end = node.children.size() - (node.has_else ? 1 : 0);
  for (; next < end; next += 2) {
    Bound condition;
    Block block = bind_block(*node.children[next], condition);
    if (node.has_subject) {
      Block* const outer = block_;
      block_ = &block;
      Bound shared = subject;
      shared.owned = false;
      condition = compare(Link::equal, std::move(shared), std::move(condition), node.children[next]->span);
      block_ = outer;
    }
    settle_block(block, condition, Type::boolean, "the condition of \"when\"");
    note_constant(block);
    step.blocks.push_back(std::move(block));
    bind_result(*node.children[next + 1]);
  }
  if (node.has_else) {
    bind_result(*node.children[next]);
  } else {
    Bound null = null_of(Type::string, node.span);
    null.untyped_null = true;
    results.push_back(null);
    step.blocks.push_back(Block{{}, null.operand, true});
  }
  step.type = common_type(results, "\"case\"");
  for (std::size_t i = 0; i < results.size(); ++i) {
    Block& block = i + 1 == results.size() ? step.blocks.back() : step.blocks[2 * i + 1];
    settle_block(block, results[i], step.type, "\"case\"");
    note_constant(block);
  }
  --lazy_depth_;
  if (node.has_subject) give_back(subject);
  return finish_lazy(std::move(step), node, constant);
}

}  // namespace sluice::expression
