#include "operators/expression/program.hpp"

namespace sluice::expression {

Vector Constant::view() const {
  const void* data = &integer;
  switch (physical(type)) {
    case Physical::int64:
      break;
    case Physical::float64:
      data = &real;
      break;
    case Physical::bits:
      data = &boolean;
      break;
    case Physical::bytes:
      data = &text;
      break;
  }
  return {.type = type, .constant = true, .data = data, .valid = valid != 0 ? nullptr : &valid};
}

}  // namespace sluice::expression
