#include "operators/config/bad_records.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

class Collector final : public Emitter {
 public:
  void emit(std::uint32_t port, const Batch& batch) override {
    last_port = port;
    for (std::uint32_t r = 0; r < batch.rows; ++r) rows.push_back(read_row(batch, r));
  }
  void emit_watermark(EventTimeUs) override {}
  void emit_idle() override {}
  std::uint32_t last_port = 99;
  std::vector<Row> rows;
};

class Lines final : public Log {
 public:
  void write(LogLevel, std::string_view message) override { lines.emplace_back(message); }
  std::vector<std::string> lines;
};

struct Bench {
  OperatorCounters counters;
  Lines log;
  OperatorContext context;
  explicit Bench(std::uint32_t connected) {
    context.operator_id = "op";
    context.connected_ports = connected;
    context.counters = &counters;
    context.log = &log;
  }
  std::uint64_t count(ErrorCode code) const {
    return counters.bad[static_cast<std::size_t>(code)].read_relaxed();
  }
};

}  // namespace

TEST_CASE("a dead letter carries input, operator, code and message, and is counted") {
  Bench bench(0b10);
  BadRecords bad(OnError::dead_letter, 1);
  bad.open(bench.context);
  Collector out;
  CHECK(bad.add(ErrorCode::bad_field, "raw", "no number", "a.log:7").ok());
  CHECK(bad.pending() == 1);
  bad.flush(out);
  CHECK(bad.pending() == 0);
  bad.flush(out);
  CHECK(bad.add(ErrorCode::malformed_record, "raw2", "cut").ok());
  bad.flush(out);
  CHECK(out.last_port == 1);
  CHECK(row_texts(out.rows) == std::vector<std::string>{"'raw' 'op' 'bad_field' 'a.log:7: no number'",
                                                        "'raw2' 'op' 'malformed_record' 'cut'"});
  CHECK(bench.count(ErrorCode::bad_field) == 1);
  CHECK(bench.counters.bad_total() == 2);
}

TEST_CASE("without an edge at the port, and with skip, bad records are only counted") {
  for (const OnError policy : {OnError::dead_letter, OnError::skip}) {
    Bench bench(policy == OnError::skip ? 0b10 : 0);
    BadRecords bad(policy, 1);
    bad.open(bench.context);
    Collector out;
    CHECK(!bad.wants_input());
    for (int i = 0; i < 1000; ++i) CHECK(bad.add(ErrorCode::bad_field, "raw", "m").ok());
    CHECK(bad.pending() == 0);
    bad.flush(out);
    CHECK(out.rows.empty());
    CHECK(bench.count(ErrorCode::bad_field) == 1000);
  }
}

TEST_CASE("with fail the first bad record is the error that ends the job") {
  Bench bench(0b10);
  BadRecords bad(OnError::fail, 1);
  bad.open(bench.context);
  CHECK(bad.wants_input());
  const auto added = bad.add(ErrorCode::bad_field, "raw", "no number", "a.log:7");
  REQUIRE(!added.ok());
  CHECK(added.error().code() == ErrorCode::bad_record_failed);
  CHECK(added.error().message() == "bad record (bad_field): a.log:7: no number; the record: raw");
}

TEST_CASE("the log names the first bad records of each reason and then stays silent") {
  Bench bench(0);
  BadRecords bad(OnError::dead_letter, 1);
  bad.open(bench.context);
  for (int i = 0; i < 100; ++i) CHECK(bad.add(ErrorCode::bad_field, "", "m", "f:" + std::to_string(i)).ok());
  CHECK(bad.add(ErrorCode::malformed_record, "", "m").ok());
  REQUIRE(bench.log.lines.size() == 6);
  CHECK(bench.log.lines[0] == "op: bad record (bad_field): f:0: m");
  CHECK(bench.log.lines[4].ends_with("further ones of this kind are counted and not logged"));
}

TEST_CASE("a dead letter keeps the start of a long record, cut between characters") {
  Bench bench(0b10);
  BadRecords bad(OnError::dead_letter, 1);
  bad.open(bench.context);
  std::string record(4095, 'x');
  record += "\xC3\xA4";
  CHECK(bad.add(ErrorCode::bad_field, record, "m").ok());
  Collector out;
  bad.flush(out);
  CHECK(std::get<std::string>(out.rows.at(0).at(0)) == std::string(4095, 'x'));
}

TEST_CASE("on_error reads as its policy, dead_letter if left out") {
  CHECK(on_error_of(Json::object()) == OnError::dead_letter);
  CHECK(on_error_of(Json{{"on_error", "skip"}}) == OnError::skip);
  CHECK(on_error_of(Json{{"on_error", "fail"}}) == OnError::fail);
  CHECK(on_error_of(Json{{"on_error", "dead_letter"}}) == OnError::dead_letter);
}

}  // namespace sluice::test
