#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

#include "operators/aggregate/aggregate_factories.hpp"
#include "operators/aggregate/dd_sketch.hpp"
#include "operators/aggregate/fold_aggregate.hpp"
#include "operators/aggregate/frequent_items.hpp"
#include "operators/aggregate/hyper_log_log.hpp"
#include "operators/aggregate/nearest_rank.hpp"
#include "operators/aggregate/value_key.hpp"
#include "operators/format/value_text.hpp"
#include "operators/time/time_text.hpp"
#include "runtime/data/batch.hpp"
#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

// ---- approx_distinct ----

// A seed of its own: values that reached this task because of their hash, or that a sample chose by it, are
// still spread evenly.
constexpr std::uint64_t kSketchSeed = 0x5bd1e9955bd1e995u;

std::uint64_t sketch_hash(std::int64_t key) {
  return hash_word(static_cast<std::uint64_t>(key), kSketchSeed);
}
std::uint64_t sketch_hash(std::string_view key) { return hash_bytes(key, kSketchSeed); }

struct Precision {
  int bits = HyperLogLog::kMinPrecision;
};

template <typename T>
struct ApproxDistinctFold {
  using Input = T;
  using Settings = Precision;
  HyperLogLog state;
  void add(Settings p, T v, std::uint64_t) { state.add(sketch_hash(value_key(v)), p.bits); }
  void merge(Settings p, const ApproxDistinctFold& other) { state.merge(other.state, p.bits); }
  bool append(Settings p, ColumnBuilder& out) const {
    out.append_int64(state.estimate(p.bits));
    return true;
  }
  std::size_t heap_bytes(Settings p) const { return state.heap_bytes(p.bits); }
};

// ---- approx_quantile ----

struct QuantileSettings {
  NearestRank rank;
  DDSketch::Scale scale;
};

template <typename T>
struct ApproxQuantileFold {
  using Input = T;
  using Settings = QuantileSettings;
  DDSketch state;
  void add(const Settings& s, T v, std::uint64_t) { state.add(static_cast<double>(v), s.scale); }
  void merge(const Settings& s, const ApproxQuantileFold& other) { state.merge(other.state, s.scale); }
  bool append(const Settings& s, ColumnBuilder& out) const {
    if (state.count() == 0) return out.append_null(), true;
    out.append_float64(state.at_rank(s.rank.of(state.count()), s.scale));
    return true;
  }
  std::size_t heap_bytes(const Settings&) const { return state.heap_bytes(); }
};

// ---- approx_top ----

struct TopSettings {
  std::uint32_t k = 0;
  std::uint32_t counters = 0;
  Type type = Type::int64;
};

// A number that JSON has no digits for is written as text: null would say that there was no value.
void append_json_number(std::string& out, double value) {
  const bool finite = std::isfinite(value);
  if (!finite) out += '"';
  append_float64(out, value);
  if (!finite) out += '"';
}

void append_json_key(std::string& out, std::int64_t key, Type type) {
  switch (type) {
    case Type::float64:
      return append_json_number(out, double_of_ordered(key));
    case Type::boolean:
      out += key != 0 ? "true" : "false";
      return;
    case Type::timestamp:
      out += '"';
      append_iso8601(out, key);
      out += '"';
      return;
    default:
      append_int64(out, key);
  }
}

void append_json_key(std::string& out, std::string_view key, Type type) {
  type == Type::json ? append_json_text(out, key) : append_json_string(out, key);
}

template <typename T>
struct ApproxTopFold {
  using Input = T;
  using Settings = TopSettings;
  using Summary =
      FrequentItems<std::conditional_t<std::is_same_v<T, std::string_view>, std::string, std::int64_t>>;
  Summary state;

  void add(const Settings& s, T v, std::uint64_t) { state.add(value_key(v), s.counters); }
  void merge(const Settings& s, const ApproxTopFold& other) { state.merge(other.state, s.counters); }
  bool append(const Settings& s, ColumnBuilder& out) const {
    out.append_string(json(s));
    return true;
  }
  std::size_t heap_bytes(const Settings&) const { return state.heap_bytes(); }
  std::size_t result_bytes(const Settings& s) const {
    return std::min(state.heap_bytes(), s.k * std::size_t{64});
  }

  // Ends early rather than become a record that no edge can carry.
  std::string json(const Settings& s) const {
    std::string text = "[";
    for (const auto& item : state.top(s.k)) {
      std::string entry = text.size() > 1 ? ",{\"value\":" : "{\"value\":";
      append_json_key(entry, item.value, s.type);
      entry += ",\"count\":" + std::to_string(item.count) + ",\"error\":" + std::to_string(item.error) + "}";
      if (text.size() + entry.size() > kTargetBatchBytes && text.size() > 1) break;
      text += entry;
    }
    return text += ']';
  }
};

// How many counters keep the error below the share of all values that is asked for, and below what tells the
// k most frequent apart from the rest in most data.
std::uint32_t counters_for(const AggregateSpec& spec) {
  const auto for_error = static_cast<std::uint32_t>(std::ceil(1 / spec.accuracy));
  return std::max(for_error, 4 * spec.k);
}

std::unique_ptr<Aggregate> make_approx_quantile(const AggregateSpec& spec) {
  const QuantileSettings settings{NearestRank(spec.p), DDSketch::Scale(spec.accuracy)};
  if (spec.value_type == Type::float64) {
    return std::make_unique<FoldAggregate<ApproxQuantileFold<double>>>(settings);
  }
  return std::make_unique<FoldAggregate<ApproxQuantileFold<std::int64_t>>>(settings);
}

}  // namespace

std::unique_ptr<Aggregate> make_sketch_aggregate(const AggregateSpec& spec) {
  const Type type = *spec.value_type;
  switch (spec.function) {
    case AggregateFunction::approx_distinct:
      return make_fold_aggregate<ApproxDistinctFold>(type, {HyperLogLog::precision_for(spec.accuracy)});
    case AggregateFunction::approx_quantile:
      return make_approx_quantile(spec);
    case AggregateFunction::approx_top:
      return make_fold_aggregate<ApproxTopFold>(type, {spec.k, counters_for(spec), type});
    default:
      return nullptr;
  }
}

}  // namespace sluice
