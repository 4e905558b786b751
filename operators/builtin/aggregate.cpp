#include "operators/builtin/aggregate.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "operators/builtin/exact_sum.hpp"
#include "runtime/base/check.hpp"

namespace sluice {
namespace {

// ---- reading a column ----

template <typename T>
T read(const Column& column, std::uint32_t row) {
  if constexpr (std::is_same_v<T, std::int64_t>) return column.int64s()[row];
  if constexpr (std::is_same_v<T, double>) return column.float64s()[row];
  if constexpr (std::is_same_v<T, bool>) return column.boolean(row);
  if constexpr (std::is_same_v<T, std::string_view>) return column.string(row);
}

void append(ColumnBuilder& out, std::int64_t v) { out.append_int64(v); }
void append(ColumnBuilder& out, double v) { out.append_float64(v); }
void append(ColumnBuilder& out, bool v) { out.append_bool(v); }
void append(ColumnBuilder& out, const std::string& v) { out.append_string(v); }

// ---- folds: what one group remembers, how a value is added, what comes out ----
// append() gives false if the result does not fit.

struct IntegerSumFold {
  using Input = std::int64_t;
  IntegerSum state;
  void add(std::int64_t v) { state.add(v); }
  bool append(ColumnBuilder& out) const {
    if (state.count == 0) return out.append_null(), true;
    if (!state.fits()) return false;
    return out.append_int64(static_cast<std::int64_t>(state.sum)), true;
  }
};

struct IntegerAverageFold {
  using Input = std::int64_t;
  IntegerSum state;
  void add(std::int64_t v) { state.add(v); }
  bool append(ColumnBuilder& out) const {
    state.count == 0 ? out.append_null() : out.append_float64(state.average());
    return true;
  }
};

struct FloatSumFold {
  using Input = double;
  FloatSum state;
  void add(double v) { state.add(v); }
  bool append(ColumnBuilder& out) const {
    state.count() == 0 ? out.append_null() : out.append_float64(state.sum());
    return true;
  }
};

struct FloatAverageFold {
  using Input = double;
  FloatSum state;
  void add(double v) { state.add(v); }
  bool append(ColumnBuilder& out) const {
    state.count() == 0 ? out.append_null() : out.append_float64(state.average());
    return true;
  }
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

struct TakesSmaller {
  template <typename T>
  static bool replaces(const T& fresh, const T& held) {
    return before(fresh, held);
  }
};
struct TakesLarger {
  template <typename T>
  static bool replaces(const T& fresh, const T& held) {
    return before(held, fresh);
  }
};
struct TakesFirst {
  template <typename T>
  static bool replaces(const T&, const T&) {
    return false;
  }
};
struct TakesLast {
  template <typename T>
  static bool replaces(const T&, const T&) {
    return true;
  }
};

// Keeps one of the values.
template <typename T, typename Choice>
struct ChosenFold {
  using Input = T;
  using Held = std::conditional_t<std::is_same_v<T, std::string_view>, std::string, T>;
  Held held{};
  bool any = false;
  void add(T v) {
    if (any && !Choice::replaces(v, T(held))) return;
    held = v;
    any = true;
  }
  bool append(ColumnBuilder& out) const {
    any ? sluice::append(out, held) : out.append_null();
    return true;
  }
};

// ---- aggregates: a fold a group ----

template <typename State>
void keep_states(std::vector<State>& states, std::span<const GroupId> old) {
  std::vector<State> kept;
  kept.reserve(old.size());
  for (const GroupId group : old) kept.push_back(std::move(states[group]));
  states = std::move(kept);
}

template <typename Fold>
class FoldAggregate final : public Aggregate {
 public:
  void grow(std::size_t groups) override {
    if (groups > states_.size()) states_.resize(groups);
  }

  void update(const Column* value, const GroupId* groups, std::uint32_t rows) override {
    for (std::uint32_t r = 0; r < rows; ++r) {
      if (groups[r] == kNoGroup || value->is_null(r)) continue;
      states_[groups[r]].add(read<typename Fold::Input>(*value, r));
    }
  }

  void append_results(std::span<const GroupId> groups, ColumnBuilder& out,
                      std::vector<std::uint32_t>& unfit) const override {
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
      if (states_[groups[i]].append(out)) continue;
      out.append_null();
      unfit.push_back(i);
    }
  }

  std::size_t result_bytes(GroupId group) const override {
    if constexpr (requires { states_[group].held.size(); }) return states_[group].held.size();
    return Aggregate::result_bytes(group);
  }

  void clear(std::span<const GroupId> groups) override {
    for (const GroupId group : groups) states_[group] = Fold{};
  }

  void compact(std::span<const GroupId> old) override { keep_states(states_, old); }

 private:
  std::vector<Fold> states_;
};

// Counts records, or values that are not null.
class CountAggregate final : public Aggregate {
 public:
  void grow(std::size_t groups) override {
    if (groups > counts_.size()) counts_.resize(groups);
  }

  void update(const Column* value, const GroupId* groups, std::uint32_t rows) override {
    for (std::uint32_t r = 0; r < rows; ++r) {
      if (groups[r] == kNoGroup || (value != nullptr && value->is_null(r))) continue;
      ++counts_[groups[r]];
    }
  }

  void append_results(std::span<const GroupId> groups, ColumnBuilder& out,
                      std::vector<std::uint32_t>&) const override {
    for (const GroupId group : groups) out.append_int64(counts_[group]);
  }

  void clear(std::span<const GroupId> groups) override {
    for (const GroupId group : groups) counts_[group] = 0;
  }

  void compact(std::span<const GroupId> old) override { keep_states(counts_, old); }

 private:
  std::vector<std::int64_t> counts_;
};

template <typename Choice>
std::unique_ptr<Aggregate> make_chosen(Type type) {
  switch (physical(type)) {
    case Physical::int64:
      return std::make_unique<FoldAggregate<ChosenFold<std::int64_t, Choice>>>();
    case Physical::float64:
      return std::make_unique<FoldAggregate<ChosenFold<double, Choice>>>();
    case Physical::bits:
      return std::make_unique<FoldAggregate<ChosenFold<bool, Choice>>>();
    case Physical::bytes:
      return std::make_unique<FoldAggregate<ChosenFold<std::string_view, Choice>>>();
  }
  return nullptr;
}

}  // namespace

std::optional<AggregateFunction> parse_aggregate_function(std::string_view name) {
  static constexpr std::array<std::string_view, 7> names = {"count", "sum",   "avg", "min",
                                                            "max",   "first", "last"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<AggregateFunction>(i);
  }
  return std::nullopt;
}

std::optional<Type> aggregate_type(AggregateFunction function, std::optional<Type> value) {
  if (function == AggregateFunction::count) return Type::int64;
  if (!value) return std::nullopt;
  const bool number = *value == Type::int64 || *value == Type::float64;
  switch (function) {
    case AggregateFunction::count:
      return Type::int64;
    case AggregateFunction::sum:
      return number ? value : std::nullopt;
    case AggregateFunction::avg:
      return number ? std::optional(Type::float64) : std::nullopt;
    case AggregateFunction::min:
    case AggregateFunction::max:
      // The text of a JSON value has no order that means anything.
      return *value == Type::json ? std::nullopt : value;
    case AggregateFunction::first:
    case AggregateFunction::last:
      return value;
  }
  return std::nullopt;
}

std::unique_ptr<Aggregate> make_aggregate(AggregateFunction function, std::optional<Type> value) {
  SLUICE_CHECK(aggregate_type(function, value).has_value());
  if (function == AggregateFunction::count) return std::make_unique<CountAggregate>();
  const bool integer = *value == Type::int64;
  switch (function) {
    case AggregateFunction::sum:
      if (integer) return std::make_unique<FoldAggregate<IntegerSumFold>>();
      return std::make_unique<FoldAggregate<FloatSumFold>>();
    case AggregateFunction::avg:
      if (integer) return std::make_unique<FoldAggregate<IntegerAverageFold>>();
      return std::make_unique<FoldAggregate<FloatAverageFold>>();
    case AggregateFunction::min:
      return make_chosen<TakesSmaller>(*value);
    case AggregateFunction::max:
      return make_chosen<TakesLarger>(*value);
    case AggregateFunction::first:
      return make_chosen<TakesFirst>(*value);
    case AggregateFunction::last:
      return make_chosen<TakesLast>(*value);
    case AggregateFunction::count:
      break;
  }
  return nullptr;
}

}  // namespace sluice
