#pragma once

#include "operators/expression/expression.hpp"
#include "operators/expression/program.hpp"

namespace sluice {

struct Expression::Compiled {
  std::string text;
  std::optional<std::size_t> column;
  expression::Program program;
};

}  // namespace sluice
