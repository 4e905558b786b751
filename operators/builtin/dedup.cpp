#include "operators/builtin/dedup.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <map>

#include "operators/binding/binding.hpp"
#include "operators/binding/row_selection.hpp"
#include "operators/state/event_time_math.hpp"
#include "operators/state/row_codec.hpp"

namespace sluice {
namespace {

constexpr std::uint32_t kDedupOutPort = 0;
constexpr std::uint32_t kDedupLatePort = 1;

struct DedupPlan {
  Schema schema;
  std::vector<std::size_t> keys;
  std::int64_t within_us = 1;
};

// The times of the records that have passed, by slice of event time and key. Two records of a key that both
// passed lie at least `within` apart, so a slice of that length holds one time a key at most, and what is in
// a record's way lies in its own slice or in one beside it. A slice is forgotten whole. Slices without a
// record do not exist, so a jump in time costs nothing.
class PassedTimes {
 public:
  explicit PassedTimes(std::int64_t within_us) : within_us_(within_us) {}

  // True, and remembered, if no time of the key is nearer than `within`.
  bool pass(const std::string& key, EventTimeUs time) {
    const std::int64_t slice = floor_div(time, within_us_);
    // The slices beside it; at an end of int64 one of them is the slice itself.
    for (const std::int64_t s : {slice, time_plus(slice, -1), time_plus(slice, 1)}) {
      const Slice* near = find(s);
      if (near == nullptr) continue;
      const auto passed = near->times.find(key);
      if (passed != near->times.end() && time_distance(passed->second, time) < within()) return false;
    }
    Slice& own = slices_[slice];
    const std::size_t room = own.times.capacity();
    own.times.emplace(key, time);
    const std::size_t grown = (own.times.capacity() - room) * kEntryBytes + heap_bytes(key);
    own.bytes += grown;
    bytes_ += grown;
    ++keys_;
    return true;
  }

  // Forgets the slices whose every time is at or before `time`.
  void forget(EventTimeUs time) {
    while (!slices_.empty() && last_of(slices_.begin()->first) <= time) {
      keys_ -= slices_.begin()->second.times.size();
      bytes_ -= slices_.begin()->second.bytes;
      slices_.erase(slices_.begin());
    }
  }

  std::uint64_t bytes() const { return bytes_ + slices_.size() * (sizeof(Slice) + kNodeBytes); }
  std::uint64_t keys() const { return keys_; }

 private:
  struct Slice {
    absl::flat_hash_map<std::string, EventTimeUs> times;
    std::size_t bytes = 0;
  };
  static constexpr std::size_t kEntryBytes = sizeof(std::string) + sizeof(EventTimeUs) + 1;
  static constexpr std::size_t kNodeBytes = 48;  // of the map, and of the allocations

  static std::size_t heap_bytes(const std::string& key) {
    return key.size() <= std::string().capacity() ? 0 : key.size() + 16;
  }
  std::uint64_t within() const { return static_cast<std::uint64_t>(within_us_); }
  EventTimeUs last_of(std::int64_t slice) const {
    return saturated_time((static_cast<Int128>(slice) + 1) * within_us_ - 1);
  }
  const Slice* find(std::int64_t slice) const {
    const auto found = slices_.find(slice);
    return found == slices_.end() ? nullptr : &found->second;
  }

  std::int64_t within_us_;
  std::map<std::int64_t, Slice> slices_;  // by floor(time / within)
  std::uint64_t keys_ = 0;
  std::uint64_t bytes_ = 0;
};

// Passes a record unless one of its key that passed before it lies nearer than `within` in event time, on
// either side. Which of several passes depends on their order, and so the input keeps it.
//
// A record that the event-time watermark it carries has passed by `within` or more is late: what may have
// passed before it is no longer known. A record that is not late lies after watermark − within; so what lies
// at or before watermark − 2·within can be in nobody's way and is forgotten. Memory: the records that passed
// since.
class Dedup final : public Operator {
 public:
  explicit Dedup(const DedupPlan& plan)
      : plan_(plan), passed_(plan.within_us), kept_(plan.schema), late_(plan.schema) {}

  Result<void> open(const OperatorContext& context) override {
    counters_ = context.counters;
    state_ = context.state;
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) override {
    const std::int64_t* times = batch.column(plan_.schema.event_time_index()).int64s();
    const std::int64_t* watermarks = batch.column(plan_.schema.watermark_index()).int64s();
    kept_rows_.clear();
    late_rows_.clear();
    for (std::uint32_t row = 0; row < batch.rows; ++row) {
      if (time_plus(times[row], plan_.within_us) <= std::max(watermarks[row], watermark_)) {
        late_rows_.push_back(row);
        continue;
      }
      encode_key(batch, plan_.keys, row, key_);
      if (passed_.pass(key_, times[row])) kept_rows_.push_back(row);
    }
    SLUICE_TRY(state_->hold(passed_.bytes(), passed_.keys()));
    if (!kept_rows_.empty()) out.emit(kDedupOutPort, kept_.take(batch, kept_rows_));
    if (!late_rows_.empty()) {
      counters_->late.add(late_rows_.size());
      out.emit(kDedupLatePort, late_.take(batch, late_rows_));
    }
    return Step::needs_input();
  }

  Result<Step> watermark(EventTimeUs watermark, Emitter&, TimeNs) override {
    watermark_ = std::max(watermark_, watermark);
    passed_.forget(time_plus(time_plus(watermark_, -plan_.within_us), -plan_.within_us));
    SLUICE_TRY(state_->hold(passed_.bytes(), passed_.keys()));
    return Step::needs_input();
  }

 private:
  const DedupPlan& plan_;
  OperatorCounters* counters_ = nullptr;
  StateShare* state_ = nullptr;
  EventTimeUs watermark_ = kWatermarkNone;
  PassedTimes passed_;
  RowSelection kept_;
  RowSelection late_;
  std::string key_;
  std::vector<std::uint32_t> kept_rows_;
  std::vector<std::uint32_t> late_rows_;
};

class BoundDedup final : public BoundOperator {
 public:
  explicit BoundDedup(DedupPlan plan) : plan_(std::move(plan)) {
    output_schemas_ = {plan_.schema, plan_.schema};
    for (const std::size_t key : plan_.keys) traits_.keys.push_back(plan_.schema.field(key).name);
    traits_.order_sensitive = true;
  }
  std::unique_ptr<Operator> create() const override { return std::make_unique<Dedup>(plan_); }

 private:
  DedupPlan plan_;
};

std::unique_ptr<BoundOperator> bind_dedup(const BindInput& in, Problems& problems) {
  const std::size_t before = problems.size();
  DedupPlan plan;
  plan.schema = in.inputs[0];
  const auto keys = bind_columns(plan.schema, in.config["keys"], "/keys", problems);
  plan.within_us = duration_us_of(in.config, "within");
  if (plan.within_us <= 0) {
    problems.push_back({"/within", ErrorCode::out_of_range, "\"within\" must be above 0",
                        "nothing is nearer than 0s: leave the operator out"});
  }
  if (!plan.schema.has_event_time()) {
    problems.push_back({"/within", ErrorCode::event_time_missing,
                        "\"within\" is a distance in event time, and no event_time operator precedes it",
                        "put an event_time operator in front"});
  }
  if (problems.size() > before) return nullptr;
  plan.keys = *keys;
  return std::make_unique<BoundDedup>(std::move(plan));
}

}  // namespace

OperatorType dedup_type() {
  OperatorType type;
  type.type = "dedup";
  type.summary =
      "Passes the first of several records of a key that lie close together in event time; the first to "
      "come, "
      "which is a matter of timing where several sources meet in front of it.";
  type.example = R"({"keys": ["order_id"], "within": "10m"})";
  type.fields = {
      {.name = "keys",
       .type = FieldType::columns,
       .required = true,
       .help = "The columns that make two records the same; null is a value too, -0.0 is 0.0 and every NaN "
               "the same.",
       .min_items = 1},
      {.name = "within",
       .type = FieldType::duration,
       .required = true,
       .help = "A record is dropped if one of its key that passed before it lies less than this duration "
               "away, earlier or later, in event time."}};
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {{"out", false, "the records that passed, as they came"},
                  {"late", false,
                   "records that the event-time watermark has passed by \"within\" or more, as they came"}};
  type.bind = bind_dedup;
  return type;
}

}  // namespace sluice
