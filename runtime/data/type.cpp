#include "runtime/data/type.hpp"

#include <array>
#include <cstddef>

namespace sluice {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"int64",  "float64",   "bool",
                                                    "string", "timestamp", "json"};

}  // namespace

std::string_view type_name(Type type) { return kNames[static_cast<std::size_t>(type)]; }

std::optional<Type> parse_type(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

}  // namespace sluice
