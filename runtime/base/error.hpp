#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

// The one table of errors: code, and the sentence that explains it. The code's name is what users see in
// brackets (`error[unknown_field]`), in the `code` column of a dead letter and in metrics. Names are a
// contract.
#define SLUICE_ERROR_TABLE(X)                                                                   \
  /* documents */                                                                               \
  X(malformed_json, "the document is not valid JSON")                                           \
  X(too_large, "the document is larger than 16 MiB")                                            \
  X(too_deep, "the document is nested deeper than 64 levels")                                   \
  X(duplicate_key, "an object holds the same key twice")                                        \
  X(unset_variable, "an environment variable is not set and has no default")                    \
  X(file_unreadable, "the file cannot be read")                                                 \
  X(file_unwritable, "the file cannot be written")                                              \
  /* graphs */                                                                                  \
  X(unknown_field, "the field is not known here")                                               \
  X(missing_field, "a required field is missing")                                               \
  X(wrong_type, "the value has the wrong JSON type")                                            \
  X(wrong_unit, "the value does not have the form or unit that the field takes")                \
  X(out_of_range, "the value is out of its range")                                              \
  X(bad_value, "the value is not one of those allowed")                                         \
  X(bad_name, "the name does not follow the rule for names")                                    \
  X(duplicate_id, "two operators have the same id")                                             \
  X(duplicate_name, "the same name is used twice")                                              \
  X(duplicate_edge, "the same edge is written twice")                                           \
  X(unknown_operator_type, "there is no operator of this type")                                 \
  X(unknown_operator, "there is no operator with this id")                                      \
  X(unknown_port, "the operator has no such port")                                              \
  X(unknown_column, "the input has no such column")                                             \
  X(port_not_connected, "a port that needs an edge has none")                                   \
  X(unreachable, "no source reaches the operator")                                              \
  X(no_source, "the graph has no source")                                                       \
  X(cycle, "the graph has a cycle")                                                             \
  X(schema_mismatch, "edges into one port carry different schemas")                             \
  X(type_mismatch, "the types do not fit")                                                      \
  X(bad_expression, "the expression cannot be parsed")                                          \
  X(bad_regex, "the regular expression is not valid")                                           \
  X(event_time_missing, "the operator needs event time and no event_time operator precedes it") \
  X(memory_too_small, "the memory cannot hold the plan")                                        \
  X(loss_forbidden, "the loss policy is forbidden by an operator downstream")                   \
  X(loss_unavailable, "the loss policy is not available in this version")                       \
  X(plugin_unavailable, "the plugin cannot be loaded")                                          \
  X(never_ends, "an operator waits for the end of input that cannot end before it")             \
  X(no_match, "the path matches no file")                                                       \
  /* records */                                                                                 \
  X(malformed_record, "the record does not follow its format")                                  \
  X(record_too_large, "the record is larger than the limit")                                    \
  X(bad_field, "a field cannot be read as its column's type")                                   \
  X(integer_overflow, "an integer result does not fit into 64 bits")                            \
  X(division_by_zero, "division by zero")                                                       \
  X(cast_failed, "the value cannot be cast")                                                    \
  X(bad_argument, "an argument is outside what the function takes")                             \
  X(event_time_null, "the event-time column is null")                                           \
  X(not_representable, "the value cannot be written in the output format")                      \
  /* running */                                                                                 \
  X(io_error, "reading or writing failed")                                                      \
  X(disk_full, "there is no space left on the device")                                          \
  X(corrupt_input, "the input is damaged")                                                      \
  X(bad_record_failed, "a bad record met on_error \"fail\"")                                    \
  X(out_of_memory, "the operating system did not give the memory")                              \
  X(credit_exceeded, "a sender sent more than its credit")                                      \
  X(accounting, "the records of an edge do not add up")                                         \
  X(audit_failed, "blocks or credits were not given back")                                      \
  X(state_limit, "an operator's state is above runtime.state_memory")                           \
  X(cancelled, "the job was cancelled")                                                         \
  X(usage, "wrong usage")                                                                       \
  X(internal, "an error inside Sluice")

enum class ErrorCode : std::uint8_t {
#define SLUICE_ERROR_ENUM(name, sentence) name,
  SLUICE_ERROR_TABLE(SLUICE_ERROR_ENUM)
#undef SLUICE_ERROR_ENUM
};

#define SLUICE_ERROR_COUNT_ONE(name, sentence) +1
inline constexpr std::size_t kErrorCodeCount = 0 SLUICE_ERROR_TABLE(SLUICE_ERROR_COUNT_ONE);
#undef SLUICE_ERROR_COUNT_ONE

std::string_view error_name(ErrorCode code);
std::string_view error_sentence(ErrorCode code);

// An error of input or environment: a code and a sentence that says what, where and what to do. Each layer
// may add its context in front; the values stand last.
class Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  // "reading access.log" + "line 7: no closing quote" → "reading access.log: line 7: no closing quote".
  Error within(std::string_view context) &&;

 private:
  ErrorCode code_;
  std::string message_;
};

// errno as an Error; ENOSPC and EDQUOT become disk_full, the rest io_error.
Error error_from_errno(int errno_value, std::string_view what);

}  // namespace sluice
