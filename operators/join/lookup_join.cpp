#include "operators/join/lookup_join.hpp"

#include "operators/join/join_input.hpp"
#include "operators/join/joined_rows.hpp"
#include "operators/state/key_index.hpp"
#include "runtime/base/check.hpp"

namespace sluice {
namespace {

// Joins each left row with the rows of a table, the right input, which is read to its end before any left
// row is taken.
//
// Of the right rows of a key the first to come counts, or all do, in order of arrival. So the result is a
// function of the input: of the right one's order, and for all matches not even of that. Left rows pass in
// their order and are never late here: a joined row carries the event-time watermark of its left row, so what
// follows decides about it as if the table were not there. (Not the smaller of the two, as other joins do:
// the table's watermark says nothing about the stream, and the first row of the table has none; a late left
// row would then be late or not depending on how far our own watermark is.) The joined time, the later of the
// two, is not before the left row's; so it is in time that is closed downstream only if the left row was.
//
// State: the table, in memory; with first matches one row a key. One thread.
class LookupJoin final : public Operator {
 public:
  explicit LookupJoin(const JoinPlan& plan)
      : plan_(plan),
        inputs_{JoinInput(plan, kLeft), JoinInput(plan, kRight)},
        table_(plan.inputs[kRight]),
        index_(table_),
        joined_(plan) {}

  Result<void> open(const OperatorContext& context) override {
    state_ = context.state;
    joined_.open(context);
    return {};
  }

  Result<Step> process(std::uint32_t side, const Batch& batch, Emitter& out, TimeNs) override {
    inputs_[side].read_all(batch);
    if (side == kRight) {
      SLUICE_TRY(plan_.all_matches ? add_all(batch) : add_first(batch));
      SLUICE_TRY(state_->hold(table_.bytes() + index_.bytes(), index_.size()));
      return Step::needs_input();
    }
    SLUICE_CHECK(table_complete_, "a left row came before the table had ended");
    find_chains(batch);
    batch_ = batch;
    return resume(out, 0);
  }

  bool takes(std::uint32_t side) const override { return side == kRight || table_complete_; }

  Result<Step> input_ended(std::uint32_t side, Emitter&, TimeNs) override {
    if (side == kRight) table_complete_ = true;
    return Step::needs_input();
  }

  Result<Step> resume(Emitter& out, TimeNs) override {
    const BatchRows left(batch_, plan_.inputs[kLeft]);
    while (row_ < batch_.rows && !joined_.full()) {
      const RowNumber match = chains_[row_];
      if (match != kNoRow || plan_.left_kind()) SLUICE_TRY(joined_.add(left, row_, table_, match));
      if (match != kNoRow) chains_[row_] = table_.link(match).next;
      if (chains_[row_] == kNoRow) ++row_;
    }
    joined_.emit(left, table_, out);
    return row_ < batch_.rows ? Step::has_more() : Step::needs_input();
  }

 private:
  static constexpr std::size_t kPrefetchAhead = 16;

  Result<void> add_all(const Batch& batch) {
    const auto keyed = inputs_[kRight].keyed();
    numbers_.resize(keyed.size());
    SLUICE_TRY(table_.append(batch, keyed, numbers_.data()));
    const SameKey same(batch, plan_.keys[kRight], table_, plan_.keys[kRight]);
    for (std::size_t i = 0; i < keyed.size(); ++i) {
      if (i + kPrefetchAhead < keyed.size()) index_.prefetch(inputs_[kRight].hash(keyed[i + kPrefetchAhead]));
      index_.add(inputs_[kRight].hash(keyed[i]), numbers_[i],
                 [&](RowNumber first) { return same(keyed[i], first); });
    }
    return {};
  }

  Result<void> add_first(const Batch& batch) {
    const SameKey same(batch, plan_.keys[kRight], table_, plan_.keys[kRight]);
    for (const std::uint32_t r : inputs_[kRight].keyed()) {
      const std::uint64_t hash = inputs_[kRight].hash(r);
      if (index_.find(hash, [&](RowNumber first) { return same(r, first); }) != kNoRow) continue;
      RowNumber number;
      SLUICE_TRY(table_.append(batch, {&r, 1}, &number));
      index_.add(hash, number, [](RowNumber) { return false; });
    }
    return {};
  }

  void find_chains(const Batch& batch) {
    const JoinInput& left = inputs_[kLeft];
    chains_.assign(batch.rows, kNoRow);
    row_ = 0;
    const auto keyed = left.keyed();
    const SameKey same(batch, plan_.keys[kLeft], table_, plan_.keys[kRight]);
    for (std::size_t i = 0; i < keyed.size(); ++i) {
      if (i + kPrefetchAhead < keyed.size()) index_.prefetch(left.hash(keyed[i + kPrefetchAhead]));
      chains_[keyed[i]] =
          index_.find(left.hash(keyed[i]), [&](RowNumber first) { return same(keyed[i], first); });
    }
  }

  const JoinPlan& plan_;
  std::array<JoinInput, 2> inputs_;
  RowStore table_;
  KeyIndex index_;
  JoinedRows joined_;
  StateShare* state_ = nullptr;
  bool table_complete_ = false;
  std::vector<RowNumber> numbers_;
  // The left batch in hand, alive until process is done with it, and how far its rows have been joined:
  Batch batch_;
  std::vector<RowNumber> chains_;  // by row: what is left of its matches
  std::uint32_t row_ = 0;
};

}  // namespace

std::unique_ptr<Operator> make_lookup_join(const JoinPlan& plan) {
  return std::make_unique<LookupJoin>(plan);
}

}  // namespace sluice
