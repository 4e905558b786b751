#include "operators/join/interval_join.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "operators/join/join_input.hpp"
#include "operators/join/joined_rows.hpp"
#include "operators/state/event_time_math.hpp"
#include "operators/state/key_index.hpp"
#include "operators/state/time_queue.hpp"
#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

constexpr EventTimeUs kFirstTime = std::numeric_limits<EventTimeUs>::min();
constexpr EventTimeUs kLastTime = std::numeric_limits<EventTimeUs>::max();

// Times first … last, both included; none if first > last.
struct TimeRange {
  EventTimeUs first = kLastTime;
  EventTimeUs last = kFirstTime;
};

// right time − left time in [lowest, highest], as seen from each side. Exact at the ends of int64.
class Interval {
 public:
  explicit Interval(const JoinPlan& plan) : lowest_(plan.lowest_us), highest_(plan.highest_us) {}

  // The times of the other side that a row of `side` matches.
  TimeRange matches(std::uint32_t side, EventTimeUs time) const {
    return side == kLeft ? range(Int128{time} + lowest_, Int128{time} + highest_)
                         : range(Int128{time} - highest_, Int128{time} - lowest_);
  }
  // Rows of `side` with a time before this match no row of the other side whose time is at or after `floor`.
  EventTimeUs needed_from(std::uint32_t side, EventTimeUs floor) const {
    if (floor == kWatermarkNone) return kFirstTime;
    return side == kLeft ? time_plus(floor, -highest_) : time_plus(floor, lowest_);
  }
  // The length of a stretch of time, as a power of two, of which a row's matches touch two at most.
  int stretch_bits() const {
    const auto width = static_cast<std::uint64_t>(highest_) - static_cast<std::uint64_t>(lowest_);
    return std::min<int>(static_cast<int>(std::bit_width(width)), 63);
  }

 private:
  static TimeRange range(Int128 first, Int128 last) {
    if (first > kLastTime || last < kFirstTime) return {};
    return {saturated_time(first), saturated_time(last)};
  }

  std::int64_t lowest_;
  std::int64_t highest_;
};

// Joins rows of equal key whose times are near: right time − left time within [lowest, highest].
//
// Each side keeps its rows, and finds them by (key, stretch of time): a stretch is at least as long as the
// interval, so a row looks at two chains of the other side at most, and a key that lives for days has short
// chains. A pair is emitted when the second of its rows comes, so each pair once, in whatever order the two
// inputs are read. Kind left: a left row that nothing matched is emitted once nothing can.
//
// Why the result is a function of the input. A row is late, and takes no part, if its time is before the
// event-time watermark w_c that it carries; without idle inputs our own watermark w is never above that, so
// which rows take part depends on their own streams alone. Of those, all pairs in the interval are made: a
// left row is dropped when w > t + highest, and a right row that comes after that has a time ≥ w. (Right
// rows alike, at w > t − lowest.) What a joined row carries is made of its two rows.
//
// Why nothing is emitted into time that is closed downstream. When a pair is emitted, the row that came
// second has t ≥ w: the pair's time, the later of its two, is ≥ w, and w is all that passed_on has promised.
// A left row without a match is emitted at the first watermark w > t + highest; the one before was w' ≤ t +
// highest, and promised w' − max(highest, 0) ≤ t. The carried watermark is the smaller of the pair's, and
// each row's is ≤ its time: so it is ≤ the pair's time, and a window that decides by it does not find the
// pair late. It may be below the w promised before; the time never is.
//
// Idle inputs (kind left): nothing may wait for ever, so all unmatched rows are given out; up to the
// latest of their times, what comes then is late, and the rows given out match nothing any more.
//
// State: the rows that may still match, rounded up to chunks: rows of one chunk came one after another, so a
// chunk outlives its rows by no more than the stream's disorder. One thread.
class IntervalJoin final : public Operator {
 public:
  explicit IntervalJoin(const JoinPlan& plan)
      : plan_(plan),
        interval_(plan),
        stretch_bits_(interval_.stretch_bits()),
        sides_{Side(plan, kLeft), Side(plan, kRight)},
        joined_(plan) {}

  Result<void> open(const OperatorContext& context) override {
    counters_ = context.counters;
    state_ = context.state;
    joined_.open(context);
    return {};
  }

  Result<Step> process(std::uint32_t side, const Batch& batch, Emitter& out, TimeNs) override {
    sides_[side].input.read_on_time(batch, floor_, *counters_, out);
    SLUICE_TRY(keep(side, batch));
    SLUICE_TRY(hold_state());
    find_chains(side, batch);
    batch_ = batch;
    batch_side_ = side;
    doing_ = Doing::matches;
    return resume_matches(out);
  }

  Result<Step> watermark(EventTimeUs watermark, Emitter& out, TimeNs) override {
    floor_ = std::max(floor_, watermark);
    return give_unmatched(interval_.needed_from(kLeft, floor_), false, out);
  }

  Result<Step> idle(Emitter& out, TimeNs) override {
    idle_ = true;
    return give_unmatched(kLastTime, true, out);
  }

  // What is stored of one side is for rows of the other that are still to come.
  Result<Step> input_ended(std::uint32_t side, Emitter&, TimeNs) override {
    Side& stored = sides_[other(side)];
    stored.other_ended = true;
    stored.index.clear();
    if (other(side) == kRight || !plan_.left_kind()) stored.rows.clear();
    SLUICE_TRY(hold_state());
    return Step::needs_input();
  }

  EventTimeUs passed_on(EventTimeUs watermark) const override {
    return plan_.left_kind() ? time_plus(watermark, -std::max<std::int64_t>(plan_.highest_us, 0)) : watermark;
  }

  Result<Step> finish(Emitter& out, TimeNs) override {
    finishing_ = true;
    return give_unmatched(kLastTime, true, out);
  }

  Result<Step> resume(Emitter& out, TimeNs) override {
    return doing_ == Doing::matches ? resume_matches(out) : resume_unmatched(out);
  }

 private:
  struct Side {
    Side(const JoinPlan& plan, std::uint32_t side)
        : input(plan, side), rows(plan.inputs[side]), index(rows) {}
    Side(const Side&) = delete;

    JoinInput input;
    RowStore rows;
    KeyIndex index;
    bool other_ended = false;
  };
  // A row of the batch in hand and a chain of the other side that may hold matches.
  struct Search {
    std::uint64_t hash;
    TimeRange range;
    std::uint32_t row;
    RowNumber chain;
  };
  enum class Doing : std::uint8_t { matches, unmatched };
  static constexpr std::size_t kMostLooks = 64 * 1024;  // at rows of chains, a call
  static constexpr std::size_t kPrefetchAhead = 16;

  static std::uint32_t other(std::uint32_t side) { return 1 - side; }
  std::int64_t stretch_of(EventTimeUs time) const { return time >> stretch_bits_; }
  static std::uint64_t chain_hash(std::uint64_t key_hash, std::int64_t stretch) {
    return hash_mix(key_hash ^ static_cast<std::uint64_t>(stretch) * kHashB, kHashA);
  }

  // ---- rows that come ----

  // Stores the batch's rows that may match later ones; of kind left all left rows, since they may be emitted.
  Result<void> keep(std::uint32_t side_number, const Batch& batch) {
    Side& side = sides_[side_number];
    const bool keeps_all = plan_.left_kind() && side_number == kLeft;
    kept_.clear();
    if (keeps_all) {
      kept_.assign(side.input.on_time().begin(), side.input.on_time().end());
    } else if (!side.other_ended) {
      const EventTimeUs from = interval_.needed_from(side_number, floor_);
      const EventTimeUs* times = times_of(side_number, batch);
      for (const std::uint32_t r : side.input.keyed()) {
        if (times[r] >= from) kept_.push_back(r);
      }
    }
    numbers_.resize(kept_.size());
    SLUICE_TRY(side.rows.append(batch, kept_, numbers_.data()));
    if (!side.other_ended) add_to_index(side_number, batch);
    if (!keeps_all) return {};
    number_of_.resize(batch.rows);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      number_of_[kept_[i]] = numbers_[i];
      waiting_.push(side.rows.time(numbers_[i]), numbers_[i]);
    }
    return {};
  }

  void add_to_index(std::uint32_t side_number, const Batch& batch) {
    Side& side = sides_[side_number];
    const EventTimeUs* times = times_of(side_number, batch);
    hashes_.resize(kept_.size());
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      hashes_[i] = chain_hash(side.input.hash(kept_[i]), stretch_of(times[kept_[i]]));
    }
    const SameKey same(batch, plan_.keys[side_number], side.rows, plan_.keys[side_number]);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (i + kPrefetchAhead < kept_.size()) side.index.prefetch(hashes_[i + kPrefetchAhead]);
      if (!side.input.has_key(kept_[i])) continue;
      const std::int64_t stretch = stretch_of(times[kept_[i]]);
      side.index.add(hashes_[i], numbers_[i], [&](RowNumber first) {
        return stretch_of(side.rows.time(first)) == stretch && same(kept_[i], first);
      });
    }
  }

  // Finds for each row of the batch the chains of the other side in which to look.
  void find_chains(std::uint32_t side_number, const Batch& batch) {
    const JoinInput& input = sides_[side_number].input;
    const Side& stored = sides_[other(side_number)];
    searches_.clear();
    search_ = 0;
    if (stored.index.size() == 0) return;
    const EventTimeUs* times = times_of(side_number, batch);
    for (const std::uint32_t r : input.keyed()) {
      const TimeRange range = interval_.matches(side_number, times[r]);
      if (range.first > range.last) continue;
      const std::int64_t first = stretch_of(range.first), last = stretch_of(range.last);
      searches_.push_back({chain_hash(input.hash(r), first), range, r, kNoRow});
      if (first != last) searches_.push_back({chain_hash(input.hash(r), last), range, r, kNoRow});
    }
    const SameKey same(batch, plan_.keys[side_number], stored.rows, plan_.keys[other(side_number)]);
    std::size_t found = 0;
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      if (i + kPrefetchAhead < searches_.size()) stored.index.prefetch(searches_[i + kPrefetchAhead].hash);
      Search search = searches_[i];
      // The second of two searches of a row is for the last stretch.
      const bool second = i > 0 && searches_[i - 1].row == search.row;
      const std::int64_t stretch = stretch_of(second ? search.range.last : search.range.first);
      search.chain = stored.index.find(search.hash, [&](RowNumber row) {
        return stretch_of(stored.rows.time(row)) == stretch && same(search.row, row);
      });
      if (search.chain != kNoRow) searches_[found++] = search;
    }
    searches_.resize(found);
  }

  // ---- matches ----

  Result<Step> resume_matches(Emitter& out) {
    const Side& stored = sides_[other(batch_side_)];
    const BatchRows batch(batch_, plan_.inputs[batch_side_]);
    if (batch_side_ == kLeft) {
      SLUICE_TRY(walk_chains([&](std::uint32_t row, RowNumber match) {
        if (plan_.left_kind()) sides_[kLeft].rows.mark(number_of_[row]);
        return joined_.add(batch, row, stored.rows, match);
      }));
      joined_.emit(batch, stored.rows, out);
    } else {
      SLUICE_TRY(walk_chains([&](std::uint32_t row, RowNumber match) {
        if (plan_.left_kind()) sides_[kLeft].rows.mark(match);
        return joined_.add(stored.rows, match, batch, row);
      }));
      joined_.emit(stored.rows, batch, out);
    }
    return search_ < searches_.size() ? Step::has_more() : Step::needs_input();
  }

  // Goes on with the searches until the output is full or enough rows have been looked at.
  template <typename Match>
  Result<void> walk_chains(Match match) {
    const RowStore& rows = sides_[other(batch_side_)].rows;
    std::size_t looks = 0;
    for (; search_ < searches_.size(); ++search_) {
      Search& search = searches_[search_];
      while (search.chain != kNoRow) {
        if (joined_.full() || looks++ == kMostLooks) return {};
        const RowNumber row = search.chain;
        const RowLink& link = rows.link(row);
        search.chain = link.next;
        if (search.range.first <= link.time && link.time <= search.range.last) {
          SLUICE_TRY(match(search.row, row));
        }
      }
    }
    return {};
  }

  // ---- rows that leave ----

  Result<Step> give_unmatched(EventTimeUs before, bool all, Emitter& out) {
    give_before_ = before;
    give_all_ = all;
    doing_ = Doing::unmatched;
    return resume_unmatched(out);
  }

  // Emits left rows that were not matched and are from before give_before_; then drops what is not needed.
  Result<Step> resume_unmatched(Emitter& out) {
    const RowStore& left = sides_[kLeft].rows;
    const RowStore& right = sides_[kRight].rows;
    std::size_t looks = 0;
    const auto is_due = [&] { return !waiting_.empty() && (give_all_ || waiting_.time() < give_before_); };
    while (is_due() && !joined_.full() && looks++ < kMostLooks) {
      const RowNumber row = waiting_.row();
      if (!left.marked(row)) {
        SLUICE_TRY(joined_.add(left, row, right, kNoRow));
        if (idle_) give_for_good(row);
      }
      waiting_.pop();
    }
    joined_.emit(left, right, out);
    if (is_due()) return Step::has_more();
    if (finishing_) return Step::finished();
    idle_ = false;
    for (const std::uint32_t side : kSides) drop_before(side, interval_.needed_from(side, floor_));
    SLUICE_TRY(hold_state());
    return Step::needs_input();
  }

  // A left row that has been given out early must match nothing any more.
  void give_for_good(RowNumber row) {
    Side& left = sides_[kLeft];
    const EventTimeUs time = left.rows.time(row);
    floor_ = std::max(floor_, std::min(time, kLastTime - 1) + 1);
    if (left.other_ended) return;
    const RowNumber first = row - row % RowStore::kChunkRows;
    if (hashed_chunk_ != first) hash_chunk(kLeft, first);
    left.index.remove(hashes_[row - first], row);
  }

  void drop_before(std::uint32_t side_number, EventTimeUs time) {
    Side& side = sides_[side_number];
    side.rows.free_before(time, [&](RowNumber first, std::uint32_t count) {
      if (side.other_ended) return;  // the index is empty
      hash_chunk(side_number, first);
      for (std::uint32_t i = 0; i < count; ++i) {
        if (i + kPrefetchAhead < count) side.index.prefetch(hashes_[i + kPrefetchAhead]);
        side.index.remove(hashes_[i], first + i);
      }
    });
    hashed_chunk_ = kNoRow;
  }

  // hashes_ = those of the chunk's rows in the index.
  void hash_chunk(std::uint32_t side_number, RowNumber first) {
    Side& side = sides_[side_number];
    const std::vector<std::size_t>& keys = plan_.keys[side_number];
    const Batch chunk = side.rows.chunk_of(first, keys);
    key_places_.resize(keys.size());
    std::iota(key_places_.begin(), key_places_.end(), std::size_t{0});
    hashes_.resize(chunk.rows);
    hash_columns(chunk, key_places_, hashes_.data());
    for (std::uint32_t i = 0; i < chunk.rows; ++i) {
      hashes_[i] = chain_hash(hashes_[i], stretch_of(side.rows.time(first + i)));
    }
    hashed_chunk_ = first;
  }

  Result<void> hold_state() {
    std::uint64_t bytes = waiting_.bytes(), chains = 0;
    for (const Side& side : sides_) {
      bytes += side.rows.bytes() + side.index.bytes();
      chains += side.index.size();
    }
    return state_->hold(bytes, chains);
  }

  const EventTimeUs* times_of(std::uint32_t side, const Batch& batch) const {
    return batch.column(plan_.inputs[side].event_time_index()).int64s();
  }

  const JoinPlan& plan_;
  const Interval interval_;
  const int stretch_bits_;
  OperatorCounters* counters_ = nullptr;
  StateShare* state_ = nullptr;
  std::array<Side, 2> sides_;
  TimeQueue waiting_;  // kind left: left rows that may have to be given out unmatched
  JoinedRows joined_;
  EventTimeUs floor_ = kWatermarkNone;  // our own watermark; results up to it may have been given
  // What a call that said kHasMore goes on with:
  Doing doing_ = Doing::matches;
  Batch batch_;  // alive until process is done with it
  std::uint32_t batch_side_ = kLeft;
  std::vector<Search> searches_;
  std::size_t search_ = 0;
  EventTimeUs give_before_ = kWatermarkNone;
  bool give_all_ = false;
  bool idle_ = false;
  bool finishing_ = false;
  // Of the batch in hand:
  std::vector<std::uint32_t> kept_;   // rows that are stored
  std::vector<RowNumber> numbers_;    // theirs
  std::vector<RowNumber> number_of_;  // by row; kind left
  std::vector<std::uint64_t> hashes_;
  std::vector<std::size_t> key_places_;
  RowNumber hashed_chunk_ = kNoRow;  // whose rows' hashes hashes_ holds, while unmatched rows are given
};

}  // namespace

std::unique_ptr<Operator> make_interval_join(const JoinPlan& plan) {
  return std::make_unique<IntervalJoin>(plan);
}

}  // namespace sluice
