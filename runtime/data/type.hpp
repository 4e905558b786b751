#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice {

// The types of graph.md. `timestamp` is int64 microseconds since 1970-01-01 UTC; `json` is a JSON value as
// text.
enum class Type : std::uint8_t { int64, float64, boolean, string, timestamp, json };

// How a type lies in memory: Arrow's layouts int64, double, bit-packed bool, and utf8 with int32 offsets.
enum class Physical : std::uint8_t { int64, float64, bits, bytes };

constexpr Physical physical(Type type) {
  switch (type) {
    case Type::int64:
    case Type::timestamp:
      return Physical::int64;
    case Type::float64:
      return Physical::float64;
    case Type::boolean:
      return Physical::bits;
    case Type::string:
    case Type::json:
      return Physical::bytes;
  }
  return Physical::bytes;
}

constexpr bool is_variable_width(Type type) { return physical(type) == Physical::bytes; }

// "int64", "float64", "bool", "string", "timestamp", "json": as users write them.
std::string_view type_name(Type type);
std::optional<Type> parse_type(std::string_view name);

}  // namespace sluice
