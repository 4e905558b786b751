#include <string_view>
#include <type_traits>

#include "operators/aggregate/aggregate_factories.hpp"
#include "operators/aggregate/distinct_set.hpp"
#include "operators/aggregate/exact_moments.hpp"
#include "operators/aggregate/fold_aggregate.hpp"
#include "operators/aggregate/nearest_rank.hpp"
#include "operators/aggregate/quantile_store.hpp"
#include "operators/aggregate/value_key.hpp"

namespace sluice {
namespace {

// ---- var, stddev ----

// What of the moments is wanted.
struct WantsVariance {
  static double of(const Variance& v) { return v.value(); }
};
struct WantsRoot {
  static double of(const Variance& v) { return v.root(); }
};

template <typename Value, typename Moments, typename Wanted>
struct VarianceFold : PlainFold {
  using Input = Value;
  Moments state;
  void add(Settings, Value v, std::uint64_t) { state.add(v); }
  void merge(Settings, const VarianceFold& other) { state.merge(other.state); }
  bool append(Settings, ColumnBuilder& out) const {
    const auto variance = state.variance();
    if (!variance) return out.append_null(), true;
    return out.append_float64(Wanted::of(*variance)), true;
  }
  std::size_t heap_bytes(Settings) const requires requires(const Moments& m) { m.heap_bytes(); }
  { return state.heap_bytes(); }
};

template <typename Wanted>
std::unique_ptr<Aggregate> make_variance(Type type) {
  if (type == Type::int64) {
    return std::make_unique<FoldAggregate<VarianceFold<std::int64_t, IntegerMoments, Wanted>>>();
  }
  return std::make_unique<FoldAggregate<VarianceFold<double, FloatMoments, Wanted>>>();
}

// ---- count_distinct ----

template <typename T>
struct DistinctFold : PlainFold {
  using Input = T;
  std::conditional_t<std::is_same_v<T, std::string_view>, TextSet, WordSet> state;
  void add(Settings, T v, std::uint64_t) {
    if constexpr (std::is_same_v<T, std::string_view>) {
      state.insert(v);
    } else {
      state.insert(static_cast<std::uint64_t>(value_key(v)));
    }
  }
  void merge(Settings, const DistinctFold& other) { state.merge(other.state); }
  bool append(Settings, ColumnBuilder& out) const {
    out.append_int64(static_cast<std::int64_t>(state.size()));
    return true;
  }
  std::size_t heap_bytes(Settings) const { return state.heap_bytes(); }
};

// ---- quantile ----

template <typename T>
struct QuantileFold {
  using Input = T;
  using Settings = NearestRank;
  QuantileStore state;
  void add(const Settings&, T v, std::uint64_t) {
    if constexpr (std::is_same_v<T, double>) {
      state.add(ordered_word(v));
    } else {
      state.add(v);
    }
  }
  void merge(const Settings&, const QuantileFold& other) { state.merge(other.state); }
  bool append(const Settings& rank, ColumnBuilder& out) const {
    if (state.size() == 0) return out.append_null(), true;
    const std::int64_t found = state.at_rank(rank.of(state.size()));
    if constexpr (std::is_same_v<T, double>) {
      out.append_float64(double_of_ordered(found));
    } else {
      out.append_int64(found);
    }
    return true;
  }
  std::size_t heap_bytes(const Settings&) const { return state.heap_bytes(); }
};

std::unique_ptr<Aggregate> make_quantile(const AggregateSpec& spec) {
  const NearestRank rank(spec.p);
  if (spec.value_type == Type::float64) return std::make_unique<FoldAggregate<QuantileFold<double>>>(rank);
  return std::make_unique<FoldAggregate<QuantileFold<std::int64_t>>>(rank);
}

}  // namespace

std::unique_ptr<Aggregate> make_exact_aggregate(const AggregateSpec& spec) {
  switch (spec.function) {
    case AggregateFunction::var:
      return make_variance<WantsVariance>(*spec.value_type);
    case AggregateFunction::stddev:
      return make_variance<WantsRoot>(*spec.value_type);
    case AggregateFunction::count_distinct:
      return make_fold_aggregate<DistinctFold>(*spec.value_type);
    case AggregateFunction::quantile:
      return make_quantile(spec);
    default:
      return nullptr;
  }
}

}  // namespace sluice
