#include "operators/config/catalogue.hpp"

#include <algorithm>

#include "runtime/base/check.hpp"

namespace sluice {

void Catalogue::add(OperatorType type) {
  SLUICE_CHECK(find(type.type) == nullptr, "operator type {} is in the catalogue twice", type.type);
  SLUICE_CHECK(static_cast<bool>(type.bind), "operator type {} cannot be bound", type.type);
  types_.push_back(std::move(type));
}

const OperatorType* Catalogue::find(std::string_view type) const {
  const auto it =
      std::find_if(types_.begin(), types_.end(), [&](const OperatorType& t) { return t.type == type; });
  return it == types_.end() ? nullptr : &*it;
}

FieldSpec on_error_field() {
  FieldSpec field;
  field.name = "on_error";
  field.default_text = "dead_letter";
  field.help =
      "What becomes of a bad record: it goes to the port errors (or is counted if that has no edge), it is "
      "skipped and "
      "counted, or the job fails.";
  field.values = {"dead_letter", "skip", "fail"};
  return field;
}

}  // namespace sluice
