#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operators/config/problem.hpp"
#include "runtime/operator.hpp"

namespace sluice {

using Json = nlohmann::json;

// What a field of an operator's config may hold. From this table come validation (types, units, ranges,
// unknown fields), the help of `sluice operators TYPE` and the JSON Schema.
enum class FieldType : std::uint8_t {
  boolean,
  integer,  // minimum … maximum
  number,   // minimum … maximum
  string,
  duration,    // "250ms", minimum … maximum in microseconds; a minimum below 0 allows a leading minus
  size,        // "64KiB", minimum … maximum in bytes
  rate,        // "1000/s" or "max", minimum … maximum in records per second
  expression,  // SQL scalar expression over the input's columns
  column,      // the name of a column of the input
  columns,     // a list of such names
  type,        // "int64" … "json"
  object,      // members: `members`
  list,        // of `members[0]`
  any_of,  // one of the forms in `members`, told apart by JSON type; objects by the `values` of their member
           // "type"
  any,     // checked by the operator alone
};

struct FieldSpec {
  std::string name;
  FieldType type = FieldType::string;
  bool required = false;
  std::string default_text;  // as a user would write it, strings without quotes; "" = none
  std::string help;          // one sentence, with the unit
  double minimum = 0;
  double maximum = 0;               // minimum == maximum == 0: no range; maximum < minimum: "at least"
  std::vector<std::string> values;  // a string must be one of these, if any are given
  std::vector<FieldSpec> members;
  std::size_t min_items = 0;  // of a list
  std::size_t max_items = 0;  // of a list; 0: any number
};

struct PortSpec {
  std::string name;
  bool required = false;  // must have an edge
  std::string help;
};

enum class OperatorKind : std::uint8_t { source, transform, sink };

// What a bound operator tells the planner.
// A file that an operator uses, so that the graph can be checked for two operators in each other's way.
struct FileUse {
  enum class Kind : std::uint8_t { read, replace, append };
  Kind kind = Kind::read;
  std::string path;  // "-": standard input or output
};

struct OperatorTraits {
  std::vector<std::string>
      keys;  // rows of equal keys must meet in one task (visible column names of input 0)
  std::vector<std::string>
      right_keys;  // of input 1 of a join: as many, of the same types, so that both sides are hashed alike
  std::uint32_t max_parallelism = 0;   // 0: any number of tasks; 1: its result needs all rows in one task
  std::string max_parallelism_reason;  // "a file is read by one task"
  bool order_sensitive =
      false;  // the result depends on the order of the input's rows: everything upstream keeps it
  std::size_t max_record_bytes = 0;  // the largest record that a source lets in; 0: its records are small
  bool unbounded = false;            // a source that does not end by itself
  bool waits_for_right = false;      // input 0 is not taken before input 1 has ended
  bool starts_chain = false;  // its input edge is always a channel (throttle: the slow consumer under trial)
  std::vector<FileUse> files;

  const std::vector<std::string>& keys_of(std::size_t input_port) const {
    return input_port == 0 ? keys : right_keys;
  }
};

// An operator whose config has been checked against its input schemas: immutable, and shared by all tasks
// that run it.
class BoundOperator {
 public:
  virtual ~BoundOperator() = default;
  // One schema an output port, in the order of OperatorType::outputs and more_outputs.
  const std::vector<Schema>& output_schemas() const { return output_schemas_; }
  const OperatorTraits& traits() const { return traits_; }
  // May be called from any thread; one call a task. Sources return a Source.
  virtual std::unique_ptr<Operator> create() const = 0;

 protected:
  std::vector<Schema> output_schemas_;
  OperatorTraits traits_;
};

struct BindInput {
  const Json&
      config;  // passed the field checks: fields known, required present, types, units and ranges right
  std::span<const Schema> inputs;  // one an input port; several edges into a port carry the same schema
  std::string operator_id;
  std::string base_directory;  // relative paths start here (the graph file's folder)
};

// One row of the catalogue.
struct OperatorType {
  std::string type;  // "window_aggregate"
  OperatorKind kind = OperatorKind::transform;
  std::string summary;  // one sentence
  std::string example;  // a config, as JSON text that passes validation
  std::vector<FieldSpec> fields;
  std::vector<PortSpec> inputs;
  std::vector<PortSpec> outputs;
  // Output ports that the config names, behind `outputs`; null: none. The config may not have been checked
  // yet: what is not as it should be is passed over.
  std::function<std::vector<PortSpec>(const Json& config)> more_outputs;
  // Checks what the field table cannot and computes the output schemas. Returns null after adding to
  // `problems` (all that are found, not only the first).
  std::function<std::unique_ptr<BoundOperator>(const BindInput&, Problems& problems)> bind;
};

// The explicit list of what can be written in a graph. Built once by `builtin_catalogue()`; plugins will add
// rows.
class Catalogue {
 public:
  void add(OperatorType type);
  const OperatorType* find(std::string_view type) const;
  const std::vector<OperatorType>& types() const { return types_; }

 private:
  std::vector<OperatorType> types_;
};

// The `on_error` field that every operator with an `errors` port takes.
FieldSpec on_error_field();

// Checks `config` against the table: unknown fields (with a hint), missing ones, JSON types, units, ranges,
// allowed values, item counts, recursively. `prefix` starts every pointer. A checked integer fits int64
// (uint64 if the field's maximum lies above int64). A missing field's pointer is that of the object.
void check_fields(const std::vector<FieldSpec>& fields, const Json& config, const std::string& prefix,
                  Problems& problems);

// A JSON Schema (2020-12) for an object with these fields.
Json fields_schema(const std::vector<FieldSpec>& fields);

}  // namespace sluice
