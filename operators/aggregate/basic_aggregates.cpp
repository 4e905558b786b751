#include "operators/aggregate/aggregate_factories.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

#include "operators/aggregate/exact_sum.hpp"
#include "operators/aggregate/fold_aggregate.hpp"

namespace sluice {
namespace {

void append(ColumnBuilder& out, std::int64_t v) { out.append_int64(v); }
void append(ColumnBuilder& out, double v) { out.append_float64(v); }
void append(ColumnBuilder& out, bool v) { out.append_bool(v); }
void append(ColumnBuilder& out, const std::string& v) { out.append_string(v); }

// ---- folds of numbers ----

struct IntegerSumFold : PlainFold {
  using Input = std::int64_t;
  IntegerSum state;
  void add(Settings, std::int64_t v, std::uint64_t) { state.add(v); }
  void merge(Settings, const IntegerSumFold& other) { state.merge(other.state); }
  bool append(Settings, ColumnBuilder& out) const {
    if (state.count == 0) return out.append_null(), true;
    if (!state.fits()) return false;
    return out.append_int64(static_cast<std::int64_t>(state.sum)), true;
  }
};

struct IntegerAverageFold : PlainFold {
  using Input = std::int64_t;
  IntegerSum state;
  void add(Settings, std::int64_t v, std::uint64_t) { state.add(v); }
  void merge(Settings, const IntegerAverageFold& other) { state.merge(other.state); }
  bool append(Settings, ColumnBuilder& out) const {
    state.count == 0 ? out.append_null() : out.append_float64(state.average());
    return true;
  }
};

struct FloatSumFold : PlainFold {
  using Input = double;
  FloatSum state;
  void add(Settings, double v, std::uint64_t) { state.add(v); }
  void merge(Settings, const FloatSumFold& other) { state.merge(other.state); }
  bool append(Settings, ColumnBuilder& out) const {
    state.count() == 0 ? out.append_null() : out.append_float64(state.sum());
    return true;
  }
  std::size_t heap_bytes(Settings) const { return state.heap_bytes(); }
};

struct FloatAverageFold : PlainFold {
  using Input = double;
  FloatSum state;
  void add(Settings, double v, std::uint64_t) { state.add(v); }
  void merge(Settings, const FloatAverageFold& other) { state.merge(other.state); }
  bool append(Settings, ColumnBuilder& out) const {
    state.count() == 0 ? out.append_null() : out.append_float64(state.average());
    return true;
  }
  std::size_t heap_bytes(Settings) const { return state.heap_bytes(); }
};

// A total order, so that the result is one value whatever came first: NaN above all numbers, as in
// PostgreSQL, and -0.0 below 0.0. Strings by their bytes.
template <typename T>
bool before(const T& a, const T& b) {
  return a < b;
}
bool before(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

// Whether a value replaces the one that is held.
struct TakesSmaller {
  template <typename T>
  static bool replaces(const T& fresh, std::uint64_t, const T& held, std::uint64_t) {
    return before(fresh, held);
  }
};
struct TakesLarger {
  template <typename T>
  static bool replaces(const T& fresh, std::uint64_t, const T& held, std::uint64_t) {
    return before(held, fresh);
  }
};
struct TakesFirst {
  template <typename T>
  static bool replaces(const T&, std::uint64_t fresh_arrival, const T&, std::uint64_t held_arrival) {
    return fresh_arrival < held_arrival;
  }
};
struct TakesLast {
  template <typename T>
  static bool replaces(const T&, std::uint64_t fresh_arrival, const T&, std::uint64_t held_arrival) {
    return fresh_arrival > held_arrival;
  }
};

template <typename Choice>
constexpr bool kByArrival = std::is_same_v<Choice, TakesFirst> || std::is_same_v<Choice, TakesLast>;

// The arrival number of the value that is held, where it matters.
struct NoArrival {
  NoArrival& operator=(std::uint64_t) { return *this; }
  operator std::uint64_t() const { return 0; }
};

// Keeps one of the values.
template <typename T, typename Choice>
struct ChosenFold : PlainFold {
  using Input = T;
  using Held = std::conditional_t<std::is_same_v<T, std::string_view>, std::string, T>;
  Held held{};
  [[no_unique_address]] std::conditional_t<kByArrival<Choice>, std::uint64_t, NoArrival> held_arrival{};
  bool any = false;

  void add(Settings, T v, std::uint64_t arrival) {
    if (any && !Choice::replaces(v, arrival, T(held), held_arrival)) return;
    held = v;
    held_arrival = arrival;
    any = true;
  }
  void merge(Settings s, const ChosenFold& other) {
    if (other.any) add(s, T(other.held), other.held_arrival);
  }
  bool append(Settings, ColumnBuilder& out) const {
    any ? sluice::append(out, held) : out.append_null();
    return true;
  }
  std::size_t heap_bytes(Settings) const requires std::is_same_v<T, std::string_view> {
    static const std::size_t kInPlace = std::string().capacity();
    return held.capacity() > kInPlace ? held.capacity() + 1 : 0;
  }
  std::size_t result_bytes(Settings) const requires std::is_same_v<T, std::string_view> {
    return held.size();
  }
};

// ---- count ----

// Counts records, or values that are not null.
class CountAggregate final : public Aggregate {
 public:
  void grow(std::size_t groups) override {
    if (groups > counts_.size()) counts_.resize(groups);
  }

  void update(const Column* value, const GroupId* groups, std::uint32_t rows, std::uint64_t) override {
    for (std::uint32_t r = 0; r < rows; ++r) {
      if (groups[r] == kNoGroup || (value != nullptr && value->is_null(r))) continue;
      ++counts_[groups[r]];
    }
  }

  void merge(std::span<const GroupId> from, std::span<const GroupId> into) override {
    for (std::size_t i = 0; i < from.size(); ++i) counts_[into[i]] += counts_[from[i]];
  }

  void append_results(std::span<const GroupId> groups, ColumnBuilder& out,
                      std::vector<std::uint32_t>&) const override {
    for (const GroupId group : groups) out.append_int64(counts_[group]);
  }

  std::size_t state_bytes() const override { return counts_.capacity() * sizeof(std::int64_t); }

  void clear(std::span<const GroupId> groups) override {
    for (const GroupId group : groups) counts_[group] = 0;
  }

  void compact(std::span<const GroupId> old) override { keep_states(counts_, old); }

 private:
  std::vector<std::int64_t> counts_;
};

template <typename T>
using SmallestFold = ChosenFold<T, TakesSmaller>;
template <typename T>
using LargestFold = ChosenFold<T, TakesLarger>;
template <typename T>
using FirstFold = ChosenFold<T, TakesFirst>;
template <typename T>
using LastFold = ChosenFold<T, TakesLast>;

}  // namespace

std::unique_ptr<Aggregate> make_basic_aggregate(const AggregateSpec& spec) {
  if (spec.function == AggregateFunction::count) return std::make_unique<CountAggregate>();
  const Type type = *spec.value_type;
  switch (spec.function) {
    case AggregateFunction::sum:
      if (type == Type::int64) return std::make_unique<FoldAggregate<IntegerSumFold>>();
      return std::make_unique<FoldAggregate<FloatSumFold>>();
    case AggregateFunction::avg:
      if (type == Type::int64) return std::make_unique<FoldAggregate<IntegerAverageFold>>();
      return std::make_unique<FoldAggregate<FloatAverageFold>>();
    case AggregateFunction::min:
      return make_fold_aggregate<SmallestFold>(type);
    case AggregateFunction::max:
      return make_fold_aggregate<LargestFold>(type);
    case AggregateFunction::first:
      return make_fold_aggregate<FirstFold>(type);
    case AggregateFunction::last:
      return make_fold_aggregate<LastFold>(type);
    default:
      return nullptr;
  }
}

}  // namespace sluice
