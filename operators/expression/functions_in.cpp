#include <algorithm>
#include <functional>
#include <unordered_set>

#include "operators/expression/functions.hpp"
#include "operators/expression/kernels.hpp"

namespace sluice::expression {
namespace {

// Few values are compared one after another; from this many on a table is faster.
constexpr std::size_t kLinearValues = 8;

struct FloatHash {
  std::size_t operator()(double v) const {
    return v != v ? 0 : std::hash<double>()(v);
  }  // every NaN is the same value
};
struct FloatEqual {
  bool operator()(double a, double b) const { return float_equal(a, b); }
};

template <typename T>
using ValueHash = std::conditional_t<std::is_same_v<T, double>, FloatHash, std::hash<T>>;
template <typename T>
using ValueEqual = std::conditional_t<std::is_same_v<T, double>, FloatEqual, std::equal_to<T>>;

// Texts point into the program's constants.
template <typename T>
struct PreparedSet final : Prepared {
  std::vector<T> few;
  std::unordered_set<T, ValueHash<T>, ValueEqual<T>> many;
  bool has_null = false;

  bool contains(const T& value) const {
    if (!many.empty()) return many.contains(value);
    return std::any_of(few.begin(), few.end(), [&](const T& v) { return ValueEqual<T>()(v, value); });
  }
};

template <typename T>
PreparedPtr prepare(std::span<const Constant* const> values) {
  auto set = std::make_shared<PreparedSet<T>>();
  for (const Constant* constant : values) {
    if (constant->valid == 0) {
      set->has_null = true;
    } else {
      set->few.push_back(*static_cast<const T*>(constant->view().data));
    }
  }
  if (set->few.size() > kLinearValues) set->many.insert(set->few.begin(), set->few.end());
  return set;
}

template <typename T>
void in_set(KernelCall& call) {
  const auto& set = *static_cast<const PreparedSet<T>*>(call.prepared);
  const Argument<T> a(call.args[0]);
  auto* out = call.out<std::uint8_t>();
  call.each_valid([&](std::uint32_t row) {
    const bool found = set.contains(a[row]);
    out[row] = static_cast<std::uint8_t>(found);
    if (!found && set.has_null) call.set_null(row);
  });
}

}  // namespace

Kernel in_set_kernel(Type type) {
  switch (physical(type)) {
    case Physical::int64:
      return in_set<std::int64_t>;
    case Physical::float64:
      return in_set<double>;
    case Physical::bits:
      return in_set<std::uint8_t>;
    case Physical::bytes:
      return in_set<std::string_view>;
  }
  return nullptr;
}

PreparedPtr prepare_in_set(std::span<const Constant* const> values) {
  switch (physical(values[0]->type)) {
    case Physical::int64:
      return prepare<std::int64_t>(values);
    case Physical::float64:
      return prepare<double>(values);
    case Physical::bits:
      return prepare<std::uint8_t>(values);
    case Physical::bytes:
      return prepare<std::string_view>(values);
  }
  return nullptr;
}

}  // namespace sluice::expression
