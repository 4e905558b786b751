#include "runtime/data/schema.hpp"

#include <algorithm>
#include <utility>

namespace sluice {

Schema::Schema(std::vector<Field> visible, bool event_time)
    : fields_(std::move(visible)), event_time_(event_time) {
  if (event_time_) {
    fields_.push_back({std::string(kEventTime), Type::timestamp});
    fields_.push_back({std::string(kWatermark), Type::timestamp});
  }
}

bool Schema::has_variable_width() const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [](const Field& f) { return is_variable_width(f.type); });
}

std::optional<std::size_t> Schema::find(std::string_view name) const {
  for (std::size_t i = 0; i < visible(); ++i) {
    if (fields_[i].name == name) return i;
  }
  return std::nullopt;
}

std::string Schema::to_string() const {
  std::string text;
  for (std::size_t i = 0; i < visible(); ++i) {
    if (i > 0) text += ", ";
    text += fields_[i].name;
    text += ' ';
    text += type_name(fields_[i].type);
  }
  return text;
}

}  // namespace sluice
