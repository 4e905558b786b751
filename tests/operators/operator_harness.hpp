#pragma once

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "operators/config/catalogue.hpp"
#include "runtime/base/log.hpp"
#include "runtime/data/column_builder.hpp"
#include "runtime/operator.hpp"

// Runs one operator without a runtime: literal rows in, copied rows out, time that moves only by the
// operator's own waits. It drives the operator exactly as a task does (order of calls, kHasMore, kWaits,
// passing on event-time watermarks) and checks the operator's side of the contract (one batch a port and
// call, schemas as bound, no growth without end).
namespace sluice::test {

// null, int64 and timestamp, float64, bool, string and json.
using Value = std::variant<std::monostate, std::int64_t, double, bool, std::string>;
using Row = std::vector<Value>;

inline constexpr std::monostate kNull{};

// Rows as text, one value after the other, strings in quotes: compares and prints well (NaN is equal to NaN,
// -0 is not 0).
std::string row_text(const Row& row);
std::vector<std::string> row_texts(const std::vector<Row>& rows);
// The same sorted: a multiset that can be compared with ==.
std::vector<std::string> row_multiset(const std::vector<Row>& rows);

Row read_row(const Batch& batch, std::size_t row);
void append_row(BatchStaging& staging, const Row& row);

// One thing that travels along an edge: rows on a port (one batch), an event-time watermark, or idleness.
struct Event {
  std::uint32_t port = 0;
  std::vector<Row> rows;
  std::optional<EventTimeUs> watermark;
  bool idle = false;
};
using Stream = std::vector<Event>;

// One batch a list of rows; `batch_rows` cuts it into batches of at most so many.
Stream stream_of(const std::vector<Row>& rows, std::size_t batch_rows = SIZE_MAX);
std::vector<Row> rows_of(const Stream& stream, std::uint32_t port = 0);

struct RunOptions {
  std::uint32_t task_index = 0;
  std::uint32_t parallelism = 1;
  std::uint32_t connected_ports = ~0u;
  std::size_t record_limit_bytes = 1 << 20;
  bool draining = false;
  std::uint64_t state_limit_bytes = StateBudget::kDefaultBytes;
  std::size_t max_calls = 10'000'000;
};

struct RunOutcome {
  Stream out;
  std::optional<Error> error;
  std::uint64_t late = 0;
  std::map<std::string, std::uint64_t> bad;  // by the reason's name; only those > 0
  TimeNs now_ns = 0;                         // when the last call returned
  std::vector<std::string> log;
  std::size_t calls = 0;
  std::uint64_t state_bytes = 0;  // held now
  std::uint64_t state_keys = 0;
  std::uint64_t state_bytes_peak = 0;

  std::vector<Row> rows(std::uint32_t port = 0) const { return rows_of(out, port); }
};

// Checks the config against the table and binds it. `problems` holds what was wrong.
std::unique_ptr<BoundOperator> bind_config(const OperatorType& type, const Json& config,
                                           std::vector<Schema> inputs, Problems& problems);
// The same for a config that has to be right: throws std::runtime_error with the problems otherwise.
std::unique_ptr<BoundOperator> bind_config(const OperatorType& type, const Json& config,
                                           std::vector<Schema> inputs = {});
// The problems of a config as lines "pointer [code] message (hint)".
std::vector<std::string> problems_of(const OperatorType& type, const Json& config,
                                     std::vector<Schema> inputs = {});

// A whole life: open, every event of `input` (port 0 in), finish, close. A source is polled to its end.
RunOutcome run(const BoundOperator& bound, const Stream& input, const Schema& input_schema,
               RunOptions options = {});
RunOutcome run_source(const BoundOperator& bound, RunOptions options = {});

// One input port of an operator with several.
struct InputStream {
  const Schema& schema;
  Stream stream;  // events of port 0 of what comes before; the port ends after the last
};
// Which port is served next: an index into `ready`, the ports that have something and are taken from.
using ChoosePort = std::function<std::size_t(std::span<const std::uint32_t> ready)>;
// The same life for several input ports, with the inputs' watermarks, idleness and ends put together as a
// task does. The least port first: choose = 0 always.
RunOutcome run_inputs(const BoundOperator& bound, const std::vector<InputStream>& inputs,
                      const ChoosePort& choose, RunOptions options = {});

// One operator driven call by call, for tests that look between calls.
class Driver {
 public:
  Driver(const BoundOperator& bound, RunOptions options = {});
  ~Driver();

  // Each drives the operator until it needs input (or is finished); waits move `now_ns`.
  void rows(const Schema& schema, const std::vector<Row>& rows, std::uint32_t port = 0);
  void watermark(EventTimeUs watermark);
  void idle();
  void tick();
  void input_ended(std::uint32_t port);
  void finish();
  // A source: one call of poll, without moving the time.
  Step poll_once();
  // One call of process with rows that stay alive until the next process_once; or of resume.
  Step process_once(const Schema& schema, const std::vector<Row>& rows, std::uint32_t port = 0);
  Step resume_once();

  void advance(TimeNs by_ns) { now_ns_ += by_ns; }
  TimeNs now_ns() const { return now_ns_; }
  void drain() { draining_ = true; }
  const Stream& out();
  // What came since the last take.
  Stream take();
  RunOutcome outcome();
  bool failed() const { return outcome_.error.has_value(); }
  bool finished() const { return finished_; }
  Operator& op() { return *op_; }

 private:
  class Collector;
  class MemoryLog;
  enum class Call { process, resume, watermark, idle, tick, input_ended, finish, poll };
  Step call(Call which, const Batch* batch = nullptr, EventTimeUs watermark = kWatermarkNone,
            std::uint32_t port = 0);
  void drive(Step step, Call again);

  const BoundOperator& bound_;
  RunOptions options_;
  std::unique_ptr<Operator> op_;
  OperatorCounters counters_;
  StateBudget budget_;
  StateShare state_;
  std::atomic<bool> draining_{false};
  std::unique_ptr<MemoryLog> log_;
  std::unique_ptr<Collector> collector_;
  std::optional<BatchStaging> input_;
  RunOutcome outcome_;
  TimeNs now_ns_ = 0;
  bool finished_ = false;
};

}  // namespace sluice::test

template <>
struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "\n    " + line;
    return text.c_str();
  }
};
