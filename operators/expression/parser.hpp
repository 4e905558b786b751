#pragma once

#include <string_view>

#include "operators/expression/ast.hpp"

namespace sluice::expression {

// Text to tree by recursive descent, with PostgreSQL's precedence: or, and, not, is, comparison (not
// chained), between/in/like, ||,
// + -, * / %, sign. Throws CompileError; nesting beyond kMaxNesting is one.
NodePtr parse(std::string_view text);

}  // namespace sluice::expression
