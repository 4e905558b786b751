#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/data/type.hpp"

namespace sluice {

struct Field {
  std::string name;
  Type type = Type::string;

  bool operator==(const Field&) const = default;
};

// The columns of an edge: first those that users see, then, once an event_time operator stands upstream, two
// that travel with each record whatever columns later operators keep:
//   $event_time  the record's event time;
//   $watermark   the event-time watermark as it stood before this record. Lateness is decided against it,
//   record
//                by record, so it depends on the input alone and not on batching, threads or parallelism.
// Both are never null. Operators that pass records on pass them on too.
class Schema {
 public:
  static constexpr std::string_view kEventTime = "$event_time";
  static constexpr std::string_view kWatermark = "$watermark";

  Schema() = default;
  explicit Schema(std::vector<Field> visible, bool event_time = false);

  const std::vector<Field>& fields() const { return fields_; }
  const Field& field(std::size_t i) const { return fields_[i]; }
  std::size_t size() const { return fields_.size(); }                             // all columns
  std::size_t visible() const { return fields_.size() - (event_time_ ? 2 : 0); }  // those that users see
  bool has_event_time() const { return event_time_; }
  std::size_t event_time_index() const { return fields_.size() - 2; }  // only if has_event_time()
  std::size_t watermark_index() const { return fields_.size() - 1; }   // only if has_event_time()
  bool has_variable_width() const;

  // Index of a visible column.
  std::optional<std::size_t> find(std::string_view name) const;
  // "time timestamp, status int64": for messages.
  std::string to_string() const;

  bool operator==(const Schema&) const = default;

 private:
  std::vector<Field> fields_;
  bool event_time_ = false;
};

}  // namespace sluice
