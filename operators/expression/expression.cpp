#include "operators/expression/expression.hpp"

#include "operators/expression/binder.hpp"
#include "operators/expression/compiled.hpp"
#include "operators/expression/parser.hpp"

namespace sluice {

Expression::Expression(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

Result<Expression> Expression::compile(std::string_view text, const Schema& input) {
  auto compiled = std::make_unique<Compiled>();
  compiled->text = text;
  try {
    const expression::NodePtr root = expression::parse(text);
    if (root->kind == expression::NodeKind::column) compiled->column = input.find(root->text);
    expression::Binder(input, compiled->program).bind_root(*root);
  } catch (const expression::CompileError& error) {
    return Error(error.code, expression::with_caret(text, error));
  }
  return Expression(std::move(compiled));
}

Type Expression::type() const { return compiled_->program.type; }
const std::string& Expression::text() const { return compiled_->text; }
std::optional<std::size_t> Expression::as_column() const { return compiled_->column; }

}  // namespace sluice
