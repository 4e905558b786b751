#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "operators/config/catalogue.hpp"
#include "runtime/data/column_builder.hpp"

namespace sluice {

enum class OnError : std::uint8_t { dead_letter, skip, fail };

// The value of `on_error` in a checked config; dead_letter where it is left out.
OnError on_error_of(const Json& config);

// The schema of every `errors` port: input string, operator string, code string, message string.
const Schema& errors_schema();

// The one way in which an operator gets rid of a bad record: it is counted by reason, goes to the port
// `errors` if that is connected (policy dead_letter), and the first ones of each reason are logged. With
// policy `fail` add() returns the error that ends the job. One a task.
class BadRecords {
 public:
  BadRecords(OnError policy, std::uint32_t errors_port)
      : policy_(policy), port_(errors_port), staging_(errors_schema()) {}

  void open(const OperatorContext& context) { context_ = context; }
  // `where` is "access.log:17" or "" if there is no place; `input` the record as it came.
  Result<void> add(ErrorCode code, std::string_view input, std::string_view message,
                   std::string_view where = {});
  // True if the caller should bother to make `input` (the dead letter goes somewhere, or the job fails with
  // it).
  bool wants_input() const;
  // Number of dead letters that wait for flush: a caller that loops stops before they grow without bound.
  std::uint32_t pending() const { return emitted_ ? 0 : staging_.rows(); }
  // Emits the dead letters gathered since the last flush. Call it before returning from each call that may
  // have added some.
  void flush(Emitter& out);

 private:
  static constexpr std::uint64_t kLoggedPerReason = 5;
  static constexpr std::size_t kMaxInputBytes = 4096;  // a dead letter keeps at most this much of its record

  OnError policy_;
  std::uint32_t port_;
  OperatorContext context_;
  BatchStaging staging_;
  bool emitted_ = false;
  std::array<std::uint64_t, kErrorCodeCount> logged_{};
};

// A row as one line of JSON, visible columns only: what BadRecords takes as `input` from operators inside a
// graph.
std::string row_as_json(const Batch& batch, std::size_t row);

}  // namespace sluice
