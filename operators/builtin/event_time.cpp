#include "operators/builtin/event_time.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operators/binding/binding.hpp"
#include "operators/binding/ports.hpp"
#include "operators/binding/row_selection.hpp"

namespace sluice {
namespace {

// An event-time watermark is never one of the two values that mean "none" and "end".
EventTimeUs watermark_after(EventTimeUs largest, std::int64_t bound_us) {
  EventTimeUs watermark;
  if (__builtin_sub_overflow(largest, bound_us, &watermark)) watermark = kWatermarkNone + 1;
  return std::clamp(watermark, kWatermarkNone + 1, kWatermarkEnd - 1);
}

// Adds to each record the two columns that carry its event time and the event-time watermark as it stood
// before it, which is what makes lateness a matter of the input's order alone. The watermark is the largest
// time so far minus the bound. One task sees all records; the visible columns pass through without a copy
// unless a record is taken out. State: two numbers.
//
// Without a record for `idle_timeout` it says that it is idle, so that other streams that meet this one go on
// without it. Time is counted in ticks of a quarter of that, in which the task could have worked: a stream
// that is held back downstream is not idle.
class EventTime final : public Operator {
 public:
  EventTime(std::size_t column, std::int64_t bound_us, std::int64_t idle_timeout_us, std::size_t visible,
            const Schema& output, OnError on_error)
      : column_(column),
        bound_us_(bound_us),
        tick_interval_ns_(idle_timeout_us * kNsPerUs / kTicksUntilIdle),
        visible_(visible),
        output_(output),
        timed_(output),
        bad_(on_error, kErrorsPort) {}

  Result<void> open(const OperatorContext& context) override {
    bad_.open(context);
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) override {
    quiet_ticks_ = 0;
    const EventTimeUs before = watermark_;
    SLUICE_TRY(stamp(batch));
    if (!kept_.empty()) out.emit(kOutPort, timed_.take(with_times(batch), kept_));
    bad_.flush(out);
    if (watermark_ > before) out.emit_watermark(watermark_);
    return Step::needs_input();
  }

  // It makes event time anew; what came before says nothing about it.
  EventTimeUs passed_on(EventTimeUs) const override { return kWatermarkNone; }
  bool passes_idle() const override { return false; }

  TimeNs tick_interval_ns() const override { return tick_interval_ns_; }
  Result<Step> tick(Emitter& out, TimeNs) override {
    // The tick that comes first may follow a record closely: one more than the timeout has.
    if (quiet_ticks_ <= kTicksUntilIdle && ++quiet_ticks_ > kTicksUntilIdle) out.emit_idle();
    return Step::needs_input();
  }

 private:
  static constexpr int kTicksUntilIdle = 4;

  Result<void> stamp(const Batch& batch) {
    const Column& times = batch.column(column_);
    watermarks_.reserve(batch.rows * sizeof(EventTimeUs));
    auto* watermarks = reinterpret_cast<EventTimeUs*>(watermarks_.data());
    kept_.clear();
    for (std::uint32_t r = 0; r < batch.rows; ++r) {
      watermarks[r] = watermark_;
      if (times.is_null(r)) {
        const std::string input = bad_.wants_input() ? row_as_json(batch, r) : std::string();
        SLUICE_TRY(bad_.add(ErrorCode::event_time_null, input,
                            fmt::format("the column \"{}\" is null", batch.schema->field(column_).name)));
        continue;
      }
      kept_.push_back(r);
      watermark_ = std::max(watermark_, watermark_after(times.int64s()[r], bound_us_));
    }
    return {};
  }

  // All rows of the batch, the bad ones too, with the two columns; they replace those of an earlier event
  // time.
  Batch with_times(const Batch& batch) {
    columns_.assign(batch.columns.begin(), batch.columns.begin() + static_cast<std::ptrdiff_t>(visible_));
    columns_.push_back({Type::timestamp, nullptr, batch.column(column_).values, nullptr});
    columns_.push_back({Type::timestamp, nullptr, watermarks_.data(), nullptr});
    return {&output_, batch.rows, columns_};
  }

  std::size_t column_;
  std::int64_t bound_us_;
  TimeNs tick_interval_ns_;  // 0: it is never idle
  int quiet_ticks_ = 0;      // since the last record
  std::size_t visible_;
  const Schema& output_;
  EventTimeUs watermark_ = kWatermarkNone;
  AlignedBuffer watermarks_;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> kept_;
  RowSelection timed_;
  BadRecords bad_;
};

class BoundEventTime final : public BoundOperator {
 public:
  BoundEventTime(std::size_t column, std::int64_t bound_us, std::int64_t idle_timeout_us, const Schema& input,
                 OnError on_error)
      : column_(column),
        bound_us_(bound_us),
        idle_timeout_us_(idle_timeout_us),
        visible_(input.visible()),
        on_error_(on_error) {
    std::vector<Field> fields(input.fields().begin(),
                              input.fields().begin() + static_cast<std::ptrdiff_t>(input.visible()));
    output_schemas_ = {Schema(std::move(fields), true), errors_schema()};
    traits_.max_parallelism = 1;
    traits_.max_parallelism_reason = "the event-time watermark follows the order of all records";
    traits_.order_sensitive = true;
  }

  std::unique_ptr<Operator> create() const override {
    return std::make_unique<EventTime>(column_, bound_us_, idle_timeout_us_, visible_,
                                       output_schemas_[kOutPort], on_error_);
  }

 private:
  std::size_t column_;
  std::int64_t bound_us_;
  std::int64_t idle_timeout_us_;
  std::size_t visible_;
  OnError on_error_;
};

std::unique_ptr<BoundOperator> bind_event_time(const BindInput& in, Problems& problems) {
  const Schema& input = in.inputs[0];
  const auto column = bind_column(input, in.config["column"].get<std::string>(), "/column", problems);
  if (!column) return nullptr;
  const Field& field = input.field(*column);
  if (field.type != Type::timestamp) {
    problems.push_back(
        {"/column", ErrorCode::type_mismatch,
         fmt::format("event time must be a timestamp, and \"{}\" is {}", field.name, type_name(field.type)),
         "make one before with map: from_epoch_ms(…) or to_timestamp(…, format), or in the source's schema"});
    return nullptr;
  }
  return std::make_unique<BoundEventTime>(*column, duration_us_of(in.config, "max_out_of_orderness"),
                                          duration_us_of(in.config, "idle_timeout"), input,
                                          on_error_of(in.config));
}

}  // namespace

OperatorType event_time_type() {
  OperatorType type;
  type.type = "event_time";
  type.summary = "Takes a column as each record's event time, and makes the event-time watermark from it.";
  type.example = R"({"column": "time", "max_out_of_orderness": "60s"})";
  type.fields = {
      {.name = "column",
       .type = FieldType::column,
       .required = true,
       .help = "The column, a timestamp, that holds when the record happened; a null is a bad record."},
      {.name = "max_out_of_orderness",
       .type = FieldType::duration,
       .required = true,
       .help = "How far behind the latest record another may come without being late, as a duration; "
               "the event-time watermark is the latest time minus this."},
      {.name = "idle_timeout",
       .type = FieldType::duration,
       .help = "After so long without a record, as a duration, this stream no longer holds event time back "
               "where it meets others, and with no other stream left what waits for event time is given out; "
               "left out: never.",
       .minimum = 1e4,
       .maximum = 86400e6 * 365},
      on_error_field()};
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {{"out", false, "the records as they came, each with its event time"},
                  {"errors", false, "records whose time is null"}};
  type.bind = bind_event_time;
  return type;
}

}  // namespace sluice
