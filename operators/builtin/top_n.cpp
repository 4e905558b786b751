#include "operators/builtin/top_n.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <unordered_map>

#include "operators/binding/binding.hpp"
#include "operators/binding/ports.hpp"
#include "operators/state/give_memory_back.hpp"
#include "operators/state/row_codec.hpp"

namespace sluice {
namespace {

struct TopNPlan {
  struct By {
    std::size_t column;
    bool descending;
  };
  Schema schema;
  std::uint64_t n = 1;
  std::vector<By> by;
  std::vector<std::size_t> per;
  bool windowed = false;  // groups are complete when the event-time watermark passes them
};

// Which of two encoded rows comes first. Where `by` is a tie all visible columns decide, in their order, so
// that which rows are the first n depends on what rows there are and not on which came first. Nulls last, for
// descending columns too.
class TopNOrder {
 public:
  explicit TopNOrder(const TopNPlan& plan) : plan_(plan), codec_(plan.schema) {}

  const RowCodec& codec() const { return codec_; }

  bool first(std::string_view a, std::string_view b) const {
    for (const TopNPlan::By& by : plan_.by) {
      const int c = codec_.compare(a, b, by.column);
      if (c == 0) continue;
      const bool null = codec_.is_null(a, by.column) || codec_.is_null(b, by.column);
      return by.descending && !null ? c > 0 : c < 0;
    }
    for (std::size_t column = 0; column < codec_.columns(); ++column) {
      if (const int c = codec_.compare(a, b, column); c != 0) return c < 0;
    }
    return a < b;  // -0.0 and 0.0, or NaNs: alike in order, and yet one must come first
  }

  // The order of groups: by the columns of `per`, ascending.
  bool group_first(std::string_view a, std::string_view b) const {
    for (const std::size_t column : plan_.per) {
      if (const int c = codec_.compare(a, b, column); c != 0) return c < 0;
    }
    return false;
  }

 private:
  const TopNPlan& plan_;
  RowCodec codec_;
};

// Keeps the n first rows of each group, in a heap whose top is the last of them. A group is emitted, in
// order, when the event-time watermark has passed its latest event time (groups per window), or at the end.
// Memory: n rows a group.
class TopN final : public Operator {
 public:
  explicit TopN(const TopNPlan& plan) : plan_(plan), order_(plan), results_(plan.schema) {}

  Result<void> open(const OperatorContext& context) override {
    state_ = context.state;
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter&, TimeNs) override {
    for (std::uint32_t r = 0; r < batch.rows; ++r) {
      encode_key(batch, plan_.per, r, key_);
      Group& group = group_of_key();
      order_.codec().encode(batch, r, row_);
      add(group);
      if (plan_.windowed) {
        const EventTimeUs time = batch.column(plan_.schema.event_time_index()).int64s()[r];
        group.latest = std::max(group.latest, time);
        earliest_ = std::min(earliest_, group.latest);
      }
    }
    SLUICE_TRY(hold());
    return Step::needs_input();
  }

  Result<Step> watermark(EventTimeUs watermark, Emitter& out, TimeNs) override {
    // `earliest_` may be too early, never too late: the scan puts it right.
    if (plan_.windowed && watermark > earliest_) close_groups(watermark);
    return emit_closed(out);
  }

  // Without windows everything comes at the end, and so does the progress of event time.
  EventTimeUs passed_on(EventTimeUs watermark) const override {
    return plan_.windowed ? watermark : kWatermarkNone;
  }

  Result<Step> finish(Emitter& out, TimeNs) override {
    finishing_ = true;
    close_groups(kWatermarkEnd);
    return emit_closed(out);
  }

  Result<Step> resume(Emitter& out, TimeNs) override { return emit_closed(out); }

 private:
  struct Group {
    std::vector<std::string> rows;  // a heap; sorted once the group is closed
    EventTimeUs latest = kWatermarkNone;
  };
  using Groups = std::unordered_map<std::string, Group>;

  static constexpr std::size_t kNodeBytes = 40;        // of the map and of the allocations, for each group
  static constexpr std::size_t kAllocationBytes = 16;  // what the allocator adds to a piece, about
  static constexpr std::size_t kMinShrink = 1024;

  // ---- what is held ----

  static std::size_t heap_bytes(const std::string& text) {
    static const std::size_t kInPlace = std::string().capacity();
    return text.capacity() > kInPlace ? text.capacity() + kAllocationBytes : 0;
  }
  static std::size_t heap_bytes(const Group& group) {
    std::size_t bytes = group.rows.capacity() * sizeof(std::string);
    for (const std::string& row : group.rows) bytes += heap_bytes(row);
    return bytes;
  }

  Result<void> hold() {
    const std::uint64_t bytes = heap_bytes_ + groups_.bucket_count() * sizeof(void*) +
                                groups_.size() * (sizeof(Groups::value_type) + kNodeBytes) +
                                closed_.size() * sizeof(Group);
    return state_->hold(bytes, groups_.size() + closed_.size());
  }

  // ---- groups ----

  Group& group_of_key() {
    const auto [place, added] = groups_.try_emplace(key_);
    if (added) heap_bytes_ += heap_bytes(place->first);
    return place->second;
  }

  auto row_order() const {
    return [this](const std::string& a, const std::string& b) { return order_.first(a, b); };
  }

  // Adds row_ if it is among the first n so far.
  void add(Group& group) {
    if (group.rows.size() == plan_.n) {
      if (!order_.first(row_, group.rows.front())) return;
      std::pop_heap(group.rows.begin(), group.rows.end(), row_order());
      heap_bytes_ -= heap_bytes(group.rows.back());
      group.rows.back() = row_;
    } else {
      heap_bytes_ -= group.rows.capacity() * sizeof(std::string);
      group.rows.push_back(row_);
      heap_bytes_ += group.rows.capacity() * sizeof(std::string);
    }
    heap_bytes_ += heap_bytes(group.rows.back());
    std::push_heap(group.rows.begin(), group.rows.end(), row_order());
  }

  void close_groups(EventTimeUs watermark) {
    const auto before = static_cast<std::ptrdiff_t>(closed_.size());
    earliest_ = std::numeric_limits<EventTimeUs>::max();
    for (auto it = groups_.begin(); it != groups_.end();) {
      Group& group = it->second;
      if (watermark != kWatermarkEnd && group.latest >= watermark) {
        earliest_ = std::min(earliest_, group.latest);
        ++it;
        continue;
      }
      std::sort_heap(group.rows.begin(), group.rows.end(), row_order());
      closed_.push_back(std::move(group));
      heap_bytes_ -= heap_bytes(it->first);
      it = groups_.erase(it);
    }
    if (groups_.bucket_count() > kMinShrink && groups_.size() < groups_.bucket_count() / 8) groups_.rehash(0);
    std::sort(closed_.begin() + before, closed_.end(), [this](const Group& a, const Group& b) {
      return order_.group_first(a.rows.front(), b.rows.front());
    });
  }

  Result<Step> emit_closed(Emitter& out) {
    results_.clear();
    while (!closed_.empty() && !results_.full()) {
      const Group& group = closed_.front();
      order_.codec().append(group.rows[emitted_of_front_++], results_);
      if (emitted_of_front_ < group.rows.size()) continue;
      heap_bytes_ -= heap_bytes(group);
      closed_.pop_front();
      emitted_of_front_ = 0;
      if (closed_.empty()) give_memory_back(closed_);
    }
    if (results_.rows() > 0) out.emit(kOutPort, results_.view());
    if (!closed_.empty()) return Step::has_more();
    SLUICE_TRY(hold());
    return finishing_ ? Step::finished() : Step::needs_input();
  }

  const TopNPlan& plan_;
  TopNOrder order_;
  StateShare* state_ = nullptr;
  Groups groups_;                                                   // by the encoded values of `per`
  EventTimeUs earliest_ = std::numeric_limits<EventTimeUs>::max();  // no group's `latest` is before it
  std::deque<Group> closed_;
  std::size_t emitted_of_front_ = 0;
  std::size_t heap_bytes_ = 0;  // of the groups' keys and rows
  bool finishing_ = false;
  BatchStaging results_;
  std::string key_;
  std::string row_;
};

class BoundTopN final : public BoundOperator {
 public:
  explicit BoundTopN(TopNPlan plan) : plan_(std::move(plan)) {
    output_schemas_ = {plan_.schema};
    for (const std::size_t column : plan_.per) traits_.keys.push_back(plan_.schema.field(column).name);
    if (plan_.per.empty()) {
      traits_.max_parallelism = 1;
      traits_.max_parallelism_reason = "without \"per\" the first of all records are found in one task";
    }
  }
  std::unique_ptr<Operator> create() const override { return std::make_unique<TopN>(plan_); }

 private:
  TopNPlan plan_;
};

std::unique_ptr<BoundOperator> bind_top_n(const BindInput& in, Problems& problems) {
  const std::size_t before = problems.size();
  TopNPlan plan;
  plan.schema = in.inputs[0];
  plan.n = in.config["n"].get<std::uint64_t>();
  const Json& by = in.config["by"];
  for (std::size_t i = 0; i < by.size(); ++i) {
    const std::string at = fmt::format("/by/{}/column", i);
    const auto column = bind_column(plan.schema, by[i]["column"].get<std::string>(), at, problems);
    if (!column) continue;
    const auto same = [&](const TopNPlan::By& b) { return b.column == *column; };
    if (std::any_of(plan.by.begin(), plan.by.end(), same)) {
      problems.push_back(
          {at, ErrorCode::duplicate_name,
           fmt::format("\"by\" names the column \"{}\" twice", plan.schema.field(*column).name),
           "the first of them decides; leave the other out"});
    }
    plan.by.push_back({*column, by[i].value("order", "asc") == "desc"});
  }
  if (auto per = bind_columns(plan.schema, config_field(in.config, "per"), "/per", problems)) plan.per = *per;
  if (problems.size() > before) return nullptr;
  plan.windowed =
      plan.schema.has_event_time() && std::any_of(plan.per.begin(), plan.per.end(), [&](std::size_t column) {
        return plan.schema.field(column) == Field{"window_start", Type::timestamp};
      });
  return std::make_unique<BoundTopN>(std::move(plan));
}

}  // namespace

OperatorType top_n_type() {
  OperatorType type;
  type.type = "top_n";
  type.summary =
      "Keeps the first n records by an order, in all or for each group, and gives them in that order.";
  type.example = R"({"n": 10, "by": [{"column": "hits", "order": "desc"}], "per": ["window_start"]})";
  type.fields = {{.name = "n",
                  .type = FieldType::integer,
                  .required = true,
                  .help = "How many records to keep, of each group.",
                  .minimum = 1,
                  .maximum = 1e9},
                 {.name = "by",
                  .type = FieldType::list,
                  .required = true,
                  .help = "The order: the first column decides, the next where it is equal, and so on; then "
                          "all columns, ascending. "
                          "Nulls come last, whichever the order; NaN is above all numbers.",
                  .members = {{.type = FieldType::object,
                               .members = {{.name = "column",
                                            .type = FieldType::column,
                                            .required = true,
                                            .help = "A column of the input."},
                                           {.name = "order",
                                            .type = FieldType::string,
                                            .default_text = "asc",
                                            .help = "asc (smallest first) or desc (largest first).",
                                            .values = {"asc", "desc"}}}}},
                  .min_items = 1},
                 {.name = "per",
                  .type = FieldType::columns,
                  .help = "The columns that make groups. With window_start among them a group is emitted "
                          "when its window has "
                          "closed; otherwise all come at the end of the input."}};
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {{"out", false, "the records kept, in order, group by group"}};
  type.bind = bind_top_n;
  return type;
}

}  // namespace sluice
