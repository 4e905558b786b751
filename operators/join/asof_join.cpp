#include "operators/join/asof_join.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "operators/join/join_input.hpp"
#include "operators/join/joined_rows.hpp"
#include "operators/state/key_index.hpp"
#include "operators/state/time_queue.hpp"
#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

// One side: the rows that wait for the event-time watermark, and those of them that are being taken.
struct WaitingRows {
  WaitingRows(const JoinPlan& plan, std::uint32_t side) : input(plan, side), rows(plan.inputs[side]) {
    std::vector<Field> fields;
    for (const std::size_t key : plan.keys[side]) fields.push_back(plan.inputs[side].field(key));
    for (std::size_t k = 0; k < fields.size(); ++k) key_places.push_back(k);
    keys.emplace(Schema(std::move(fields)));
  }
  WaitingRows(const WaitingRows&) = delete;

  // Looks at the keys of the rows taken.
  void read_keys(const JoinPlan& plan, std::uint32_t side) {
    keys->clear();
    for (const std::size_t k : key_places) rows.append_column(plan.keys[side][k], taken, keys->column(k));
    hashes.resize(taken.size());
    const Batch batch = keys->view();
    key_views = batch.columns;
    hash_columns(batch, key_places, hashes.data());
  }

  // Whether no part of the key of row i of those taken is null.
  bool has_key(std::size_t i) const {
    return std::none_of(key_places.begin(), key_places.end(),
                        [&](std::size_t k) { return key_views[k].is_null(i); });
  }

  JoinInput input;
  RowStore rows;
  TimeQueue queue;
  std::vector<RowNumber> taken;
  std::optional<BatchStaging> keys;  // of the rows taken
  std::vector<std::size_t> key_places;
  std::span<const Column> key_views;
  std::vector<std::uint64_t> hashes;
  std::size_t next = 0;  // of the rows taken
};

// Joins each left row with the latest right row of its key that is not after it; of right rows of equal time
// with the last to come.
//
// Rows of both sides wait until the event-time watermark w has passed them (t < w). Then they are taken in
// the order of their times, right rows before left ones of the same time: a right row becomes the one that
// holds for its key, a left row is joined with what holds. No row before w can come any more, so that is the
// order in which they would have come without disorder: a function of the input (and, for right rows of equal
// key and time, of their order). A row is late if its time is before the watermark that it carries, or before
// our own.
//
// A joined row's time is its left row's, t ≥ w' for the watermark w' before, which is what passed_on has
// promised; it is emitted before w is passed on, and what is left has t ≥ w. Both rows' carried watermarks
// are ≤ their times, and the right time is ≤ t, so the smaller is ≤ t too.
//
// Idle inputs: all left rows that wait are given out with what is known; up to the latest of their times,
// what comes then is late.
//
// State: the rows that wait, and one right row for each key that ever had one. One thread.
class AsofJoin final : public Operator {
 public:
  explicit AsofJoin(const JoinPlan& plan)
      : plan_(plan), left_(plan, kLeft), right_(plan, kRight), holding_(right_.rows), joined_(plan) {}

  Result<void> open(const OperatorContext& context) override {
    counters_ = context.counters;
    state_ = context.state;
    joined_.open(context);
    return {};
  }

  Result<Step> process(std::uint32_t side, const Batch& batch, Emitter& out, TimeNs) override {
    WaitingRows& waiting = side == kLeft ? left_ : right_;
    waiting.input.read_on_time(batch, floor_, *counters_, out);
    if (side == kRight && right_useless()) return Step::needs_input();
    const bool keeps_all = side == kLeft && plan_.left_kind();
    const auto kept = keeps_all ? waiting.input.on_time() : waiting.input.keyed();
    numbers_.resize(kept.size());
    SLUICE_TRY(waiting.rows.append(batch, kept, numbers_.data()));
    for (const RowNumber number : numbers_) waiting.queue.push(waiting.rows.time(number), number);
    SLUICE_TRY(hold_state());
    return Step::needs_input();
  }

  Result<Step> watermark(EventTimeUs watermark, Emitter& out, TimeNs) override {
    floor_ = std::max(floor_, watermark);
    return sweep(out);
  }

  Result<Step> idle(Emitter& out, TimeNs) override {
    if (!left_.queue.empty() && left_.queue.latest() >= floor_) {
      floor_ = std::min(left_.queue.latest(), kWatermarkEnd - 1) + 1;
    }
    return sweep(out);
  }

  Result<Step> input_ended(std::uint32_t side, Emitter&, TimeNs) override {
    left_ended_ |= side == kLeft;
    return drop_useless();
  }

  Result<Step> finish(Emitter& out, TimeNs) override {
    finishing_ = true;
    return sweep(out);
  }

  Result<Step> resume(Emitter& out, TimeNs) override { return sweep(out); }

 private:
  static constexpr std::uint64_t kMinCompact = 16 * 1024;

  bool is_due(const TimeQueue& queue) const {
    return !queue.empty() && (finishing_ || queue.time() < floor_);
  }

  // Gives the results of rows that are due.
  Result<Step> sweep(Emitter& out) {
    if (next_ == order_.size()) take_due();
    const SameKey left_same(left_.keys->view(), left_.key_places, right_.rows, plan_.keys[kRight]);
    const SameKey right_same(right_.keys->view(), right_.key_places, right_.rows, plan_.keys[kRight]);
    for (; next_ < order_.size() && !joined_.full(); ++next_) {
      if (order_[next_] == kRight) {
        hold(right_same);
      } else {
        SLUICE_TRY(join(left_same));
      }
    }
    joined_.emit(left_.rows, right_.rows, out);
    release();
    if (next_ < order_.size() || is_due(left_.queue) || is_due(right_.queue)) return Step::has_more();
    if (finishing_) return Step::finished();
    SLUICE_TRY(compact());
    return drop_useless();
  }

  // No left row waits, and none will come.
  bool right_useless() const { return left_ended_ && left_.queue.empty() && next_ == order_.size(); }

  Result<Step> drop_useless() {
    if (right_useless()) {
      right_.rows.clear();
      right_.queue.clear();
      holding_.clear();
    }
    SLUICE_TRY(hold_state());
    return Step::needs_input();
  }

  Result<void> hold_state() {
    std::uint64_t bytes = holding_.bytes();
    for (const WaitingRows* side : {&left_, &right_}) bytes += side->rows.bytes() + side->queue.bytes();
    // A row that waits may be of any key.
    return state_->hold(bytes, holding_.size() + left_.queue.size() + right_.queue.size());
  }

  // Takes rows that are due off the queues, in the order of their times: a batch of them.
  void take_due() {
    order_.clear();
    next_ = 0;
    for (WaitingRows* side : {&left_, &right_}) {
      side->taken.clear();
      side->next = 0;
    }
    while (order_.size() < kTargetBatchRows) {
      const bool left_due = is_due(left_.queue), right_due = is_due(right_.queue);
      if (!left_due && !right_due) break;
      const bool right_first = right_due && (!left_due || right_.queue.time() <= left_.queue.time());
      WaitingRows& side = right_first ? right_ : left_;
      side.taken.push_back(side.queue.row());
      side.queue.pop();
      order_.push_back(right_first ? kRight : kLeft);
    }
    left_.read_keys(plan_, kLeft);
    right_.read_keys(plan_, kRight);
  }

  // The next right row is the one that holds for its key from now on.
  void hold(const SameKey& same) {
    const std::size_t i = right_.next++;
    const RowNumber old = holding_.replace(right_.hashes[i], right_.taken[i], [&](RowNumber held) {
      return same(static_cast<std::uint32_t>(i), held);
    });
    if (old != kNoRow) used_right_.push_back(old);
  }

  Result<void> join(const SameKey& same) {
    const std::size_t i = left_.next++;
    const RowNumber row = left_.taken[i];
    used_left_.push_back(row);
    RowNumber match = kNoRow;
    if (left_.has_key(i)) {
      match = holding_.find(left_.hashes[i],
                            [&](RowNumber held) { return same(static_cast<std::uint32_t>(i), held); });
    }
    if (match == kNoRow && !plan_.left_kind()) return {};
    return joined_.add(left_.rows, row, right_.rows, match);
  }

  // Rows that are needed no more; only once what was joined with them has been copied.
  void release() {
    for (const RowNumber row : used_left_) left_.rows.release(row);
    for (const RowNumber row : used_right_) right_.rows.release(row);
    used_left_.clear();
    used_right_.clear();
  }

  // A row that stays for long, such as one of a key that is rare, keeps its chunk. Where most of what is
  // stored has been released, what is left moves together.
  Result<void> compact() {
    for (WaitingRows* side : {&left_, &right_}) {
      if (side->rows.stored_rows() < kMinCompact || side->rows.rows() * 4 > side->rows.stored_rows())
        continue;
      RowStore fresh(plan_.inputs[side == &left_ ? kLeft : kRight]);
      Result<void> moved;
      const auto move = [&](RowNumber row) {
        Result<RowNumber> number = fresh.append_from(side->rows, row);
        if (number) return *number;
        moved = number.error();
        return row;
      };
      side->queue.renumber(move);
      if (side == &right_) holding_.renumber(move);
      SLUICE_TRY(moved);
      side->rows = std::move(fresh);
    }
    return {};
  }

  const JoinPlan& plan_;
  OperatorCounters* counters_ = nullptr;
  StateShare* state_ = nullptr;
  WaitingRows left_;
  WaitingRows right_;
  KeyIndex holding_;  // the right row that holds for each key
  JoinedRows joined_;
  EventTimeUs floor_ = kWatermarkNone;  // our own watermark; results up to it may have been given
  bool left_ended_ = false;
  bool finishing_ = false;
  std::vector<std::uint32_t> order_;  // the sides of the rows taken
  std::size_t next_ = 0;              // of them
  std::vector<RowNumber> used_left_;
  std::vector<RowNumber> used_right_;
  std::vector<RowNumber> numbers_;
};

}  // namespace

std::unique_ptr<Operator> make_asof_join(const JoinPlan& plan) { return std::make_unique<AsofJoin>(plan); }

}  // namespace sluice
