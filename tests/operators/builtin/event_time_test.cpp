#include "operators/builtin/event_time.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "tests/operators/operator_harness.hpp"

namespace sluice::test {
namespace {

const Schema kInput({{"t", Type::timestamp}, {"n", Type::int64}});
constexpr std::int64_t kNone = kWatermarkNone;

std::unique_ptr<BoundOperator> bind_bound(const std::string& bound, const Schema& input = kInput) {
  return bind_config(event_time_type(), {{"column", "t"}, {"max_out_of_orderness", bound}}, {input});
}

Row row(std::int64_t t, std::int64_t n) { return {t, n}; }

TEST_CASE("Each record carries its time and the event-time watermark as it stood before it") {
  const auto bound = bind_bound("10us");
  CHECK(bound->output_schemas()[0].has_event_time());
  const auto outcome = run(*bound, stream_of({row(100, 1), row(95, 2), row(120, 3), row(50, 4)}, 3), kInput);
  CHECK(row_texts(outcome.rows()) ==
        row_texts({{100, 1, 100, kNone}, {95, 2, 95, 90}, {120, 3, 120, 90}, {50, 4, 50, 110}}));
}

TEST_CASE("The event-time watermark is emitted after the batch, if it rose") {
  const auto outcome = run(*bind_bound("10us"), stream_of({row(100, 1), row(95, 2), row(101, 3)}, 1), kInput);
  std::vector<std::int64_t> watermarks;
  for (const Event& e : outcome.out) {
    if (e.watermark) watermarks.push_back(*e.watermark);
  }
  CHECK(watermarks == std::vector<std::int64_t>{90, 91});
  CHECK(outcome.out[0].rows.size() == 1);
}

TEST_CASE("What each record carries does not depend on how the input was cut into batches") {
  CHECK(rc::check("batches of any size", [](const std::vector<std::int64_t>& times) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < times.size(); ++i)
      rows.push_back(row(times[i], static_cast<std::int64_t>(i)));
    const auto bound = bind_bound("5us");
    const auto whole = row_texts(run(*bound, stream_of(rows), kInput).rows());
    const auto cut = static_cast<std::size_t>(*rc::gen::inRange(1, 5));
    RC_ASSERT(row_texts(run(*bound, stream_of(rows, cut), kInput).rows()) == whole);
  }));
}

TEST_CASE("A null time is a bad record and moves nothing") {
  const auto outcome =
      run(*bind_bound("0s"), stream_of({row(5, 1), {kNull, std::int64_t{2}}, row(6, 3)}), kInput);
  CHECK(row_texts(outcome.rows()) == row_texts({{5, 1, 5, kNone}, {6, 3, 6, 5}}));
  CHECK(outcome.bad.at("event_time_null") == 1);
  REQUIRE(outcome.rows(1).size() == 1);
  CHECK(std::get<std::string>(outcome.rows(1)[0][2]) == "event_time_null");
}

TEST_CASE("With on_error fail a null time ends the job") {
  const auto bound = bind_config(
      event_time_type(), {{"column", "t"}, {"max_out_of_orderness", "0s"}, {"on_error", "fail"}}, {kInput});
  const auto outcome = run(*bound, stream_of({{kNull, std::int64_t{2}}}), kInput);
  REQUIRE(outcome.error);
  CHECK(outcome.error->code() == ErrorCode::bad_record_failed);
}

TEST_CASE("An earlier event time is replaced and its watermark not passed on") {
  const Schema timed({{"t", Type::timestamp}}, true);
  const auto bound = bind_bound("1us", timed);
  CHECK(bound->output_schemas()[0] == timed);
  const Stream input = {{0, {{std::int64_t{7}, std::int64_t{1}, std::int64_t{0}}}, {}}, {0, {}, 1'000'000}};
  const auto outcome = run(*bound, input, timed);
  CHECK(row_texts(outcome.rows()) == row_texts({{std::int64_t{7}, std::int64_t{7}, kNone}}));
  CHECK(outcome.out.size() == 2);
  CHECK(outcome.out[1].watermark == 6);
}

TEST_CASE("The ends of time neither wrap nor look like no watermark or the last one") {
  const auto outcome =
      run(*bind_bound("1d"),
          stream_of({row(INT64_MIN, 1), row(INT64_MIN + 5, 2), row(INT64_MAX, 3), row(0, 4)}), kInput);
  CHECK(std::get<std::int64_t>(outcome.rows()[1][3]) == kNone + 1);
  CHECK(std::get<std::int64_t>(outcome.rows()[3][3]) == INT64_MAX - 86'400'000'000);
  const auto unbounded = run(*bind_bound("0s"), stream_of({row(INT64_MAX, 3)}), kInput);
  CHECK(unbounded.out.back().watermark == kWatermarkEnd - 1);
}

TEST_CASE("Columns that are no timestamps, unknown or hidden are refused") {
  const auto problems = [](const char* column, const Schema& schema) {
    return problems_of(event_time_type(), {{"column", column}, {"max_out_of_orderness", "0s"}}, {schema})
        .at(0);
  };
  CHECK(problems("n", kInput).starts_with("/column [type_mismatch]"));
  CHECK(problems("tt", kInput).starts_with("/column [unknown_column]"));
  CHECK(problems("$event_time", Schema({{"t", Type::timestamp}}, true))
            .starts_with("/column [unknown_column]"));
  CHECK(bind_bound("0s")->traits().max_parallelism == 1);
  CHECK(bind_bound("0s")->traits().order_sensitive);
}

}  // namespace
}  // namespace sluice::test
